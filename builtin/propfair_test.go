package builtin

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// With an M that no loss comes near PropFair is sgd, to the bit, for squared losses and for classes,
// all samples at once and batches of which the last is smaller; for networks, which add steps up in
// single precision, to 1e-6. With a usual M it is not.
//
//hansa:verifies equivalence local/propfair
func TestPropFairReducesToSGD(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(surveyed); err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, c := range settings() {
		name := c.Picks["model"].Name
		for _, batch := range []int64{0, 2} {
			run := func(local study.Pick) (end []float64, ok bool) {
				c := c
				c.Picks = maps.Clone(c.Picks)
				local.Params["lr"], local.Params["epochs"], local.Params["batch"] = 0.01, int64(2), batch
				c.Picks["local"], c.Picks["aggregator"] = local, pick("fedavg")
				s, _, problems := r.Compose(c)
				if len(problems) > 0 {
					return nil, false
				}
				return endOf(t, &s), true
			}
			want, ok := run(pick("sgd"))
			if !ok {
				continue
			}
			tried[name] = true
			got, _ := run(pick("propfair", "maximum", 1e30))
			off := fl.Vector(got).Distance(want)
			// Networks step in single precision.
			network := !slices.Contains([]string{"linear", "softmax", "logistic", "quantile"}, name)
			if !network && off > 0 || !(off < 1e-6) {
				t.Errorf("model %s, batches of %d: M = 1e30 is %v from sgd", name, batch, off)
			}
			if got, _ := run(pick("propfair", "maximum", 30.0)); slices.Equal(got, want) {
				t.Errorf("model %s, batches of %d: M = 30 is sgd", name, batch)
			}
		}
	}
	for _, model := range []string{"linear", "softmax", "mlp", "logistic"} {
		if !tried[model] {
			t.Errorf("model %s was not tried: %v", model, tried)
		}
	}
}

// With one step of all samples in a round it ends where gains M − Fᵢ are proportionally fair: of
// parabolas, at the zero of Σ ∇Fᵢ/(M − Fᵢ), from which no change of the model makes the shares by
// which gains rise more than those by which they fall.
//
//hansa:verifies fixed-point local/propfair
//hansa:verifies theorem local/propfair
func TestPropFairIsProportionallyFair(t *testing.T) {
	const most = 12.0
	c := parabolas(4000, 0.05, pick("fedavg", "weights", "uniform"))
	c.Picks["local"] = pick("propfair", "steps", int64(1), "lr", 0.05, "maximum", most)
	p, _, _ := ends(t, c)
	theta, minima := p.Global[0], []float64{-2, -1, 0, 1, 2, 4}
	gain := func(at, minimum float64) float64 { return most - (at-minimum)*(at-minimum)/2 }
	sum := 0.0
	for _, a := range minima {
		sum += (theta - a) / gain(theta, a)
	}
	if math.Abs(sum) > 1e-12 || math.Abs(theta-4.0/6) < 1e-3 {
		t.Errorf("it ends at %v, where Σ ∇F/(M − F) is %v", theta, sum)
	}
	for at := -1.0; at <= 3; at += 0.01 {
		shares := 0.0
		for _, a := range minima {
			shares += (gain(at, a) - gain(theta, a)) / gain(theta, a)
		}
		if shares > 1e-12 {
			t.Fatalf("from %v to %v gains rise by shares that sum to %v", theta, at, shares)
		}
	}
}

// PropFair has the same bits with any number of workers and after a resume.
func TestPropFairIsExact(t *testing.T) {
	c := stepping(3, pick("propfair", "epochs", int64(2), "batch", int64(2), "lr", 0.02), pick("fedavg"),
		pick("all"))
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, v := range contract.Cell(&s, engine.Options{}) {
		t.Error(v)
	}
}
