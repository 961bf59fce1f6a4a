package engine_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// chosen is an enrolment of the clients that are said to be, with the chances that are said.
type chosen struct {
	in      []bool
	chances []float64 // nil: it states none
}

func (c chosen) Enroll(e *fl.EnrollmentInput) []bool {
	copy(e.Probability, c.chances)
	return c.in
}

// lottery is an enrolment: client i enrols with probability (i + 2)/(N + 2), which it states.
type lottery struct{}

func (lottery) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		e.Probability[i] = float64(i+2) / float64(e.Roster.N+2)
		in[i] = e.RNG.Float64() < e.Probability[i]
	}
	return in
}

// some are the enrolled of a world of six: 1, 2 and 4.
func some() []bool { return []bool{false, true, true, false, true, false} }

// half are chances that do not decide anything.
func half() []float64 { return slices.Repeat([]float64{.5}, 6) }

// census is a source of six clients: client i has i + 1 rows, which have covariates.
type census struct{ cloud }

func (c census) Shape() fl.Shape {
	return fl.Shape{Features: c.features, Owned: true, Covariates: []string{"age", "town"}}
}

func (c census) Load(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
	d := &fl.Dataset{Shape: c.Shape()}
	for i := range l.Clients {
		for k := range i + 1 {
			d.Owner, d.Target = append(d.Owner, i), append(d.Target, l.RNG.NormFloat64())
			for range c.features {
				d.X.Data = append(d.X.Data, l.RNG.NormFloat64())
			}
			// Ages of a client lie evenly about 10i; the town of one is the same for all rows.
			age := 10*float64(i) + float64(k) - float64(i)/2
			d.Covariates.Data = append(d.Covariates.Data, age, 0.1*float64(i%3))
		}
	}
	n := len(d.Owner)
	d.X.Rows, d.X.Cols, d.Covariates.Rows, d.Covariates.Cols = n, c.features, n, 2
	return d, nil, nil
}

// tilted is an importance: pᵢ ∝ i + 1.
type tilted struct{}

func (tilted) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range p {
		p[i] = 2 * float64(i+1) / float64(pop.N*(pop.N+1))
	}
	return p
}

// counted is a toy whose clients have covariates.
func counted(e fl.Enrollment) *engine.Setup {
	s := toy()
	s.Source, s.Importance, s.Enrollment = census{cloud{0, 3}}, tilted{}, e
	return s
}

func prepared(t *testing.T, s *engine.Setup) *engine.World {
	t.Helper()
	w, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A client's covariates are the means over its rows; where all of them say the same, exactly
// that.
func TestCovariatesAreMeans(t *testing.T) {
	x := prepared(t, counted(nil)).Environment.Covariates
	if x.Rows != 6 || x.Cols != 2 {
		t.Fatalf("%d×%d covariates", x.Rows, x.Cols)
	}
	for i := range x.Rows {
		if age := x.Row(i)[0]; math.Abs(age-10*float64(i)) > 1e-13 {
			t.Errorf("client %d: mean age %v, want %d", i, age, 10*i)
		}
		if town := x.Row(i)[1]; town != 0.1*float64(i%3) {
			t.Errorf("client %d: town %v, want %v to the bit", i, town, 0.1*float64(i%3))
		}
	}
	if none := prepared(t, toy()).Environment.Covariates; none.Rows != 0 || none.Cols != 0 {
		t.Errorf("%d×%d covariates of data without", none.Rows, none.Cols)
	}
}

// What the server knows is what is disclosed. Nature knows everything, and no moments.
func TestDisclosure(t *testing.T) {
	for _, c := range []struct {
		disclosure        fl.Disclosure
		everyone          bool
		moments, outsider bool // whether the server knows them
	}{
		{"", false, false, false}, {fl.DiscloseNone, false, false, false},
		{fl.DiscloseAggregate, false, true, false}, {fl.DiscloseFull, false, true, true},
		{fl.DiscloseNone, true, false, true}, {fl.DiscloseAggregate, true, true, true},
	} {
		s := counted(chosen{some(), half()})
		if c.everyone {
			s.Enrollment = nil
		}
		s.Disclosure = c.disclosure
		w := prepared(t, s)
		for i := range 6 {
			truth, seen := w.Environment.Covariates.Row(i), w.Roster.Covariates.Row(i)
			if !truth.Finite() {
				t.Fatalf("nature does not know client %d", i)
			}
			if known := c.outsider || some()[i]; known != slices.Equal(truth, seen) ||
				!known && !(math.IsNaN(seen[0]) && math.IsNaN(seen[1])) {
				t.Errorf("%q: the server sees %v of client %d", c.disclosure, seen, i)
			}
		}
		if w.Environment.Moments != nil || (w.Roster.Moments != nil) != c.moments {
			t.Errorf("%q: moments %v", c.disclosure, w.Roster.Moments)
		}
		if c.moments { // Σ pᵢ·10i, p = (1, …, 6)/21
			if m := w.Roster.Moments[0]; math.Abs(m-10*70./21) > 1e-12 {
				t.Errorf("%q: mean age %v, want %v", c.disclosure, m, 10*70./21)
			}
			square, above := w.Roster.Products.Row(0)[0], w.Roster.Above[0]
			if math.Abs(square-28000./21) > 1e-9 || math.Abs(above-11./21) > 1e-12 {
				t.Errorf("%q: mean square of age %v, want %v; above the mean %v, want %v",
					c.disclosure, square, 28000./21, above, 11./21)
			}
		}
		if slices.Equal(w.Roster.Enrolled, some()) == c.everyone || w.Roster.Enrolment() != 3 && !c.everyone {
			t.Errorf("%q: enrolled %v", c.disclosure, w.Roster.Enrolled)
		}
	}
}

func TestEnrolmentIsChecked(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		in      []bool
		chances []float64
		want    string // nothing: it is right
	}{
		{some(), nil, ""}, {some(), half(), ""}, {some(), []float64{0, 1, .5, .2, nan, .3}, ""},
		{make([]bool, 5), nil, "enrollment: 5 answers for 6 clients"},
		{nil, nil, "enrollment: 0 answers for 6 clients"},
		{make([]bool, 6), nil, "enrollment: no client is enrolled"},
		{some(), []float64{0, 0, .5, .5, .5, .5},
			"enrollment: client 1 is enrolled: true, its probability is 0"},
		{some(), []float64{1, .5, .5, .5, .5, .5},
			"enrollment: client 0 is enrolled: false, its probability is 1"},
		{some(), []float64{.5, .5, 1.5, .5, .5, .5},
			"enrollment: client 2 is enrolled: true, its probability is 1.5"},
		{some(), []float64{.5, .5, .5, -.5, .5, .5},
			"enrollment: client 3 is enrolled: false, its probability is -0.5"},
	} {
		got := ""
		w, err := engine.Prepare(counted(chosen{c.in, c.chances}), engine.Options{})
		if err != nil {
			got = err.Error()
		} else if c.chances == nil && !math.IsNaN(w.EnrollmentProbability[3]) {
			t.Errorf("the chances %v were not stated", w.EnrollmentProbability)
		}
		if got != c.want {
			t.Errorf("%v of %v: error %q, want %q", c.in, c.chances, got, c.want)
		}
	}
	all := slices.Repeat([]bool{true}, 6)
	w := prepared(t, counted(chosen{all, nil}))
	if w.Environment.Enrolled != nil || w.Roster.Enrolment() != 6 {
		t.Error("that everyone enrolled is nil")
	}
	if w := prepared(t, counted(nil)); slices.ContainsFunc(w.EnrollmentProbability, func(e float64) bool { return e != 1 }) {
		t.Errorf("without enrolment the chances are %v", w.EnrollmentProbability)
	}
}

// A client that cannot participate though it counts is named, the first five of them.
func TestNotesOfEnrolment(t *testing.T) {
	never := []float64{0, .5, .5, 0, .5, 0}
	for _, c := range []struct {
		enrolment fl.Enrollment
		nature    fl.Availability
		law       bool
		want      []string
	}{
		{nil, everyone{}, true, nil},
		{chosen{some(), half()}, everyone{}, true, []string{"3 of 6 clients are enrolled"}},
		{chosen{some(), never}, everyone{}, false, []string{"3 of 6 clients are enrolled",
			"3 clients (0, 3, 5) cannot participate, with a share 0.524 of p"}}, // 11/21
		{nil, listed{{0}, {0, 5}}, true, []string{
			"4 clients (1, 2, 3, 4) cannot participate, with a share 0.667 of p"}},
		{nil, listed{{0}, {0, 5}}, false, nil}, // no method asked for the law
		{chosen{some(), never}, listed{{0}, {1, 5}}, true, []string{
			"8 of 12 rounds were empty", "3 of 6 clients are enrolled",
			"5 clients (0, 2, 3, 4, 5) cannot participate, with a share 0.905 of p"}},
		{nil, listed{{5}}, true, []string{"5 clients (0, 1, 2, 3, 4) cannot participate"}},
		{chosen{[]bool{5: true}, []float64{5: .5}}, listed{{0}}, true, []string{
			"12 of 12 rounds were empty", "1 of 6 clients are enrolled",
			"6 clients (0, 1, 2, 3, 4, …) cannot participate, with a share 1 of p"}},
	} {
		s := counted(c.enrolment)
		s.Availability, s.Law, s.Aggregator = c.nature, c.law, plain{}
		notes := run(t, s, engine.Options{}).Notes
		for k := range max(len(notes), len(c.want)) {
			if k >= len(notes) || k >= len(c.want) || !strings.HasPrefix(notes[k], c.want[k]) {
				t.Errorf("%v: notes %q, want %q", c.nature, notes, c.want)
				break
			}
		}
	}
}

// No client that is not enrolled is ever shown to a selection, or in a cohort.
func TestOnlyTheEnrolledCome(t *testing.T) {
	for name, nature := range map[string]fl.Availability{
		"everyone": everyone{}, "coin": coin{}, "listed": listed{{0, 1}, {3}, {0, 2, 4, 5}, {0, 1, 2, 3, 4, 5}},
	} {
		for _, server := range []fl.Selection{takeAll{}, takeOne{}} {
			s := counted(chosen{some(), half()})
			s.Availability, s.Selection, s.Rounds = nature, watched{server, t}, 60
			seen := map[int]bool{}
			s.Aggregator = onlooker{func(r *fl.Round) {
				for _, i := range r.Cohort() {
					if seen[i] = true; !some()[i] {
						t.Errorf("%s: client %d came", name, i)
					}
				}
			}}
			run(t, s, engine.Options{})
			if len(seen) != 3 {
				t.Errorf("%s: only %v came", name, seen)
			}
		}
	}
	s := counted(chosen{some(), half()})
	s.Selection = outsider{}
	if _, err := engine.Run(context.Background(), s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "selection returned client 3, which is not available") {
		t.Errorf("a client that is not enrolled was selected: %v", err)
	}
}

// watched is a selection whose arguments are looked at.
type watched struct {
	fl.Selection
	t *testing.T
}

func (w watched) Select(d *fl.SelectionInput) []int {
	for _, i := range d.Available {
		if !some()[i] {
			w.t.Errorf("client %d is shown to the selection", i)
		}
	}
	return w.Selection.Select(d)
}

// outsider selects client 3, which is not enrolled.
type outsider struct{ takeAll }

func (outsider) Select(d *fl.SelectionInput) []int { return append(d.Room(1), 3) }

// onlooker is an aggregator that looks on and takes the mean of the cohort.
type onlooker struct{ look func(r *fl.Round) }

func (o onlooker) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w, err := o.Weights(r)
	return fl.Outcome{Params: r.Combine(w.By), Weights: w.By}, err
}

func (o onlooker) Weights(r *fl.Round) (fl.Weights, error) {
	o.look(r)
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return fl.Weights{By: w}, nil
}

// tested is a cloud with a test row for each client, which comes with it.
type tested struct{ cloud }

func (c tested) Shape() fl.Shape {
	return fl.Shape{Features: c.features, Owned: true, Tested: true}
}

func (c tested) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	if train, _, err = c.cloud.Load(l); err == nil {
		test, _, err = cloud{1, c.features}.Load(l)
	}
	return train, test, err
}

// cut partitions rows in their order, whichever client they belong to.
type cut struct{}

func (cut) Split(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
	rows := make([][]int, n)
	for r := range d.Len() {
		rows[r*n/d.Len()] = append(rows[r*n/d.Len()], r)
	}
	return rows, nil
}

// Test rows belong to the clients that they come with where training rows do, too.
func TestOwnersOfTestRows(t *testing.T) {
	s := toy()
	s.Source = tested{cloud{4, 3}}
	if got := prepared(t, s).Population.TestStart; !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("test rows begin at %v", got)
	}
	s.Partition = cut{}
	if pop := prepared(t, s).Population; pop.TestStart != nil || pop.Test.Len() != 6 {
		t.Errorf("dealt anew, test rows begin at %v", pop.TestStart)
	}
}

// candid is an availability that says how likely it is that clients are there: client 1 never
// is, client 2 only in even rounds, client 3 from the fourth round on.
type candid struct{}

func (candid) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }

func (candid) Available(r *fl.AvailabilityInput) []int {
	r.Inclusion = make(fl.Vector, r.Roster.N)
	ids := r.Room(r.Roster.N)
	for i := range r.Inclusion {
		if i != 1 && (i != 2 || r.T%2 == 1) && (i != 3 || r.T > 3) {
			r.Inclusion[i] = 0.5
			if r.RNG.Float64() < 0.5 {
				ids = append(ids, i)
			}
		}
	}
	return ids
}

// A client without a chance in any round is named, whether or not the run was stopped in between.
func TestThoseWithoutAChanceAreNamed(t *testing.T) {
	s := counted(nil)
	s.Availability, s.Law, s.Aggregator = candid{}, false, plain{}
	want := run(t, s, engine.Options{}).Notes
	if len(want) == 0 || !strings.HasPrefix(want[len(want)-1], "1 client (1) cannot participate, with a share") {
		t.Errorf("notes %q", want)
	}
	resumes(t, func() *engine.Setup { return s })
}
