package view

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/leaderboard"
)

// A Check runs some training runs of records again, and compares results to the last bit.
type Check struct {
	Count int    // training runs; all if there are no more
	Seed  uint64 // of the choice of them, among those of all records
	Data  string // folders of data sets

	Say func(format string, args ...any)
}

// A storedCell is a training run that is run again.
type storedCell struct {
	record *leaderboard.Record
	cell   int
	label  string // with the name of the record where there are several
}

// Run runs them. The error is a fault where a result differs.
func (c *Check) Run(ctx context.Context, records []*leaderboard.Record) error {
	all, left := candidates(records)
	if len(all) == 0 {
		return errors.New("no training run can be run again: none has a result and is of " +
			"built-in components and of data without absolute paths")
	}
	n := min(c.Count, len(all))
	list := rand.New(rand.NewPCG(c.Seed, 0)).Perm(len(all))[:n]
	slices.Sort(list)
	of := phrase.Count(len(all), "training run", "training runs")
	c.Say("%d of %s, chosen by --verify-seed %d: each is run again", n, of, c.Seed)
	if left > 0 {
		c.Say("%s not among them: of code of your own, or of data with absolute paths",
			phrase.Count(left, "training run is", "training runs are"))
	}
	differ := 0
	o := engine.Options{Workers: 1, Memo: engine.NewMemo(3), DiskCache: session.EncoderCache(),
		Folders: session.Folders(".", c.Data)}
	for _, k := range list {
		same, err := c.again(ctx, all[k], o)
		if err != nil {
			return err
		}
		if !same {
			differ++
		}
	}
	if differ > 0 {
		return fault.Of(fmt.Errorf("%d of %d results differ.%s", differ, n, origins(records)))
	}
	c.Say("%d of %d results are equal to the last bit", n, n)
	return nil
}

// candidates lists the training runs with results that can be run again, each once, and counts
// those that cannot.
func candidates(records []*leaderboard.Record) (list []storedCell, left int) {
	seen := map[string]bool{}
	for _, r := range records {
		for i, id := range r.IDs {
			switch c := &r.Cells[i]; {
			case seen[id] || r.Results[id] == nil:
			case leaderboard.Own(c) || !c.Is(id):
				left++
			default:
				seen[id] = true
				label := c.Label()
				if len(records) > 1 {
					label = r.Name + ": " + label
				}
				list = append(list, storedCell{r, i, label})
			}
		}
	}
	return list, left
}

// again runs a training run again, and says what came of it.
func (c *Check) again(ctx context.Context, one storedCell, o engine.Options) (
	same bool, err error,
) {
	r, i, label := one.record, one.cell, one.label
	id := r.IDs[i]
	x, err := session.Rebuild([]study.Cell{r.Cells[i]}, []string{id})
	if err != nil {
		return false, fmt.Errorf("%s: %w", label, err)
	}
	setup, err := x.Setup(0)
	if err != nil {
		return false, fmt.Errorf("%s: %w", label, err)
	}
	result, err := engine.Run(ctx, setup, o)
	if err != nil {
		return false, fault.Of(fmt.Errorf("%s: %w", label, err))
	}
	digest, err := leaderboard.Digest(result)
	if err != nil {
		return false, err
	}
	if digest == r.Digests[id] {
		c.Say("equal: %s, digest %.12s", label, digest)
		return true, nil
	}
	c.Say("different: %s, %s", label, difference(r, i, result))
	return false, nil
}

// difference says in which final value two results differ most visibly: in the first metric where
// that differs.
func difference(r *leaderboard.Record, i int, result *engine.Result) string {
	id := r.IDs[i]
	in := infer.Input{Cells: r.Cells[i : i+1], IDs: []string{id}, Report: r.Report,
		Results: map[string]*engine.Result{id: result}}
	stored := in
	stored.Results = map[string]*engine.Result{id: r.Results[id]}
	a, b := infer.NewPlan(&stored), infer.NewPlan(&in)
	for _, s := range result.Series {
		was, _ := a.Final(0, s.Key)
		is, ok := b.Final(0, s.Key)
		if ok && was != is {
			return fmt.Sprintf("final %s is %.10g, and %.10g in the file", s.Key, is, was)
		}
	}
	return "final values are equal, and an earlier one is not"
}

// origins says by what results were made, and by what they were made again.
func origins(records []*leaderboard.Record) string {
	here := madeBy(session.Made())
	var there []string
	for _, r := range records {
		for _, m := range r.Made {
			m.Runs = 0
			if text := madeText(m); m != here && !slices.Contains(there, text) {
				there = append(there, text)
			}
		}
	}
	if there == nil {
		return " They are of this version of hansa and of this kind of arithmetic: something is " +
			"not deterministic"
	}
	return fmt.Sprintf(" Stored results were made by %s; this is %s. Kernels of one platform give "+
		"the same bits, whatever the instruction set; another platform, compiler or version of "+
		"hansa may not", strings.Join(there, " and "), madeText(here))
}

// madeText names a program and its arithmetic.
func madeText(m leaderboard.Made) string {
	text := fmt.Sprintf("%s %s", m.Go, m.Platform)
	if m.Source != "" {
		text += fmt.Sprintf(" of source %.12s", m.Source)
	}
	if m.Arithmetic != "" {
		text += " (" + m.Arithmetic + ")"
	}
	return text
}
