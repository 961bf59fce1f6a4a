package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
)

// tableFlags say how a table is printed.
type tableFlags struct {
	format string
	width  int
}

// formats are the ways to print a table, by name.
var formats = []string{"text", "markdown", "latex", "html", "csv", "json"}

func (t *tableFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.format, "format", "text",
		"`FORMAT` of the table: "+strings.Join(formats, ", "))
	cmd.Flags().IntVar(&t.width, "width", 0,
		"`COLUMNS` of a text table (default those of the terminal, else $COLUMNS, else as many as "+
			"it takes)")
	completeFlag(cmd, "format", formats...)
}

func (t *tableFlags) check() error {
	if err := checkWidth(t.width); err != nil {
		return err
	}
	return oneOf("--format", t.format, formats)
}

// checkWidth refuses columns that no text can have; 0 stands for those of the terminal.
func checkWidth(columns int) error {
	if columns < 0 {
		return fmt.Errorf("--width %d: want at least 1", columns)
	}
	return nil
}

func (c *command) tableCommand() *cobra.Command {
	var t tableFlags
	var l lookFlags
	cmd := &cobra.Command{
		Use:     "table RUN",
		GroupID: "result",
		Short:   "Print the table of a run again, in any format",
		Long: "Print the table of a run again, in any format, as the [report] of the experiment " +
			"says or as flags do. RUN is its name under ./runs, its folder, or its experiment " +
			"file. Markdown, LaTeX and HTML begin with a comment that holds the command and the " +
			"hash of the cells. In CSV a text that a spreadsheet would take for a formula, as it " +
			"begins with =, +, - or @, stands behind an apostrophe.",
		Example: "  hansa table quickstart\n" +
			"  hansa table quickstart --format latex --delta > table.tex\n" +
			"  hansa table quickstart --transpose --err ci --metric loss",
		Args:              want(1, 1, "one RUN"),
		ValidArgsFunction: first(runNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := t.check(); err != nil {
				return err
			}
			if err := l.check(); err != nil {
				return err
			}
			run, plan, err := c.open(args[0])
			if err != nil {
				return err
			}
			in, err := l.gather(c, run, plan)
			if err != nil {
				return err
			}
			in.Origin, in.Command = plan.Command, again("hansa table", cmd, args, "color", "width")
			return c.printInput(in, &t)
		},
	}
	l.flags(cmd)
	t.flags(cmd)
	return cmd
}

// printTable prints the table of what a plan lists, as far as it was run. Failed says why
// cells failed, by their ids, beside what the run knows of that.
func (c *command) printTable(
	run store.Run, plan *store.Plan, failed map[string]string, t *tableFlags,
) error {
	return c.printInput(c.gather(run, plan, failed), t)
}

// printInput prints the table of what is gathered.
func (c *command) printInput(in *infer.Input, t *tableFlags) error {
	tables, err := table.Build(*in)
	if err != nil {
		return faulty(err)
	}
	return faulty(c.render(c.out, tables, t))
}

func (c *command) render(w io.Writer, tables []table.Table, t *tableFlags) error {
	switch t.format {
	case "markdown":
		return render.Markdown(w, tables)
	case "latex":
		return render.LaTeX(w, tables)
	case "html":
		return render.HTML(w, tables)
	case "csv":
		return render.CSV(w, tables)
	case "json":
		return render.JSON(w, tables)
	}
	width := t.width
	if width == 0 {
		width = textWidth(w)
	}
	return render.Text(w, tables, render.TextOptions{Width: width, Color: c.colorOn(w)})
}

// gather reads what a run has of a plan. What cannot be read is told, and the table lacks
// it.
func (c *command) gather(
	run store.Run, plan *store.Plan, failed map[string]string,
) *infer.Input {
	in := &infer.Input{
		Title: plan.Title, Cells: plan.Cells, IDs: plan.IDs, Results: map[string]*engine.Result{},
		Failures: map[string]string{}, Volatile: map[string][]engine.Series{},
		Report: plan.Report, References: plan.References, Command: plan.Command, Hash: plan.Hash,
		Compiled: map[string][]string{},
	}
	in.Strategies, in.Unexamined = strategiesOf(plan)
	if tools, err := builtinTools(); err == nil { // what strategies measure reads everything
		in.Quantity = tools.registry.Quantity
	} else {
		c.tell(err)
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
			in.Results[id], in.Volatile[id] = r.result, a.Volatile
			made.Add(r.attempt)
		}
		if why, told := failed[id]; told && r.result == nil {
			in.Failures[id] = firstLine(why)
		} else {
			if r.failure != "" {
				in.Failures[id] = r.failure
			}
			if r.err != nil {
				c.unreadable(r.err)
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
		c.tell(fmt.Errorf("%s: %s", run.Dir, mixed))
	}
	return in
}

// strategiesOf returns the paths of the strategies of a plan, and which were not examined, by
// digest.
func strategiesOf(plan *store.Plan) (paths map[string]string, unexamined map[string]bool) {
	paths, unexamined = map[string]string{}, map[string]bool{}
	for _, s := range plan.Strategies {
		paths[s.Digest] = s.Path
		if s.Exam != nil && s.Exam.Unexamined {
			unexamined[s.Digest] = true
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
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(ids) {
					return
				}
				found[k] = readCell(run, ids[k], cells[ids[k]])
			}
		})
	}
	workers.Wait()
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
			r.failure = "its result cannot be read: " + cause(r.err).Error()
		case failure != nil:
			r.failure, r.compiled = firstLine(failure.Message), failure.Compiled
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

// firstLine leaves out of a message what only whoever ran the cell needs, such as a
// command.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}
