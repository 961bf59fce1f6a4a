// FedKT, the server's half — a model that is trained on what clients' students agree on.
//
//	Q. Li, B. He, D. Song. Practical One-Shot Federated Learning for Cross-Silo Setting. IJCAI
//	2021, Algorithm 1, lines 13 to 24.
//
// Notation: S the cohort, f_k1 … f_ks the students that client k sends. A public sample x has
//
//	v_c(x) = s·|{k ∈ S: all of f_k1(x), …, f_ks(x) are c}|
//
// votes for class c: those of a client count where its students agree (consistent voting). Its
// label is the class with the most votes, the first of several. The model is trained on the public
// samples with these labels, from θᵗ⁻¹. Labels of public data are never read.
//
// Departures: a public sample on which no client's students agree is left out, where the paper
// takes the largest of zeros. With voting = "all" every student's vote counts, which is what the
// authors' code does where there is no noise. The noise of FedKT-L1 on votes is not offered, for
// the reason that the client's half gives. Every round stands for itself but for where the model
// starts; the paper has one.

package aggregator

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedKT describes the aggregator to the registry.
var FedKT = fl.AggregatorEntry{
	Name:    "fedkt",
	Summary: "model trained on public samples by the votes of clients' students",
	Paper:   "li2021fedkt",
	Deviations: "public samples without a consistent vote are left out; no noise on votes; " +
		"models of one layout",
	OneLabel: true,
	New:      newFedKT,
	Fits: func(s fl.Setting) error {
		if s.Shape.Classes == 0 {
			return errors.New("needs classes; these data have a regression target")
		}
		return nil
	},
	Traits:  fl.AggregatorTraits{Statistics: "students", Public: true},
	Example: map[string]any{"epochs": int64(2)},
}

// fedKT keeps nothing in State.
type fedKT struct {
	by         fl.Optimizer
	epochs     int
	rate       float64
	batch      int  // 0: all samples
	consistent bool // students of a client count where they agree
	student    student
}

var _ fl.Aggregator = (*fedKT)(nil)

func newFedKT(p *fl.Params) (fl.Aggregator, error) {
	return &fedKT{
		epochs: p.Int("epochs", 100, fl.AtLeast(0), "passes over the public samples"),
		rate:   p.Float("lr", 0.001, fl.AtLeast(0), "learning rate of the model"),
		batch:  p.Int("batch", 32, fl.AtLeast(0), "public samples per step; 0: all of them"),
		by: p.Optimizer("optimizer", "adam", "what makes a step of a gradient; begins anew in "+
			"every round"),
		consistent: p.Choice("voting", "consistent", "votes of a client count where all its "+
			"students agree, or all votes do", "consistent", "all") == "consistent",
	}, nil
}

// Aggregate implements fl.Aggregator.
func (a *fedKT) Aggregate(r *fl.Round) (fl.Outcome, error) {
	switch {
	case len(r.Updates) == 0:
		return fl.Outcome{}, errNoUpdates
	case r.Public == nil:
		return fl.Outcome{}, errors.New("there are no public data")
	}
	votes, err := a.votes(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	next := r.Scratch(len(r.Global))
	copy(next, r.Global)
	labels, rows := r.Room(votes.Rows), r.Room(votes.Rows)
	for i := range votes.Rows {
		c := votes.Row(i).ArgMax()
		labels = append(labels, c)
		if votes.Row(i)[c] > 0 {
			rows = append(rows, i)
		}
	}
	r.Notes.Observe("% of public samples with a vote", 100*float64(len(rows))/float64(votes.Rows))
	if len(rows) == 0 {
		return fl.Outcome{Params: next}, nil
	}
	labelled := *r.Public
	labelled.Y, labelled.Target = labels, nil
	t := a.student.task(r, labelled.Pick(rows), next)
	d := t.Descent()
	d.Optimizer, d.Rate, d.Batches = a.by, a.rate, t.Batches(a.batch)
	d.Steps = a.epochs * d.Batches.PerEpoch()
	t.Worker.Descend(d)
	return fl.Outcome{Params: t.Params}, nil
}

// votes returns how many votes each public sample has for each class.
func (a *fedKT) votes(r *fl.Round) (fl.Matrix, error) {
	x, classes := r.Public.X, r.Public.Shape.Classes
	n := x.Rows * classes
	votes := fl.Matrix{Rows: x.Rows, Cols: classes, Data: r.Scratch(n)}
	own := fl.Matrix{Rows: x.Rows, Cols: classes, Data: r.Scratch(n)}
	scores := fl.Matrix{Rows: x.Rows, Cols: classes, Data: r.Scratch(n)}
	w := r.Model.Worker()
	for k := range r.Updates {
		students := r.Updates[k].Payload["students"]
		if students.Rows == 0 || students.Cols != len(r.Global) {
			return votes, fmt.Errorf("client %d: %d students of %d parameters, the model has %d",
				r.Updates[k].Client, students.Rows, students.Cols, len(r.Global))
		}
		clear(own.Data)
		for j := range students.Rows {
			w.Scores(scores, students.Row(j), x)
			for i := range x.Rows {
				own.Row(i)[scores.Row(i).ArgMax()]++
			}
		}
		for i, v := range own.Data {
			if !a.consistent || v == float64(students.Rows) {
				votes.Data[i] += v
			}
		}
	}
	return votes, nil
}
