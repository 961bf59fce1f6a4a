package cli_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// An amount is a number, maybe with a unit of bytes or of time behind it.
func TestAmounts(t *testing.T) {
	type amount struct {
		x    float64
		unit string
	}
	for text, want := range map[string]amount{"10MB": {1e7, fl.Bytes}, "1.5 GB": {1.5e9, fl.Bytes},
		"60kB": {6e4, fl.Bytes}, "7 B": {7, fl.Bytes}, "12": {12, ""}, "0": {0, ""},
		"1.5h": {5400, "s"}, "30 min": {1800, "s"}, "2s": {2, "s"}} {
		if x, unit, ok := cli.Amount(text); !ok || x != want.x || unit != want.unit {
			t.Errorf("%q is %v %s, %t; want %v", text, x, unit, ok, want)
		}
	}
	for _, text := range []string{"", "MB", "3XB", "-1", "Inf", "NaN", "1kBMB", "h", "1h30min"} {
		if x, _, ok := cli.Amount(text); ok {
			t.Errorf("%q is %v", text, x)
		}
	}
}
