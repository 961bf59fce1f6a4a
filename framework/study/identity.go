package study

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
)

// form names the canonical form. It changes whenever the same cell would be written
// differently, so that no result is taken for that of another cell.
const form = "hansa/cell/2"

// ID returns the identity of a resolved cell: the SHA-256 of its canonical form, in
// hexadecimal. A cell is resolved when its picks and measures hold every parameter,
// defaults included.
func (c Cell) ID() string {
	sum := sha256.Sum256(c.Canonical())
	return hex.EncodeToString(sum[:])
}

// Canonical returns everything that decides the numbers of a cell, in one way only: keys
// are sorted, floats have the fewest digits that read back the same bits. Labels, roles,
// coordinates and origins are not in it.
func (c Cell) Canonical() []byte {
	picks := make(map[string]any, len(c.Picks))
	for slot, p := range c.Picks {
		picks[slot] = p
	}
	measures := make([]any, len(c.Measures))
	for i, m := range c.Measures {
		is := map[string]any{
			"name": m.Name, "params": m.Params, "key": m.Key, "average": m.Average,
		}
		if m.Best { // no measure was once
			is["best"] = true
		}
		measures[i] = is
	}
	all := map[string]any{
		"form": form, "clients": c.Clients, "rounds": c.Rounds, "every": c.Every,
		"law": c.Law, "oracle": c.Oracle, "disclose": c.Disclose,
		"initial": c.Initial, "held": c.Held,
		"seed": c.Seed, "data_seed": c.DataSeed, "picks": picks, "measures": measures,
	}
	if len(c.Preprocess) > 0 { // cells had none once
		all[chainKey] = c.Preprocess
	}
	if c.InitialFile != nil {
		all["initial_file"] = c.InitialFile
	}
	if c.TestByClient {
		all["test"] = "client"
	}
	if c.HeldOut > 0 {
		all["held_out"] = c.HeldOut
	}
	if c.Validated > 0 { // cells were not once
		all["validated"] = c.Validated
	}
	if c.Stop > 0 {
		all["stop"] = c.Stop
	}
	return appendValue(make([]byte, 0, usual), all)
}

// usual is room for the canonical form of most cells, in bytes.
const usual = 4096

// appendValue appends a value of a cell. An integer and a float of the same value have the same
// text where both are short.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return strconv.AppendQuoteToASCII(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case []float64:
		return appendList(b, v)
	case []any:
		return appendList(b, v)
	case []Pick:
		return appendList(b, v)
	case Pick:
		return appendValue(b, map[string]any{"name": v.Name, "params": v.Params})
	case map[string]any:
		b = append(b, '{')
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(strconv.AppendQuoteToASCII(b, key), ':')
			b = appendValue(b, v[key])
		}
		return append(b, '}')
	}
	return strconv.AppendQuoteToASCII(b, fmt.Sprintf("%T %v", v, v))
}

func appendList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v)
	}
	return append(b, ']')
}
