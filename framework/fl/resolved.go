package fl

// Resolved are the parameters of a component, with defaults filled in, as what is said of it takes
// them: strategies can read them, too. A parameter that is not there, or is something else, is 0.
type Resolved struct{ values map[string]any }

// NewResolved returns parameters as Params.Resolved has them.
func NewResolved(values map[string]any) Resolved { return Resolved{values} }

// Float returns a number.
func (r Resolved) Float(name string) float64 {
	x, _ := number(r.values[name])
	return x
}

// Int returns an integer.
func (r Resolved) Int(name string) int {
	n, _ := r.values[name].(int64)
	return int(n)
}

// Bool returns a switch.
func (r Resolved) Bool(name string) bool {
	on, _ := r.values[name].(bool)
	return on
}

// Text returns a word.
func (r Resolved) Text(name string) string {
	text, _ := r.values[name].(string)
	return text
}
