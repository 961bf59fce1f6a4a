package availability_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/importance"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// A nature is an availability model in a population, ready to be drawn from round by round.
type nature struct {
	fl.Availability
	reach   fl.AvailabilityInput
	state   *ledger
	source  *counted
	drawing *rand.Rand
}

// A ledger is a State that knows how many floats it holds.
type ledger struct {
	*fl.Store
	sizes map[string]int
}

func (l *ledger) Vector(name string, n int) fl.Vector {
	if l.sizes[name] != n { // looking costs nothing, writing may allocate
		l.sizes[name] = n
	}
	return l.Store.Vector(name, n)
}

func (l *ledger) floats() int {
	sum := 0
	for _, n := range l.sizes {
		sum += n
	}
	return sum
}

// counted is a source of randomness that counts how often it is drawn from.
type counted struct {
	rand.PCG
	draws int
}

func (c *counted) Uint64() uint64 {
	c.draws++
	return c.PCG.Uint64()
}

// open builds an availability model from what an experiment would say, for n clients.
func open(t testing.TB, e fl.AvailabilityEntry, given map[string]any, n int) *nature {
	t.Helper()
	var r registry.Registry
	err := r.Importances.Add(importance.Uniform, importance.Linear, importance.Power, importance.List)
	if err != nil {
		t.Fatal(err)
	}
	in := fl.Setting{Clients: n, Shape: fl.Shape{Covariates: []string{"age", "income"}}}
	p := r.Params(given, in)
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s %v: %v, %v", e.Name, given, err, problems)
	}
	x := &nature{Availability: a, source: new(counted)}
	x.state = &ledger{fl.NewStore(), map[string]int{}}
	x.reach = fl.AvailabilityInput{Roster: &fl.Roster{N: n}, State: x.state}
	x.reach.Fixed = fl.NewStream(20260101, "fixed").Rand
	x.reach.Roster.Covariates = fl.NewMatrix(n, 2)
	for k := range x.reach.Roster.Covariates.Data {
		x.reach.Roster.Covariates.Data[k] = math.Sin(float64(k * k))
	}
	x.drawing = rand.New(x.source)
	return x
}

// round returns the clients available in round t. The result lives until the next round.
func (x *nature) round(t int) []int {
	x.reach.Recycle()
	x.reach.Context, x.reach.Inclusion = fl.Matrix{}, nil
	x.source.Seed(uint64(t), 20260101)
	x.reach.T, x.reach.RNG = t, x.drawing
	return x.Available(&x.reach)
}

// enrol enrols every third client only.
func (x *nature) enrol() {
	x.reach.Roster.Enrolled = make([]bool, x.reach.Roster.N)
	for i := range x.reach.Roster.Enrolled {
		x.reach.Roster.Enrolled[i] = i%3 == 0
	}
}

// law returns the law that the model states.
func (x *nature) law(t *testing.T) fl.Law {
	t.Helper()
	law, ok := x.Law(x.reach.Roster)
	if !ok {
		t.Fatal("it states no law")
	}
	if !law.Exact || law.Draws != 0 {
		t.Errorf("the law is not exact, or claims %d draws", law.Draws)
	}
	return law
}

// subset are the parameters of k-subset with a listed prior.
func subset(design string, k int, prior fl.Vector) map[string]any {
	return map[string]any{"design": design, "k": int64(k), "prior": listed(prior)}
}

// listed is a prior as an experiment writes it down.
func listed(prior fl.Vector) map[string]any {
	var weights []any
	for _, x := range prior {
		weights = append(weights, x)
	}
	return map[string]any{"name": "list", "weights": weights}
}

// rising is the prior r ∝ 1 … n.
func rising() map[string]any {
	return map[string]any{"name": "linear", "direction": "increasing"}
}

// near reports whether every element of got is within tol of want, relative to it.
func near(got, want fl.Vector, tol float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tol*math.Abs(w)) {
			return false
		}
	}
	return true
}

// designs are the two ways to draw K clients.
func designs() []string { return []string{"successive", "distinct"} }

// All clients participate, and the law says so.
//
//hansa:verifies theorem availability/always
func TestAlways(t *testing.T) {
	x := open(t, availability.Always, nil, 4)
	if got := x.round(3); !near(indicator(got, 4), fl.Vector{1, 1, 1, 1}, 0) || len(got) != 4 {
		t.Errorf("%v are available", got)
	}
	if !x.law(t).Everyone || x.source.draws != 0 {
		t.Errorf("everyone = %t after %d draws", x.law(t).Everyone, x.source.draws)
	}
}

// indicator counts how often each of n clients is in a cohort.
func indicator(cohort []int, n int) fl.Vector {
	v := make(fl.Vector, n)
	for _, i := range cohort {
		v[i]++
	}
	return v
}
