// Package trial tries strategies as the compiler makes them: it builds components and makes up
// rounds for the tests of samples.
package trial

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
	"github.com/hansa-fl/hansa/registry"
)

// Values are what an experiment gives for parameters.
type Values = map[string]any

// Build builds the component that an entry describes.
func Build[T any](t testing.TB, e fl.Entry[T], given Values) T {
	t.Helper()
	return BuildOf(t, new(registry.Registry), e, given)
}

// BuildOf is Build for a component with others in it, which a registry has.
func BuildOf[T any](t testing.TB, r *registry.Registry, e fl.Entry[T], given Values) T {
	t.Helper()
	c, problems := attempt(t, r, e, given)
	if len(problems) > 0 {
		t.Fatalf("%s %v: %v", e.Name, given, problems)
	}
	return c
}

// Refused returns what is said of the first of the parameters that are wrong.
func Refused[T any](t testing.TB, e fl.Entry[T], given Values) string {
	t.Helper()
	_, problems := attempt(t, new(registry.Registry), e, given)
	if len(problems) == 0 {
		t.Fatalf("%s takes %v", e.Name, given)
	}
	return problems[0].Message
}

func attempt[T any](
	t testing.TB, r *registry.Registry, e fl.Entry[T], given Values,
) (T, []fl.Problem) {
	t.Helper()
	p := r.Params(given, fl.Setting{Clients: 10, Rounds: 10})
	c, err := e.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c, p.Finish()
}

// Random returns a source of randomness.
func Random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// Point returns a point around a center, and far from it when scale is large.
func Point(rng *rand.Rand, center fl.Vector, scale float64) fl.Vector {
	v := center.Clone()
	for i := range v {
		v[i] += scale * rng.NormFloat64()
	}
	return v
}

// Round returns a round from θᵗ⁻¹ in which clients 0, 1, … return these models. Client k has
// k + 1 samples.
func Round(global fl.Vector, models ...fl.Vector) *fl.Round {
	r := &fl.Round{Global: global, Roster: &fl.Roster{N: len(models)}, State: fl.NewStore(),
		Shared: fl.NewStore(), Notes: new(fl.Notes), RNG: Random(1)}
	for k, m := range models {
		r.Updates = append(r.Updates, fl.Update{Client: k, Samples: k + 1, Steps: 1, Params: m})
		r.Roster.Samples = append(r.Roster.Samples, k+1)
		r.Roster.Importance = append(r.Roster.Importance, 1/float64(len(models)))
	}
	return r
}

// Cohort returns a round of n clients that return models around θᵗ⁻¹, which has d elements.
func Cohort(rng *rand.Rand, n, d int) *fl.Round {
	global := Point(rng, make(fl.Vector, d), 1)
	models := make([]fl.Vector, n)
	for k := range models {
		models[k] = Point(rng, global, 1)
	}
	return Round(global, models...)
}

// Next returns θᵗ.
func Next(t testing.TB, a fl.Aggregator, r *fl.Round) fl.Vector {
	t.Helper()
	r.Recycle()
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out.Params.Clone()
}

// Mean returns the mean of the models of a round, weighted by samples as FedAvg does, or not.
func Mean(r *fl.Round, bySamples bool) fl.Vector {
	mean, sum := make(fl.Vector, len(r.Global)), 0.0
	for _, u := range r.Updates {
		w := 1.0
		if bySamples {
			w = float64(u.Samples)
		}
		mean.AddScaled(w, u.Params)
		sum += w
	}
	mean.Scale(1 / sum)
	return mean
}

// Near fails unless two vectors are equal to rounding, in relation to their size.
func Near(t testing.TB, what string, got, want fl.Vector) {
	t.Helper()
	if d := got.Distance(want); len(got) != len(want) || !(d <= 1e-9*math.Max(1, want.Norm())) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}
