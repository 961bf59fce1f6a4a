// FedKT, the client's half — teachers on parts of the client's samples, students of their votes.
//
//	Q. Li, B. He, D. Song. Practical One-Shot Federated Learning for Cross-Silo Setting. IJCAI
//	2021, Algorithm 1, lines 1 to 12.
//
// Notation: s partitions, t teachers of each. In each partition j a client
//
//	splits     its samples at random into t parts of the same size,
//	trains     a teacher on each part, as sgd does, from parameters that are drawn anew,
//	votes      on the public samples: the label of x is the class c with the most teachers that
//	           classify x as c, the first of several,
//	distils    trains student j on the public samples with these labels, from parameters that are
//	           drawn anew,
//
// and sends the s students. It is sent the public samples, once, and no model.
//
// Departures: a client with fewer than t samples has a teacher for each of them. All models have
// the same layout, where the paper takes any, trees as well. The noise of FedKT-L2 on votes is
// not offered: its guarantee counts votes as they fall (moments of the Laplace mechanism by query,
// as in PATE), which is no Gaussian mechanism, of which alone hansa accounts.

package local

import (
	"errors"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedKT describes the local rule to the registry.
var FedKT = fl.LocalRuleEntry{
	Name:    "fedkt",
	Summary: "sends students of the votes of teachers, each of a part of the samples",
	Paper:   "li2021fedkt",
	Deviations: "a client with few samples has fewer teachers; models of one layout; no noise " +
		"on votes",
	OneLabel: true,
	New:      newFedKT,
	Fits:     needsClasses,
	Example:  map[string]any{"teachers": int64(3), "student_epochs": int64(2)},
	Traits: fl.LocalTraits{Packed: true, Statistics: "students", NoModel: true, Public: true,
		Whole: true},
}

// fedKT keeps nothing in State.
type fedKT struct {
	teacher    sgd
	teachers   int // t
	partitions int // s
	by         fl.Optimizer
	rate       float64
	epochs     int
	batch      int // 0: all public samples
}

var _ fl.LocalRule = (*fedKT)(nil)

func newFedKT(p *fl.Params) (fl.LocalRule, error) {
	return &fedKT{
		partitions: p.Int("partitions", 2, fl.AtLeast(1), "s, how often a client splits its "+
			"samples: so many students are sent"),
		teachers: p.Int("teachers", 5, fl.AtLeast(1), "t, parts of each split, with a teacher "+
			"each"),
		epochs: p.Int("student_epochs", 100, fl.AtLeast(0), "passes over the public samples that "+
			"train a student"),
		rate:  p.Float("student_lr", 0.001, fl.AtLeast(0), "learning rate of students"),
		batch: p.Int("student_batch", 32, fl.AtLeast(0), "public samples per step; 0: all of them"),
		by: p.Optimizer("student_optimizer", "adam", "what makes a student's step of a gradient; "+
			"begins anew with every student"),
		teacher: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule.
func (f *fedKT) Run(t *fl.Task) (u fl.Update, err error) {
	if t.Public == nil {
		return u, errors.New("there are no public data")
	}
	students := t.Payload(f.partitions, t.Model.Layout().Len())
	public := *t.Public
	public.Y, public.Target = t.Ints(public.Len()), nil
	for j := range f.partitions {
		u.Steps += f.vote(t, public.Y)
		u.Steps += f.distil(t, &public, students.Row(j))
	}
	u.Payload = fl.Tensors{"students": students}
	return u, nil
}

// vote splits the samples, trains a teacher on each part, and sets y to the classes of the public
// samples with the most votes. It returns how many steps teachers made.
func (f *fedKT) vote(t *fl.Task, y []int) (steps int) {
	n := t.Client.Data.Len()
	order, teachers := t.RNG.Perm(n), min(f.teachers, n)
	votes := fl.NewMatrix(len(y), t.Public.Shape.Classes)
	scores := fl.NewMatrix(votes.Rows, votes.Cols)
	for k := range teachers {
		own := t.On(order[k*n/teachers:(k+1)*n/teachers], t.RNG)
		own.Params = t.Model.Init(t.RNG)
		d := f.teacher.descent(own)
		own.Worker.Descend(d)
		steps += d.Steps
		own.Worker.Scores(scores, own.Params, t.Public.X)
		for r := range scores.Rows {
			votes.Row(r)[scores.Row(r).ArgMax()]++
		}
	}
	for r := range y {
		y[r] = votes.Row(r).ArgMax()
	}
	return steps
}

// distil trains a student on labelled public samples. It returns how many steps that took.
func (f *fedKT) distil(t *fl.Task, public *fl.Dataset, student fl.Vector) (steps int) {
	own := t.On(nil, rand.New(rand.NewPCG(t.RNG.Uint64(), t.RNG.Uint64())))
	own.Client.Data, own.Params = *public, student
	copy(student, t.Model.Init(t.RNG))
	d := own.Descent()
	d.Optimizer, d.Rate, d.Batches = f.by, f.rate, own.Batches(f.batch)
	d.Steps = f.epochs * d.Batches.PerEpoch()
	own.Worker.Descend(d)
	return d.Steps
}
