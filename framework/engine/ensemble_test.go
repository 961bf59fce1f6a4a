package engine_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// copies is a model of k means, which all have the same to learn.
type copies struct {
	mean
	k int
}

func (m copies) For(in fl.Shape) (fl.Model, error) { return copies{mean{in.Features}, m.k}, nil }
func (m copies) Worker() fl.Worker                 { return m }
func (m copies) Descend(d *fl.Descent)             { d.Follow(m) }

func (m copies) Layout() fl.Layout {
	return fl.Layout{Blocks: []fl.Block{{Name: "centers", Rows: m.k, Cols: m.d}}}
}

func (m copies) Init(rng *rand.Rand) (theta fl.Vector) {
	for range m.k {
		theta = append(theta, m.mean.Init(rng)...)
	}
	return theta
}

// Scores is the size of the last copy, whatever the rows are.
func (m copies) Scores(dst fl.Matrix, params fl.Vector, _ fl.Matrix) {
	fl.Vector(dst.Data).Fill(params[(m.k-1)*m.d:].Norm())
}

func (m copies) Loss(params fl.Vector, d *fl.Dataset) (sum float64) {
	for k := range m.k {
		sum += m.mean.Loss(params[k*m.d:(k+1)*m.d], d)
	}
	return sum
}

func (m copies) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	for k := range m.k {
		m.mean.Gradient(grad[k*m.d:(k+1)*m.d], params[k*m.d:(k+1)*m.d], d, rows)
	}
}

// several is a model of which clients draw copies of one, two or three.
type several struct{ copies }

func newSeveral(d int) several { return several{copies{mean{d}, 1}} }

func (m several) Facts() fl.ModelFacts {
	return fl.ModelFacts{Variants: []fl.Model{m.copies, copies{m.mean, 2}, copies{m.mean, 3}}}
}

// heir adopts the models of some participants, and shows the round to an observer first.
type heir struct {
	of   func(cohort []int) []int
	look func(r *fl.Round)
}

func (h heir) Aggregate(r *fl.Round) (out fl.Outcome, err error) {
	if h.look != nil {
		h.look(r)
	}
	out.Adopted = append([]int{}, h.of(r.Cohort())...)
	for _, i := range out.Adopted {
		for k := range r.Updates {
			if r.Updates[k].Client == i {
				out.Params = append(out.Params, r.Updates[k].Params...)
			}
		}
	}
	return out, nil
}

func all(cohort []int) []int   { return cohort }
func first(cohort []int) []int { return cohort[:1] }

// fused is a toy of one round in which everyone comes, with models of several sizes.
func fused(a fl.Aggregator) *engine.Setup {
	s := toy()
	s.Rounds, s.Every, s.Availability, s.Selection = 1, 1, everyone{}, takeAll{}
	s.Model, s.Aggregator = newSeveral(3), a
	return s
}

// Clients keep the model they drew; its initial parameters are those of all clients with such
// a model, or of no other client.
func TestClientsWithModelsOfTheirOwn(t *testing.T) {
	for _, apart := range []bool{false, true} {
		starts := map[int][]float64{} // by number of parameters: the first element of each client
		s := fused(heir{first, func(r *fl.Round) {
			for k := range r.Updates {
				n := len(r.Updates[k].Params)
				if n != r.ModelOf(k).Layout().Len() {
					t.Errorf("%d parameters of %d", n, r.ModelOf(k).Layout().Len())
				}
				starts[n] = append(starts[n], r.Updates[k].Params[0])
			}
		}})
		s.Clients, s.Local, s.Apart = 30, still{}, apart
		result := run(t, s, engine.Options{})
		if len(starts) != 3 {
			t.Errorf("models of %d sizes", len(starts))
		}
		for n, of := range starts {
			for _, x := range of[1:] {
				if (x == of[0]) == apart {
					t.Errorf("independent: %t; clients with %d parameters start from %v", apart, n, of)
					break
				}
			}
		}
		if want := 3 * (1 + 1 + 1); result.Parameters > want {
			t.Errorf("%d parameters", result.Parameters)
		}
	}
}

// still is a local rule that returns what it got.
type still struct{}

func (still) Run(t *fl.Task) (fl.Update, error) { return fl.Update{Params: t.Params}, nil }

// Of an ensemble the score is the mean of the scores, and its loss that of them.
func TestEnsemble(t *testing.T) {
	s := fused(heir{of: all})
	n := 0
	s.Aggregator = heir{all, func(r *fl.Round) {
		for k := range r.Updates {
			n += len(r.Updates[k].Params)
		}
	}}
	if got := run(t, s, engine.Options{}).Parameters; got != n {
		t.Errorf("%d parameters, the clients' are %d", got, n)
	}
	s.Rounds = 2
	_, err := engine.Run(context.Background(), s, engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "an ensemble cannot be trained") {
		t.Errorf("a second round: %v", err)
	}
}

// What cannot be adopted is an error, and so is training on when models differ.
func TestHeirsThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		of   func([]int) []int
		want string
	}{
		"none":     {func([]int) []int { return []int{} }, "adopted no model"},
		"stranger": {func([]int) []int { return []int{77} }, "client 77, which is not in the cohort"},
	} {
		_, err := engine.Run(context.Background(), fused(heir{of: c.of}), engine.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := fused(heir{of: first})
	s.Clients, s.Rounds = 30, 2
	_, err := engine.Run(context.Background(), s, engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "has another model than the global one") {
		t.Errorf("a second round of several models: %v", err)
	}
}

// A cell whose model was adopted resumes with the bits of running on, averages included.
func TestResumingHeirs(t *testing.T) {
	s := toy()
	s.Model, s.Aggregator = copies{mean{3}, 2}, heir{of: first}
	resumes(t, func() *engine.Setup { return s })
}

// The server's samples are a share of each class, and no client's.
func TestHeldSamples(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.5} {
		s := toy()
		s.Held = share
		w, err := engine.Prepare(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plain := toy()
		all, err := engine.Prepare(plain, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, held := all.Population.Train.Len(), 0
		if w.Population.Held != nil {
			held = w.Population.Held.Len()
		}
		if held != int(math.Round(share*float64(n))) || held+w.Population.Train.Len() != n {
			t.Errorf("share %v: %d held, %d dealt of %d", share, held, w.Population.Train.Len(), n)
		}
		sum := 0.0
		for _, d := range []*fl.Dataset{w.Population.Held, w.Population.Train} {
			if d != nil {
				sum += fl.Vector(d.X.Data).Sum()
			}
		}
		if want := fl.Vector(all.Population.Train.X.Data).Sum(); math.Abs(sum-want) > 1e-9 {
			t.Errorf("share %v: rows sum to %v, all to %v", share, sum, want)
		}
	}
}
