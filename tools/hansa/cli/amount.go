package cli

import (
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Amount reads an amount: a number in the unit of its metric, or with kB, MB or GB behind it of
// bytes, or with s, min or h behind it of seconds.
func Amount(text string) (amount float64, unit string, ok bool) {
	text, scale := strings.TrimSpace(text), 1.0
	for _, u := range []struct {
		suffix, unit string
		scale        float64
	}{
		{"kB", fl.Bytes, 1e3}, {"MB", fl.Bytes, 1e6}, {"GB", fl.Bytes, 1e9},
		{"B", fl.Bytes, 1}, {"min", "s", 60}, {"h", "s", 3600}, {"s", "s", 1},
	} {
		if rest, found := strings.CutSuffix(text, u.suffix); found {
			text, unit, scale = strings.TrimSpace(rest), u.unit, u.scale
			break
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	return x * scale, unit, err == nil && x >= 0 && !math.IsInf(x, 1)
}
