package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// How much of an experiment is played both ways at most.
const (
	ParityMost = 8 // rounds
	firstSeeds = 2
	firstArms  = 3 // methods, at points of the sweep, of each strategy
)

// Parity plays the first rounds of an experiment twice, in the cells with strategies, and returns
// how many results it compared, 0 where there are no strategies; those that differ in a bit are a
// problem.
func (x *Experiment) Parity(ctx context.Context, o *Overrides, data string) (
	compared int, err error,
) {
	if len(x.Tools.Loaded) == 0 {
		return 0, nil
	}
	program, err := x.Tools.Loaded.Compile(ctx, false)
	if err != nil {
		return 0, err
	}
	x, err = Read(x.Spec.File, x.beginning(o))
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "hansa-parity-")
	if err != nil {
		return 0, fault.Of(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it does no harm
	interpreted, err := newWorker(spare(2))
	if err != nil {
		return 0, err
	}
	p := pair{x: x, order: order{Sources: x.Tools.Sources, Budget: Budget, Run: dir, Workers: 1,
		Folders: Folders(x.Folder, data)}, interpreted: interpreted,
		compiled: workerOf(program, spare(2))}
	defer p.interpreted.Close()
	defer p.compiled.Close()
	cells := x.few()
	var problems study.Problems
	for _, i := range cells {
		problem, err := p.play(ctx, i)
		if err != nil {
			return 0, err
		}
		problems = append(problems, problem...)
	}
	if len(problems) > 0 {
		return 0, problems
	}
	return len(cells), nil
}

// beginning returns what restricts an experiment to its first rounds and seeds.
func (x *Experiment) beginning(o *Overrides) *Overrides {
	short := *o
	for _, c := range x.Cells {
		if c.Rounds > ParityMost {
			short.Set = append(o.Set[:len(o.Set):len(o.Set)], fmt.Sprintf("rounds=%d", ParityMost),
				"measure_every=1")
			break
		}
	}
	var seeds []string
	for _, s := range x.Seeds() {
		if len(seeds) < firstSeeds {
			seeds = append(seeds, fmt.Sprint(s))
		}
	}
	short.Seeds = strings.Join(seeds, ",") + "," // without a comma it would be a number of them
	return &short
}

// few returns some cells of every strategy.
func (x *Experiment) few() (cells []int) {
	arms := map[string]int{}
	for _, first := range x.Arms() {
		wanted := false
		for _, source := range x.Cells[first].Sources() {
			_, digest, _ := strings.Cut(source, " ")
			arms[digest]++
			wanted = wanted || arms[digest] <= firstArms
		}
		for i := first; wanted && i < len(x.Cells) && x.Cells[first].SameArm(&x.Cells[i]); i++ {
			if x.Shown[i] {
				cells = append(cells, i)
			}
		}
	}
	return cells
}

// A pair is two workers that play the same cells.
type pair struct {
	x                     *Experiment
	order                 order
	interpreted, compiled *launch.Worker
}

// play plays a cell both ways and says where the results differ.
func (p *pair) play(ctx context.Context, i int) (study.Problems, error) {
	o := p.order
	o.Cells, o.ID = p.x.Written[i:i+1], p.x.IDs[i]
	hear := func(launch.Report) {}
	a, errA := remotely(ctx, p.interpreted, o, hear)
	var err error
	if o.Numerics, err = numerics(); err != nil {
		return nil, fault.Of(err)
	}
	o.Compiled = true
	b, errB := remotely(ctx, p.compiled, o, hear)
	what := ""
	switch {
	case ctx.Err() != nil:
		return nil, fault.ErrInterrupted
	case errA != nil && errB != nil:
		return nil, fault.Of(fmt.Errorf("%s: it fails both ways: %w", p.x.Cells[i].Label(), errA))
	case errA != nil:
		what = "interpreted, it fails, and compiled it does not: " + errA.Error()
	case errB != nil:
		what = "compiled, it fails, and interpreted it does not: " + errB.Error()
	case !bytes.Equal(a.Result, b.Result):
		what = "compiled, it gives another result"
	default:
		return nil, nil
	}
	return study.Problems{{Pos: p.at(i), Message: p.x.Cells[i].Label() + ": " + what}}, nil
}

// at returns where the first strategy of a cell is described.
func (p *pair) at(i int) (at study.Pos) {
	for _, source := range p.x.Cells[i].Sources() {
		_, digest, _ := strings.Cut(source, " ")
		for _, s := range p.x.Tools.Loaded {
			if s.Digest() == digest {
				return entryOf(s, p.x.Written[i]).Pos
			}
		}
	}
	return at
}

// entryOf returns the component of a strategy that a cell names.
func entryOf(s *plugins.Strategy, c study.Cell) plugins.Entry {
	for _, e := range s.Entries {
		if c.Picks[e.Kind].Name == e.Name {
			return e
		}
	}
	return s.Entries[0]
}
