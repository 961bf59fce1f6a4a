package table

import (
	"encoding/json"
	"math"
)

// A Number survives JSON: NaN, which stands for "there is none", is null, and ±Inf are
// strings.
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	switch f := float64(x); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Inf"`), nil
	default:
		return json.Marshal(f)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Number) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*x = Number(math.NaN())
	case `"+Inf"`:
		*x = Number(math.Inf(1))
	case `"-Inf"`:
		*x = Number(math.Inf(-1))
	default:
		return json.Unmarshal(b, (*float64)(x))
	}
	return nil
}
