package audit

// A Policy is what replaces p in one method where no weights attain it, by one value of the
// parameter that decides that, and what that value leads to.
type Policy struct {
	Param      string      `json:"param"` // of the aggregator
	Value      string      `json:"value"`
	TV         float64     `json:"tv"`               // total variation of p̃ from p
	Speaking   float64     `json:"effective_cohort"` // Effective.Speaking
	Prediction *Prediction `json:"prediction"`       // nil when there is none
}

// NewPolicy returns the policy of a finding at a value of a parameter, or false where it has no p̃.
func NewPolicy(param, value string, f *Finding) (Policy, bool) {
	if f.Effective == nil || f.Effective.Thin {
		return Policy{}, false
	}
	return Policy{param, value, f.TV, f.Effective.Speaking, f.Prediction}, true
}

// Replaces reports whether p is replaced by the policy of the aggregator: no weights attain p, and
// weights are planned with a law that the server knows.
func (f *Finding) Replaces() bool {
	return f.Feasibility != nil && !f.Feasibility.Feasible && f.Law.Known &&
		f.Effective != nil && !f.Effective.Learns && !f.Effective.Thin
}
