package contract

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// A citizen violates one requirement and meets all others.
type citizen[T any] struct {
	breaks string
	found  string // part of what is to be found
	entry  fl.Entry[T]
}

// made is a citizen without parameters; build is called for every instance.
func made[T any](breaks, found string, build func() T) citizen[T] {
	return citizen[T]{breaks, found, fl.Entry[T]{New: func(*fl.Params) (T, error) {
		return build(), nil
	}}}
}

func known() map[string]bool { return map[string]bool{"known2024": true} }

// examined returns what is wrong with one entry, among entries that are not at fault.
func examined[T any](t *testing.T, x exam[T], e fl.Entry[T]) []Violation {
	t.Helper()
	r := menu(t)
	if e.Name == "" {
		e.Name = "citizen"
	}
	if e.Summary == "" {
		e.Summary = "violates a requirement"
	}
	if err := x.of.Table(r).Add(e); err != nil {
		t.Fatal(err)
	}
	return Examine(r, Options{Papers: known(), Folders: []string{t.TempDir()},
		Only: func(kind, name string) bool { return kind == x.of.Name && name == e.Name }})
}

// catches examines every citizen, which must violate the requirement it is to violate and no other,
// and wants one for each of the checks.
func catches[T any](t *testing.T, x exam[T], checks []check[*subject[T]], citizens []citizen[T]) {
	caught := map[string]bool{}
	for _, c := range citizens {
		caught[c.breaks] = true
		t.Run(c.breaks+"/"+c.found, func(t *testing.T) {
			all := examined(t, x, c.entry)
			if len(all) != 1 || all[0].Check != c.breaks || !strings.Contains(all[0].Found, c.found) {
				t.Errorf("want %s: …%s…, and nothing else", c.breaks, c.found)
				for _, v := range all {
					t.Log(v)
				}
			}
		})
	}
	for _, c := range checks {
		if !caught[c.name] {
			t.Errorf("no citizen breaks %s: it may be unable to fail", c.name)
		}
	}
}

// Functions as components.
type (
	aggregate  func(r *fl.Round) (fl.Vector, error)
	weigh      func(r *fl.Round) (fl.Weights, error)
	move       func(r *fl.Round, sum fl.Vector)
	localRule  func(t *fl.Task) (fl.Update, error)
	importance func(pop *fl.Roster) fl.Vector
	dealer     func(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error)

	availability struct {
		available func(r *fl.AvailabilityInput) []int
		law       func(pop *fl.Roster) (fl.Law, bool)
	}
	selection struct {
		choose func(d *fl.SelectionInput) []int
		law    func(pop *fl.Roster, available []int) (fl.Law, bool)
	}
	source struct {
		shape fl.Shape
		load  func(l *fl.LoadInput) (train, test *fl.Dataset, err error)
	}
	metric struct {
		measure func(s *fl.Snapshot) (float64, error)
		unit    string
		higher  bool
	}
)

func (f aggregate) Aggregate(r *fl.Round) (fl.Outcome, error) {
	next, err := f(r)
	return fl.Outcome{Params: next}, err
}
func (f weigh) Weights(r *fl.Round) (fl.Weights, error) { return f(r) }
func (f move) Step(r *fl.Round, sum fl.Vector) (fl.Outcome, error) {
	f(r, sum)
	return fl.Outcome{Params: sum}, nil
}

func (f localRule) Run(t *fl.Task) (fl.Update, error) { return f(t) }
func (f importance) Weights(pop *fl.Roster) fl.Vector { return f(pop) }

func (f dealer) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) { return f(d, n, rng) }

func (a availability) Available(r *fl.AvailabilityInput) []int { return a.available(r) }
func (a availability) Law(pop *fl.Roster) (fl.Law, bool)       { return a.law(pop) }
func (c selection) Select(d *fl.SelectionInput) []int          { return c.choose(d) }
func (c selection) Law(p *fl.Roster, a []int) (fl.Law, bool)   { return c.law(p, a) }

func (s source) Shape() fl.Shape { return s.shape }

func (s source) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) { return s.load(l) }

func (m metric) Measure(s *fl.Snapshot) (float64, error) { return m.measure(s) }
func (m metric) Unit() string                            { return m.unit }
func (m metric) Higher() bool                            { return m.higher }

// menu returns a registry of components that meet every requirement.
func menu(t *testing.T) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	for _, err := range []error{
		r.Sources.Add(cloud, lost), r.Partitioners.Add(turns, cards), r.Preprocessors.Add(center, hint),
		r.Importances.Add(even, bySamples, written6), r.Models.Add(straight),
		r.LocalRules.Add(descent, tally), r.Optimizers.Add(heavy), r.Enrollments.Add(lottery), r.Availability.Add(coins, pairs, shy),
		r.Selections.Add(few, everybody), r.Completions.Add(tiring, late),
		r.Compressors.Add(thin, coarse), r.Adversaries.Add(reverse, slide, smudge), r.Guards.Add(shrink, drawn), r.Aggregators.Add(momentum, horvitz, gathered),
		r.Metrics.Add(objective, accuracy, excess, sent("sent", "B"), sent("numbers", "floats")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// crowding notes when it is entered twice at once, without a data race.
type crowding struct{ inside atomic.Int32 }

// enter waits a while for company, and reports whether there was some.
func (c *crowding) enter(wait func()) bool {
	defer c.inside.Add(-1)
	company := c.inside.Add(1) > 1
	for range 200 {
		company = company || c.inside.Load() > 1
		wait()
	}
	return company
}

func TestGoodCitizens(t *testing.T) {
	for _, v := range Examine(menu(t), Options{Papers: known()}) {
		t.Error(v)
	}
}

// TestSeeds examines the same citizens with other toys and draws.
func TestSeeds(t *testing.T) {
	for seed := range uint64(5) {
		for _, v := range Examine(menu(t), Options{Papers: known(), Seed: seed + 1}) {
			t.Errorf("seed %d: %v", seed+1, v)
		}
	}
}

func TestKindsAreThoseOfTheRegistry(t *testing.T) {
	var ours, theirs []string
	for _, p := range Requirements() {
		if !slices.Contains(ours, p.Kind) {
			ours = append(ours, p.Kind)
		}
	}
	for _, k := range new(registry.Registry).Kinds() {
		theirs = append(theirs, k.Name)
	}
	if theirs = append(append([]string{"entry"}, theirs...), "cell"); !slices.Equal(ours, theirs) {
		t.Errorf("requirements are about %v, want %v", ours, theirs)
	}
}

// TestRequirements holds the requirements to a form, and their names to be told apart by a waiver.
func TestRequirements(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Requirements() {
		if p.Requirement == "" || strings.HasSuffix(p.Requirement, ".") || !nameOfCheck.MatchString(p.Check) {
			t.Errorf("%+v is not well put", p)
		}
		if seen[p.Kind+p.Check] || seen["entry"+p.Check] {
			t.Errorf("%s has two checks %s", p.Kind, p.Check)
		}
		seen[p.Kind+p.Check] = true
	}
}
