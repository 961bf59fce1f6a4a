package study

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Values are values of a parameter as a file writes them: int64, float64, bool, string, []any and
// map[string]any. Stored as JSON, they are read back so that a cell has the same identity.
type Values []any

// MarshalJSON implements json.Marshaler.
func (v Values) MarshalJSON() ([]byte, error) {
	return json.Marshal(mappedList(v, storedNumber))
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Values) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*v = make(Values, len(list))
	for i, text := range list {
		one, err := readValue(text)
		if err != nil {
			return err
		}
		(*v)[i] = one
	}
	return nil
}

// choices checks from what a parameter is chosen.
func (r *reader) choices(f field, out *Range) {
	what := "tune.space." + f.key
	switch v := f.value.(type) {
	case list:
		out.Scale = ListScale
		r.listed(what, f.node, v, out)
	case table:
		v = r.mend(v, what, Scales(), nil)
		if len(v) != 1 {
			r.fail(f.at.Value, "one of log = [lo, hi], linear = [lo, hi], integer = [lo, hi]",
				"%s: want one range, have %d", what, len(v))
			return
		}
		out.Scale = v[0].key
		r.ends(what+"."+v[0].key, v[0].node, out)
	default:
		r.wrongType(what, "a list of values or a range such as { log = [1e-3, 1.0] }", f.node)
	}
}

// listed checks the values of a parameter one by one.
func (r *reader) listed(what string, n node, items list, out *Range) {
	if len(items) < 2 || len(items) > mostValues {
		r.fail(n.at.Value, "a single value belongs in the method",
			"%s: want 2 to %d values, have %d", what, mostValues, len(items))
		return
	}
	seen := map[string]bool{}
	for i, item := range items {
		if !r.values(fmt.Sprintf("%s[%d]", what, i), item) {
			continue
		}
		v := plain(item)
		text := string(appendValue(nil, v))
		if seen[text] {
			r.fail(item.at.Value, "", "%s: %s is listed twice", what, written(item.value))
		}
		seen[text] = true
		out.Values = append(out.Values, v)
	}
}

// ends checks the ends of a range.
func (r *reader) ends(what string, n node, out *Range) {
	items, ok := n.value.(list)
	if !ok || len(items) != 2 {
		r.fail(n.at.Value, "the least and the largest value", "%s: want [lo, hi], have %s", what,
			show(n.value))
		return
	}
	before := len(r.problems)
	var ends [2]float64
	for i, item := range items {
		if out.Scale != IntegerScale {
			ends[i] = r.number(what, item)
			continue
		}
		v, ok := item.value.(int64)
		if !ok {
			r.wrongType(what, "an integer", item)
		} else if v < -largestExact || v > largestExact {
			r.fail(item.at.Value, "", "%s: %d is outside [-2^53, 2^53]", what, v)
		}
		ends[i] = float64(v)
	}
	out.Low, out.High = ends[0], ends[1]
	switch {
	case len(r.problems) > before:
	case out.Scale == LogScale && out.Low <= 0:
		r.fail(items[0].at.Value, "linear = [lo, hi] is for ranges with 0",
			"%s: a logarithm wants more than 0, have %v", what, out.Low)
	case !(out.Low < out.High):
		r.fail(n.at.Value, "", "%s: %v is not below %v", what, out.Low, out.High)
	case math.IsInf(out.High-out.Low, 0):
		r.fail(n.at.Value, "", "%s: the range is too wide", what)
	}
}

// largestExact is the integer up to which each is a float64.
const largestExact = 1 << 53

// Of reports whether the range is one for a method: written for it, or for all of them where the
// space has none of that parameter for the method alone.
func (t *Tune) Of(method string, p *Range) bool {
	if p.Method != "" {
		return p.Method == method
	}
	return !slices.ContainsFunc(t.Space, func(o Range) bool {
		return o.Method == method && o.Path == p.Path
	})
}

// For returns the ranges for a method, in the order of the file.
func (t *Tune) For(method string) (own []Range) {
	for i := range t.Space {
		if t.Of(method, &t.Space[i]) {
			own = append(own, t.Space[i])
		}
	}
	return own
}
