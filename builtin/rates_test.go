package builtin

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// validated trains ten epochs on all samples at once, at each of the rates.
func validated(rates ...any) study.Pick {
	return study.Pick{Name: "validated-sgd", Params: map[string]any{
		"rates": rates, "epochs": int64(10), "batch": int64(0)}}
}

// A mean of models whose rate is chosen by validation is that of FedAvg at the chosen rate, for all
// weights. Rates at which nothing is learnt, or everything diverges, are not chosen.
//
//hansa:verifies equivalence local/validated-sgd aggregator/validated-average
func TestValidationChoosesOneRateForAllClients(t *testing.T) {
	for _, weights := range []string{"uniform", "samples", "importance"} {
		average := study.Pick{Name: "validated-average", Params: map[string]any{"weights": weights}}
		tuned := validated(0.5, 1e-9, 1e300)
		for _, v := range contract.Cell(head(t, tuned, average, nil), engine.Options{}) {
			t.Errorf("%s: %v", weights, v)
		}
		last, got := play(t, head(t, tuned, average, nil))
		plain := study.Pick{Name: "sgd", Params: map[string]any{"epochs": int64(10), "lr": 0.5}}
		_, want := play(t, head(t, plain, fedavg(weights), nil))
		if d := got.Distance(want); d > 1e-12*want.Norm() {
			t.Errorf("%s: parameters are %g away from FedAvg's at the best rate", weights, d)
		}
		if clients := 6.0; last["upload"] != fl.BytesPerNumber*clients*(3*66+3+3) {
			t.Errorf("%s: %v bytes are sent", weights, last["upload"])
		}
	}
}

// The head that FedPFT trains is as good as with a rate that suits it, whatever else the grid has.
func TestFedPFTChoosesItsRate(t *testing.T) {
	mixture := study.Pick{Name: "class-mixture"}
	for _, c := range []struct {
		given map[string]any
		least float64
	}{
		{map[string]any{"rates": []any{1e-9, 0.01, 1e9}}, 90},
		{map[string]any{"rates": []any{1e9, 1e-9, 0.01}}, 90},
	} {
		s := head(t, mixture, study.Pick{Name: "fedpft", Params: c.given}, nil)
		if last, _ := play(t, s); last["accuracy"] < c.least {
			t.Errorf("%v: accuracy %v", c.given, last["accuracy"])
		}
	}
}
