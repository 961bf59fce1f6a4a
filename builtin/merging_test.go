package builtin

import (
	"maps"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
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

// Transformers are merged by each rule that merges networks, from one start, and their losses fall;
// or a message says before anything runs why not: RegMean is for dense layers, of which a decoder
// with tied scores has none, Fisher merging for one label of a row, and REPAIR for layers without
// norms.
func TestTransformersAreMerged(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(easy); err != nil {
		t.Fatal(err)
	}
	none := func(*engine.Setup) string { return "" }
	tied := func(s *engine.Setup) string {
		for _, l := range s.Model.Layout().Layers {
			if l.Kind == fl.KindDense {
				return ""
			}
		}
		return "merges dense layers, and this model has none"
	}
	rowwise := func(s *engine.Setup) string {
		if s.Source.Shape().PerRow() > 1 {
			return "takes the label of a row"
		}
		return ""
	}
	for _, m := range []study.Pick{
		pick("vit", "patch", int64(4), "width", int64(8), "depth", int64(1), "heads", int64(2),
			"mlp_ratio", int64(2)),
		pick("transformer", "layers", int64(1), "width", int64(4), "heads", int64(2)),
	} {
		base, plain := plainly(t, r, m)
		for _, f := range []family{
			put("RegMean", tied, "local", pick("regmean"), "aggregator", pick("regmean")),
			put("Fisher merging", rowwise, "local", pick("fisher"), "aggregator", pick("fisher-merging")),
			put("Git Re-Basin", none, "aggregator", pick("git-rebasin")),
			put("barycenter", none, "aggregator", pick("fusion-barycenter", "solver", "exact")),
			put("activations", none, "aggregator", pick("lmf", "solver", "exact", "reference", "first",
				"neurons", "activations")),
			put("REPAIR", func(*engine.Setup) string { return "REPAIR is for networks of dense layers" },
				"aggregator", pick("git-rebasin", "repair", "server")),
		} {
			c := base
			c.Picks = maps.Clone(base.Picks)
			f.put(&c)
			trains(t, r, c, f, f.refuses(plain))
		}
	}
}
