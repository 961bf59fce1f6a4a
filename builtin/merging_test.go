package builtin

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// What merging sends, by hand: Fisher merging a number for each parameter beside the model, RegMean
// half a Gram matrix of 784 + 1 inputs and one of 8 + 1. Clients are sent the model alone.
func TestMergingIsCounted(t *testing.T) {
	const rounds, cohort, model = 2, 3, 6370
	for local, c := range map[string]struct {
		server string
		beside int
	}{
		"fisher":  {"fisher-merging", model},
		"regmean": {"regmean", tensor.Packed(785) + tensor.Packed(9)},
	} {
		cell := personal(descends(local))
		cell.Rounds, cell.Every = rounds, rounds
		cell.Picks["aggregator"] = pick(c.server)
		_, _, m := ends(t, cell)
		if up := float64(4 * rounds * cohort * (model + c.beside)); m[0] != up {
			t.Errorf("%s: %v bytes up, want %v", local, m[0], up)
		}
		if down := float64(4 * rounds * cohort * model); m[1] != down {
			t.Errorf("%s: %v bytes down, want %v", local, m[1], down)
		}
	}
}
