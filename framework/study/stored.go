package study

import (
	"bytes"
	"encoding/json"
	"strings"
)

// UnmarshalJSON reads a stored cell. JSON has one kind of numbers, an experiment file two: what is
// whole becomes an int64, which components take for a float, too, where they want one. Lists are
// []any. The registry composes such a cell to the one that was stored.
func (c *Cell) UnmarshalJSON(text []byte) error {
	type fields Cell // without this method
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode((*fields)(c)); err != nil {
		return err
	}
	for _, p := range c.Picks {
		asInFile(p.Params)
	}
	for _, p := range c.Preprocess {
		asInFile(p.Params)
	}
	for _, m := range c.Measures {
		asInFile(m.Params)
	}
	return nil
}

// asInFile replaces the numbers among parameters by those that an experiment file has.
func asInFile(params map[string]any) {
	for key, v := range params {
		params[key] = valueInFile(v)
	}
}

func valueInFile(v any) any {
	switch v := v.(type) {
	case json.Number:
		// Minus zero is no integer.
		if x, err := v.Int64(); err == nil && !strings.HasPrefix(string(v), "-0") {
			return x
		}
		if x, err := v.Float64(); err == nil {
			return x
		}
		return string(v) // beyond the largest float, which no component takes
	case []any:
		for i := range v {
			v[i] = valueInFile(v[i])
		}
	case map[string]any:
		asInFile(v)
	}
	return v
}
