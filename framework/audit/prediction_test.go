package audit_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// leastSquares returns the minimiser of Σ wᵢ fᵢ over the rows of a population, by QR.
func leastSquares(t *testing.T, pop *fl.Population, w fl.Vector) fl.Vector {
	t.Helper()
	d := pop.Train
	x, y := mat.NewDense(d.Len(), d.X.Cols, nil), mat.NewVecDense(d.Len(), nil)
	for i, weight := range w {
		root := math.Sqrt(weight / float64(pop.Start[i+1]-pop.Start[i]))
		for r := pop.Start[i]; r < pop.Start[i+1]; r++ {
			for k, v := range d.X.Row(r) {
				x.Set(r, k, root*v)
			}
			y.SetVec(r, root*d.Target[r])
		}
	}
	var theta mat.VecDense
	if err := theta.SolveVec(x, y); err != nil {
		t.Fatal(err)
	}
	return theta.RawVector().Data
}

// objective returns Σ pᵢ fᵢ(θ), fᵢ the mean of (⟨θ, x⟩ − y)² over the rows of client i.
func objective(pop *fl.Population, p, theta fl.Vector) float64 {
	sum := 0.0
	for i, weight := range p {
		for r := pop.Start[i]; r < pop.Start[i+1]; r++ {
			away := theta.Dot(pop.Train.X.Row(r)) - pop.Train.Target[r]
			sum += weight * away * away / float64(pop.Start[i+1]-pop.Start[i])
		}
	}
	return sum
}

// The floor is F(θ_p̃) − F(θ_p): the objective at the least-squares solution for p̃ above
// that for p.
func TestFloorIsTheObjectiveAtTheOptimumOfWhatIsRealised(t *testing.T) {
	const setting = "partition = \"unequal\"\n"
	for _, lines := range []string{
		`aggregator = { weights = "uniform" }`, `aggregator = { weights = "self-normalised" }`,
		`aggregator = { weights = "scaled" }`, `aggregator = { weights = "ht" }`,
		`aggregator = "fedavot"`, `aggregator = { name = "fedavot", on_infeasible = "nearest" }`,
	} {
		f := examine(t, setting+lines+"\n")
		_, w := world(t, setting+lines+"\n")
		p := w.Roster.Importance
		best := leastSquares(t, w.Population, p)
		other := leastSquares(t, w.Population, f.Effective.P)
		least, floor := objective(w.Population, p, best), objective(w.Population, p, other)
		floor -= least
		got := f.Prediction
		if got == nil {
			t.Fatalf("%s: nothing is predicted: %s", lines, f.Why)
		}
		if math.Abs(got.Optimum-least) > 1e-10*least || math.Abs(got.Floor-floor) > 1e-10*least {
			t.Errorf("%s: F* = %v, want %v; floor %v, want %v", lines, got.Optimum, least, got.Floor, floor)
		}
		if unbiased := strings.Contains(lines, `"ht"`); unbiased != (floor < 1e-9*least) {
			t.Errorf("%s: the example is too easy: floor %v of %v", lines, floor, least)
		}
	}
}

// settles runs base with some lines added and returns F(θ̄) − F* of the mean of the models
// of the second half of many rounds.
func settles(t *testing.T, lines string) float64 {
	t.Helper()
	_, s := compose(t, lines+"rounds = 60_000\n")
	var late lateMean
	late.Aggregator, late.from = s.Aggregator, s.Rounds/2
	s.Aggregator, s.Every, s.Measures = &late, s.Rounds, nil
	if _, err := engine.Run(context.Background(), s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	_, w := world(t, lines)
	best, err := engine.Optimum(s, engine.Options{}, w)
	if err != nil {
		t.Fatal(err)
	}
	late.sum.Scale(1 / float64(late.rounds))
	return best.Gap(late.sum)
}

// lateMean is an aggregator that adds up the models it makes from some round on.
type lateMean struct {
	fl.Aggregator
	from, rounds int
	sum          fl.Vector
}

func (l *lateMean) Aggregate(r *fl.Round) (fl.Outcome, error) {
	out, err := l.Aggregator.Aggregate(r)
	if err == nil && r.T >= l.from {
		if l.sum == nil {
			l.sum = make(fl.Vector, len(out.Params))
		}
		l.sum.AddScaled(1, out.Params)
		l.rounds++
	}
	return out, err
}

// Theorem: one small step of every client of the cohort is a stochastic gradient step on
// Σ p̃ᵢ fᵢ, so the mean of late iterates lands at the predicted floor, and not elsewhere.
func TestTrainingLandsOnThePrediction(t *testing.T) {
	for _, weights := range []string{"uniform", "self-normalised"} {
		lines := `aggregator = { weights = "` + weights + "\" }\n"
		floor := examine(t, lines).Prediction.Floor
		if got := settles(t, lines); math.Abs(got-floor) > 0.02*floor {
			t.Errorf("%s: training settles %v above F*, the audit predicts %v", weights, got, floor)
		}
	}
	uniform := examine(t, `aggregator = { weights = "uniform" }`+"\n").Prediction.Floor
	if got := settles(t, `aggregator = { weights = "ht" }`+"\n"); got > 0.01*uniform {
		t.Errorf("ht: training settles %v above F*, but it realises p", got)
	}
}

// A model whose optimum only Newton's method finds is predicted, too; one without an
// optimum is not, and the finding says so.
func TestPredictionsOfClassification(t *testing.T) {
	const setting = "dataset = \"two-classes\"\nmodel = { name = \"softmax\", l2 = 0.05 }\n" +
		`aggregator = { weights = "uniform" }` + "\n"
	f := examine(t, setting)
	if f.Prediction == nil || f.Prediction.Optimum <= 0 || f.Prediction.Floor <= 1e-6 {
		t.Fatalf("%+v: %s", f.Prediction, f.Why)
	}
	_, s := compose(t, setting)
	_, w := world(t, setting)
	k := s.Model.Worker()
	value := func(weights fl.Vector) float64 {
		best, err := s.Model.Facts().Solve(w.Population, weights)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, p := range w.Roster.Importance {
			c := w.Population.Client(i)
			sum += p * k.Loss(best.Params, &c.Data)
		}
		return sum
	}
	least := value(w.Roster.Importance)
	want := fl.Vector{least, value(f.Effective.P) - least}
	if !within(fl.Vector{f.Prediction.Optimum, f.Prediction.Floor}, want, 1e-12) {
		t.Errorf("%+v, want %v", f.Prediction, want)
	}
	f = examine(t, strings.Replace(setting, "0.05", "0", 1))
	if f.Prediction != nil || f.Why != "the optimum of this model cannot be computed" {
		t.Errorf("%+v: %s", f.Prediction, f.Why)
	}
	if f.Effective == nil || f.TV == 0 {
		t.Errorf("no weights without a prediction: %+v", f.Effective)
	}
}
