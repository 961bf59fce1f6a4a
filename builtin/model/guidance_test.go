package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// nearby is a penalty on the distance of features from those beside, half its square.
type nearby struct{}

func (nearby) Penalise(in *fl.PenaltyInput) float64 {
	sum := 0.0
	for j, z := range in.Features {
		in.Grad[j] = z - in.Beside[0].Row(in.Row)[j]
		sum += in.Grad[j] * in.Grad[j] / 2
	}
	return sum
}

// teaching is guidance of a task: uniform targets at T = 2, and features pulled to 0.
func teaching(job *fl.Task) fl.Guidance {
	n, classes := job.Client.Data.Len(), shapeOf(job.Model).Classes
	g := fl.Guidance{Penalty: nearby{}, Targets: fl.SoftTargets{Temperature: 2, Weight: 0.5,
		Prob: fl.NewMatrix(n, classes)}}
	fl.Vector(g.Targets.Prob.Data).Fill(1 / float64(classes))
	g.Beside[0] = fl.NewMatrix(n, job.Worker.(fl.GuidedWorker).FeatureLen())
	return g
}

// guidedSteps makes three steps with guidance from the global model.
func guidedSteps(job *fl.Task, g fl.Guidance) fl.Vector {
	job.Recycle()
	copy(job.Params, job.Global)
	d := job.Descent()
	d.Optimizer, d.Rate, d.Steps, d.Guide = straight{}, 0.05, 3, g
	job.Worker.Descend(d)
	return job.Params
}

// straight is plain gradient descent.
type straight struct{}

func (straight) Slots() int      { return 0 }
func (straight) Rule() fl.Rule   { return fl.Rule{Form: fl.Momentum} }
func (straight) Step(s *fl.Step) { s.Params.AddScaled(-s.Rate, s.Grad) }

// Guidance of weight 0, and after it none, change no bit; guidance of some weight does.
func TestGuidanceByNothing(t *testing.T) {
	for name, m := range nets(t) {
		job := task(m)
		want := guidedSteps(job, fl.Guidance{}).Clone()
		g := teaching(job)
		if got := guidedSteps(job, g); slices.Equal(got, want) {
			t.Errorf("%s: guidance changes nothing", name)
		}
		g.Targets.Weight, g.Penalty = 0, nil
		if got := guidedSteps(job, g); !slices.Equal(got, want) {
			t.Errorf("%s: guidance of weight 0 changes something", name)
		}
	}
}

func TestGuidedStepsAllocateNothing(t *testing.T) {
	for name, m := range nets(t) {
		job := task(m)
		g := teaching(job)
		guidedSteps(job, g)
		if n := testing.AllocsPerRun(5, func() { guidedSteps(job, g) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// A student that is its own teacher has nothing to learn: the soft part of the loss is 0, and so is
// its gradient. What is left is 1 − w of the loss by labels.
func TestOwnTeacher(t *testing.T) {
	flat := fl.Shape{Features: 12, Classes: 3}
	for name, m := range map[string]fl.Model{
		"softmax": build(t, Softmax, nil, flat), "mlp": nets(t)["mlp"],
	} {
		pop := population(flat, 11)
		theta := m.Init(rand.New(rand.NewPCG(1, 1)))
		for i := range theta {
			theta[i] += 0.3 * math.Sin(float64(i))
		}
		w, d := m.Worker().(fl.GuidedWorker), pop.Train
		const temperature, weight = 3, 0.6
		scores := fl.NewMatrix(d.Len(), 3)
		w.Scores(scores, theta, d.X)
		for r := range d.Len() {
			s := fl.Vector(scores.Row(r))
			s.Scale(1 / float64(temperature))
			toProbabilities(s)
		}
		hard, got := make(fl.Vector, len(theta)), make(fl.Vector, len(theta))
		w.Gradient(hard, theta, d, nil)
		hard.Scale(1 - weight)
		loss := w.GuidedGradient(got, theta, d, nil, &fl.Guidance{
			Targets: fl.SoftTargets{Prob: scores, Temperature: temperature, Weight: weight}})
		if off := got.Distance(hard); !(off <= 1e-6*hard.Norm()) {
			t.Errorf("%s: the gradient is off by %g of %g", name, off, hard.Norm())
		}
		if want := (1 - weight) * w.Loss(theta, d); math.Abs(loss-want) > 1e-6 {
			t.Errorf("%s: loss %v, want %v", name, loss, want)
		}
	}
}

// Features of the rows of a batch are those that enter the last layer: its W·z + b are the scores.
func TestFeaturesMakeScores(t *testing.T) {
	for name, m := range nets(t) {
		job := task(m)
		w, x := job.Worker.(fl.GuidedWorker), job.Client.Data.X
		z := fl.NewMatrix(x.Rows, w.FeatureLen())
		w.Features(z, job.Global, x)
		scores := fl.NewMatrix(x.Rows, max(1, shapeOf(m).Classes))
		w.Scores(scores, job.Global, x)
		blocks := m.Layout().Blocks
		var weight, bias *fl.Block
		for k := range blocks {
			switch blocks[k].Name {
			case fl.Weight:
				weight = &blocks[k]
			case fl.Bias:
				bias = &blocks[k]
			}
		}
		for r := range x.Rows {
			for c := range scores.Cols {
				want := bias.Of(job.Global).Data[c] + fl.Vector(weight.Of(job.Global).Row(c)).Dot(z.Row(r))
				if got := scores.Row(r)[c]; math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
					t.Fatalf("%s: score %v of row %d, by its features %v", name, got, r, want)
				}
			}
		}
	}
}
