package contract

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// whichRound names a round as a component sees it.
func whichRound(t int) string { return fmt.Sprintf("round T = %d", t) }

// numbersClients asks of rounds in which clients have their numbers from the other end. Updates
// ascend by client there, too, as they do in every round.
func numbersClients(build fresh, g *stage) string {
	if g.size < clients {
		return "" // what compares two or three models ties, and numbers may break ties
	}
	state := fl.NewStore()
	for range 3 {
		r := g.round()
		other := renumbered(g.round())
		other.State = state
		out, err := build().Aggregate(r)
		if err != nil {
			return "error: " + err.Error()
		}
		same, err := build().Aggregate(other)
		if err != nil {
			return "error: " + err.Error()
		}
		if d := apart(out.Params, same.Params, 1e-9); d != "" {
			return at(whichRound(r.T)+", clients numbered from the other end", d)
		}
		g.accept(r, out)
	}
	return ""
}

// renumbered returns a round whose client i is client N−1−i. It may share memory with it.
func renumbered(r *fl.Round) *fl.Round {
	turned, roster := *r, *r.Roster
	turned.Roster = &roster
	roster.Importance = reversed(roster.Importance)
	roster.Samples = reversed(roster.Samples)
	roster.Enrolled = reversed(roster.Enrolled)
	roster.Covariates = rowsReversed(roster.Covariates)
	turned.Context = rowsReversed(r.Context)
	if o := r.Oracle; o != nil {
		turned.Oracle = &fl.Oracle{Enrollment: reversed(o.Enrollment),
			Inclusion: reversed(o.Inclusion)}
	}
	if r.Law != nil {
		law := *r.Law
		law.Chance, law.Inclusion = reversed(law.Chance), reversed(law.Inclusion)
		law.Sets = nil
		for _, set := range r.Law.Sets {
			law.Sets = append(law.Sets, otherEnd(set, roster.N))
		}
		turned.Law = &law
	}
	turned.Updates, turned.Losses = reversed(r.Updates), reversed(r.Losses)
	turned.Staleness = reversed(r.Staleness)
	for k := range turned.Updates {
		turned.Updates[k].Client = roster.N - 1 - turned.Updates[k].Client
	}
	return &turned
}

// otherEnd returns clients by their numbers from the other end, ascending.
func otherEnd(ids []int, n int) []int {
	turned := reversed(ids)
	for k := range turned {
		turned[k] = n - 1 - turned[k]
	}
	return turned
}

// reversed returns a copy of a list from its end; nil of nil.
func reversed[T any, S ~[]T](list S) S {
	turned := slices.Clone(list)
	slices.Reverse(turned)
	return turned
}

func rowsReversed(m fl.Matrix) fl.Matrix {
	turned := fl.Matrix{Rows: m.Rows, Cols: m.Cols}
	for i := m.Rows - 1; i >= 0; i-- {
		turned.Data = append(turned.Data, m.Row(i)...)
	}
	return turned
}
