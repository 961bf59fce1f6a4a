package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Gather reads what a run has of a plan. What cannot be read is told, and the table lacks
// it.
func (s *Session) Gather(
	run store.Run, plan *store.Plan, failed map[string]string,
) *infer.Input {
	in := &infer.Input{
		Title: plan.Title, Cells: plan.Cells, IDs: plan.IDs, Results: map[string]*engine.Result{},
		Failures: map[string]string{}, Volatile: map[string][]engine.Series{},
		Report: plan.Report, References: plan.References, Claims: plan.Claims, Whole: plan.Whole,
		Command: plan.Command, Hash: plan.Hash,
		Compiled: map[string][]string{}, Costs: map[string]*engine.Cost{}, Tuning: plan.Tuning,
	}
	in.Strategies, in.Unexamined = strategiesOf(plan)
	if tools, err := toolbox.Builtin(); err == nil { // what strategies measure reads everything
		in.Quantity = tools.Registry.Quantity
	} else {
		s.tell(err)
	}
	builds := map[string]bool{}
	var made store.Mixture
	ids := slices.Clone(plan.IDs)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	found := readCells(run, plan, ids)
	for _, id := range plan.IDs {
		k, _ := slices.BinarySearch(ids, id)
		r := found[k]
		if found[k] = nil; r == nil { // a cell that is the same experiment as one before
			continue
		}
		a := cmp.Or(r.attempt, new(store.Attempt))
		if r.result != nil {
			in.Results[id], in.Volatile[id], in.Costs[id] = r.result, a.Volatile, a.Cost
			made.Add(r.attempt)
		}
		if why, told := failed[id]; told && r.result == nil {
			in.Failures[id] = phrase.FirstLine(why)
		} else {
			if r.failure != "" {
				in.Failures[id] = r.failure
			}
			if r.err != nil {
				s.Unreadable(r.err)
			}
		}
		b := a.Build
		for _, digest := range append(r.compiled, b.Compiled...) {
			in.Compiled[digest] = append(in.Compiled[digest], id)
		}
		if b.Revision != "" && !builds[b.Revision] {
			builds[b.Revision] = true
			in.Builds = append(in.Builds, b.Revision)
		}
	}
	if mixed := made.String(); mixed != "" {
		s.tell(fmt.Errorf("%s: %s", run.Dir, mixed))
	}
	return in
}

// strategiesOf returns the paths of the strategies of a plan, and which were not examined, by
// digest.
func strategiesOf(plan *store.Plan) (paths map[string]string, unexamined map[string]bool) {
	paths, unexamined = map[string]string{}, map[string]bool{}
	for _, one := range plan.Strategies {
		paths[one.Digest] = one.Path
		if one.Exam != nil && one.Exam.Unexamined {
			unexamined[one.Digest] = true
		}
	}
	return paths, unexamined
}

// A cellRead is what a run has of one cell.
type cellRead struct {
	result  *engine.Result
	attempt *store.Attempt // that made the result; nil where nothing is known of it
	failure string         // why there is none

	compiled []string // strategies that ran compiled where it failed
	err      error    // what could not be read
}

// readCells reads what a run has of cells, several at a time: of many rounds most of the time
// for a table goes into that.
func readCells(run store.Run, p *store.Plan, ids []string) []*cellRead {
	cells := map[string]*study.Cell{}
	for i, id := range p.IDs {
		cells[id] = &p.Cells[i]
	}
	found := make([]*cellRead, len(ids))
	store.Each(len(ids), func(k int) { found[k] = readCell(run, ids[k], cells[ids[k]]) })
	return found
}

// readCell reads what a run has of one cell.
func readCell(run store.Run, id string, c *study.Cell) *cellRead {
	var r cellRead
	r.result, r.err = run.Get(id, c)
	if r.result == nil {
		failure, err := run.LoadFailure(id)
		switch {
		case errors.Is(r.err, store.ErrCorrupt):
			r.failure = "its result is damaged"
		case r.err != nil:
			r.failure = "its result cannot be read: " + fault.Cause(r.err).Error()
		case failure != nil:
			r.failure, r.compiled = phrase.FirstLine(failure.Message), failure.Compiled
		}
		r.err = errors.Join(r.err, err)
		return &r
	}
	if r.attempt, r.err = run.LoadAttempt(id); r.attempt != nil {
		if r.err = r.attempt.Fits(r.result, c); r.err != nil {
			r.attempt = nil
		}
	}
	return &r
}
