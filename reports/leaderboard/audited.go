package leaderboard

import (
	"cmp"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/reports/table"
)

// An Audited is what an audit says, before any training, of a method in a condition with the data
// of one seed. NaN is what it does not know.
type Audited struct {
	Seed         uint64       `json:"seed"`
	Clients      int          `json:"clients"`
	Lowest       table.Number `json:"lowest"`          // inclusion probability of the enrolled
	Highest      table.Number `json:"highest"`         //
	Unattainable table.Number `json:"unattainable"`    // least total variation from p
	Bound        bool         `json:"bound,omitempty"` // it may be more

	Participants table.Number `json:"participants"`     // mean of non-empty rounds
	TV           table.Number `json:"tv"`               // total variation of p̃ from p, in [0, 1]
	Margin       table.Number `json:"margin"`           // of 95 % of errors of p̃; 0: TV is exact
	Total        table.Number `json:"total"`            // mean of Σw
	Effective    table.Number `json:"effective"`        // cohort size (Kish), mean of (Σw)²/Σw²
	Rounds       int          `json:"rounds,omitempty"` // simulated; 0: none
	Why          string       `json:"why,omitempty"`    // there is no p̃
}

// NewAudited returns what a finding says.
func NewAudited(f *audit.Finding) Audited {
	none := table.Number(math.NaN())
	a := Audited{Seed: f.Seed, Clients: f.Clients, Lowest: table.Number(f.Law.Lowest),
		Highest: table.Number(f.Law.Highest), Unattainable: none, Participants: none, TV: none,
		Margin: none, Total: none, Effective: none, Why: f.Why}
	if f.Law.Thin {
		a.Lowest, a.Highest = none, none
	}
	if c := f.Feasibility; c != nil {
		a.Unattainable, a.Bound = table.Number(c.Deficiency), c.Bound
	}
	e := f.Effective
	if e == nil {
		return a
	}
	a.Why, a.Rounds = "", e.Rounds
	a.Participants, a.Total = table.Number(e.Cohort), table.Number(e.Total)
	a.Effective = table.Number(e.Speaking)
	if !e.Thin {
		a.TV, a.Margin = table.Number(f.TV), table.Number(e.Margin)
	}
	return a
}

// An auditRow is an Audited in a table.
type auditRow struct {
	Condition, File                      string
	Participants, Inclusion              string
	Unattainable, TV, Range, Total, Kish string
	How                                  string
}

// newAuditRow writes an Audited.
func newAuditRow(a *Audited, to link) auditRow {
	r := auditRow{Condition: to.Label, File: to.File, Inclusion: "—", Range: "—",
		Unattainable: decimals(a.Unattainable), TV: decimals(a.TV), Total: digits(a.Total),
		Kish: digits(a.Effective), Participants: digits(a.Participants), How: "exact"}
	if known(a.Participants) {
		r.Participants += fmt.Sprintf(" of %d", a.Clients)
	}
	if known(a.Lowest) {
		r.Inclusion = digits(a.Lowest)
		if a.Highest != a.Lowest {
			r.Inclusion = "[" + r.Inclusion + ", " + digits(a.Highest) + "]"
		}
	}
	if a.Bound {
		r.Unattainable = "≥ " + r.Unattainable
	}
	switch {
	case a.Why != "":
		r.How = a.Why
	case a.Rounds > 0:
		r.How = counted(a.Rounds, "simulated round")
	}
	if x := float64(a.TV); a.Rounds > 0 && known(a.TV) {
		low, high := max(0, x-float64(a.Margin)), min(1, x+float64(a.Margin))
		r.Range = "[" + table.ThreeDecimals(low) + ", " + table.ThreeDecimals(high) + "]"
	}
	return r
}

// known reports whether a number is one.
func known(x table.Number) bool { return !math.IsNaN(float64(x)) }

// decimals writes a probability; "—" of none.
func decimals(x table.Number) string {
	if !known(x) {
		return "—"
	}
	return table.ThreeDecimals(float64(x))
}

// digits writes a number; "—" of none.
func digits(x table.Number) string {
	if !known(x) {
		return "—"
	}
	return table.ThreeDigits(float64(x))
}

// audit adds what audits say of a method in the conditions of a group.
func (m *method) audit(g *group, part *methodGroup) {
	for i := range part.Rows {
		r := &part.Rows[i]
		for _, cell := range r.cells {
			a, ok := g.site.Audits[g.in.IDs[cell]]
			if !ok {
				continue
			}
			part.Audit = append(part.Audit, newAuditRow(&a, link{r.Label, r.File}))
			part.AuditSeed = cmp.Or(part.AuditSeed, fmt.Sprint(a.Seed))
			break
		}
	}
	m.Audited = m.Audited || len(part.Audit) > 0
}
