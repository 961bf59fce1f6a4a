package study

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// bareCell is a Cell without methods.
type bareCell Cell

// MarshalJSON implements json.Marshaler. Numbers of parameters are written as the canonical form
// has them, so that the cell that is read back has the same identity.
func (c Cell) MarshalJSON() ([]byte, error) {
	return json.Marshal(bareCell(c.mapped(storedNumber)))
}

// UnmarshalJSON implements json.Unmarshaler: what MarshalJSON wrote is read with the same identity.
// Cells that versions before it stored may have other numbers; see Is.
func (c *Cell) UnmarshalJSON(b []byte) error { return NewReader().Read(b, c) }

// mapped returns a cell in which every value of a parameter was replaced that is neither a table
// nor a list, or that is a list of numbers, one after another in the order of their paths.
func (c Cell) mapped(to func(v any) any) Cell {
	return c.WithPicks(func(p Pick) Pick { return p.mapped(to) })
}

// mapped does what Cell.mapped does, of one component.
func (p Pick) mapped(to func(v any) any) Pick {
	if p.Params != nil {
		p.Params = mapped(p.Params, to).(map[string]any)
	}
	return p
}

// WithPicks returns a cell with what a function makes of each of its components, slots in their
// order, then preprocessors and measures. The function changes nothing that its argument refers to.
func (c Cell) WithPicks(of func(p Pick) Pick) Cell {
	if c.Picks != nil {
		picks := make(map[string]Pick, len(c.Picks))
		for _, slot := range slices.Sorted(maps.Keys(c.Picks)) {
			picks[slot] = of(c.Picks[slot])
		}
		c.Picks = picks
	}
	c.Preprocess, c.Measures = slices.Clone(c.Preprocess), slices.Clone(c.Measures)
	for i := range c.Preprocess {
		c.Preprocess[i] = of(c.Preprocess[i])
	}
	for i := range c.Measures {
		c.Measures[i].Pick = of(c.Measures[i].Pick)
	}
	return c
}

// mapped does what Cell.mapped does, of one value.
func mapped(v any, to func(v any) any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			m[key] = mapped(v[key], to)
		}
		return m
	case []any:
		if list, ok := floats(v); ok { // a list of floats that was stored
			return to(list)
		}
		if !numbers(v) {
			return mappedList(v, to)
		}
	case []Pick:
		return mappedList(v, to)
	case Pick:
		return map[string]any{"name": v.Name, "params": mapped(v.Params, to)}
	}
	return to(v)
}

func mappedList[T any](list []T, to func(v any) any) []any {
	m := make([]any, len(list))
	for i, v := range list {
		m[i] = mapped(v, to)
	}
	return m
}

// readValue reads one value of a parameter that was stored.
func readValue(text []byte) (any, error) {
	var v any
	if err := decodeNumbers(text, &v); err != nil {
		return nil, err
	}
	return mapped(v, readNumber), nil
}

// floats returns a list of which every element is a float.
func floats(list []any) ([]float64, bool) {
	all := make([]float64, len(list))
	for i, v := range list {
		x, ok := v.(float64)
		if !ok {
			return nil, false
		}
		all[i] = x
	}
	return all, len(list) > 0
}

// numbers reports whether a list that was stored holds numbers.
func numbers(list []any) bool {
	for _, v := range list {
		if _, ok := v.(json.Number); !ok {
			return false
		}
	}
	return len(list) > 0
}

// storedNumber returns a value as it is to be stored: a float as the canonical form has it; in a
// list with a point, so that a list of floats differs from one of integers. A list of no integers
// is null, which nothing else is.
func storedNumber(v any) any {
	switch v := v.(type) {
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return json.RawMessage(strconv.FormatFloat(v, 'g', -1, 64))
		}
	case []float64:
		list := make([]json.RawMessage, len(v))
		for i, x := range v {
			text := strconv.FormatFloat(x, 'g', -1, 64)
			if !strings.ContainsAny(text, ".e") {
				text += ".0"
			}
			list[i] = json.RawMessage(text)
		}
		return list
	case []int64:
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// readNumber returns a value that was stored: numbers are integers where they look like it.
func readNumber(v any) any {
	switch v := v.(type) {
	case nil:
		return []int64(nil)
	case json.Number:
		if n, ok := integer(v); ok {
			return n
		}
		x, err := v.Float64()
		if err != nil { // no parameter is so large
			return fmt.Sprintf("the number %s", v)
		}
		return x
	case []any: // of numbers
		var integers []int64
		floats := make([]any, len(v))
		for i, one := range v {
			if n, ok := integer(one.(json.Number)); ok {
				integers = append(integers, n)
			}
			floats[i] = readNumber(one)
		}
		if len(integers) == len(v) {
			return integers
		}
		return floats
	}
	return v
}

// integer returns an integer that is written as one.
func integer(text json.Number) (n int64, ok bool) {
	if strings.ContainsAny(string(text), ".eE") || text == "-0" {
		return 0, false
	}
	n, err := text.Int64()
	return n, err == nil
}

// From million on the canonical form writes integers and floats in different ways. mostDoubtful
// is how many such numbers of a cell Is tries in both.
const (
	million      = 1_000_000
	mostDoubtful = 10
)

// Is reports whether a resolved cell has an identity. Versions before MarshalJSON stored floats
// from a million on, and lists of whole floats, as if they were integers: what looks like that is
// tried as floats, too.
func (c Cell) Is(id string) bool {
	if c.ID() == id {
		return true
	}
	var doubtful, floats int
	chosen := func() bool {
		doubtful++
		return floats>>(doubtful-1)&1 == 1
	}
	try := func(v any) any {
		switch v := v.(type) {
		case int64:
			if (v <= -million || v >= million) && chosen() {
				return float64(v)
			}
		case []int64:
			if chosen() {
				list := make([]float64, len(v))
				for i, n := range v {
					list[i] = float64(n)
				}
				return list
			}
		}
		return v
	}
	c.mapped(try)
	most := doubtful
	for floats = 1; most <= mostDoubtful && floats < 1<<most; floats++ {
		doubtful = 0
		if c.mapped(try).ID() == id {
			return true
		}
	}
	return false
}
