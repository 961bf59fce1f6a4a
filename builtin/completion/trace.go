// Trace — seconds by client and round, as a file says.
//
// A trace is a CSV file, gzipped or not, with a line for every round and a column for every client,
// whose cells are virtual seconds; it may begin with a header. A relative path is looked for in the
// folder of the experiment, then in those of data sets. After the last line comes the first.
//
// Notation: L the lines of the file, C its columns, aᵢ the line at which client i begins: the
// first one, or with start = "own" a uniform one, drawn once. Client i needs in round t what stands
// in line (aᵢ + t) mod L of column i, or of column i mod C where reuse = true has several clients
// follow one. Steps and bits count nothing. Where partial work shortens it, local steps take a
// stated share of it. The server's rounds count, not the seconds that pass.
//
// No probability has a closed form: cohorts to plan with are those of simulated rounds, which have
// the same seconds in the same rounds.

package completion

import (
	"fmt"
	"os"
	"sync"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Trace describes the completion model to the registry.
var Trace = fl.CompletionEntry{
	Name:    "trace",
	Summary: "seconds of each client in each round, as a file says, over and over again",
	Deviations: "results are found again by the name of a file and not by its content, unless " +
		"sha256 pins it",
	New:     newTrace,
	Inspect: func(c fl.Completion, i *fl.Inspection) { c.(*trace).inspect(i) },
	Example: map[string]any{"trace": "seconds.csv"},
	Traits:  fl.CompletionTraits{Works: statesWork},
}

// whatever is what an experiment writes where it pins no content.
const whatever = "any"

// trace keeps nothing in State.
type trace struct {
	name   string
	skip   int
	own    bool // every client begins at a line of its own
	reuse  bool // more clients than columns are allowed
	sha256 string
	work   work

	// The contents of the file are no state: they are read once, and are the same for every reader.
	once sync.Once
	held *data.Grid
	err  error
}

var _ fl.Completion = (*trace)(nil)

func newTrace(p *fl.Params) (fl.Completion, error) {
	return &trace{
		name: p.Text("trace", "", "path of a CSV file, with a line for every round and a column "+
			"of virtual seconds for every client"),
		skip: p.Int("skip", 0, fl.AtLeast(0), "leading columns that are of no client"),
		own: p.Choice("start", "shared", "whether all clients begin with the first line, or each "+
			"with one of its own, drawn once", "shared", "own") == "own",
		reuse: p.Bool("reuse", false, "several clients may follow one column, where there are "+
			"fewer columns than clients"),
		sha256: p.Text("sha256", whatever, "SHA-256 of the file; a wrong one is answered by the "+
			"right one, any is never wrong"),
		work: newWork(p),
	}, nil
}

// Finish implements fl.Completion.
func (x *trace) Finish(f *fl.Finishing) error {
	x.once.Do(func() {
		if x.held, x.err = x.read(f.Folders, nil); x.err == nil {
			x.err = x.short(x.held, f.Roster.N)
		}
	})
	if x.err != nil {
		return x.err
	}
	lines := x.held.Lines()
	for k, i := range f.Asked {
		line := f.T
		if x.own {
			line += f.Fixed(i).IntN(lines)
		}
		f.After[k] = x.held.At(line%lines, i%x.held.Columns)
		f.Work[k] = f.After[k] * float64(x.work)
	}
	return nil
}

// Chances implements fl.Completion.
func (x *trace) Chances(*fl.Finishing, float64) (fl.Vector, bool) { return nil, false }

// read finds the file and reads it. Mistakes are collected in m, unless it is nil.
func (x *trace) read(folders []string, m *data.Mistakes) (*data.Grid, error) {
	path, err := data.Locate(folders, "trace", x.name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case x.sha256 == whatever:
	case m == nil:
		err = data.Verify(path, x.sha256)
	default:
		err = data.Examine(path, x.sha256, m)
	}
	if err != nil || m.Any() {
		return nil, err
	}
	return data.ReadGrid(path, x.skip, m)
}

// short says that a trace has fewer columns than there are clients, where that is a mistake.
func (x *trace) short(g *data.Grid, clients int) error {
	if g.Columns < clients && !x.reuse {
		return fmt.Errorf("trace %s: %d clients, and %d columns: reuse = true has several clients "+
			"follow one", x.name, clients, g.Columns)
	}
	return nil
}

// inspect examines the file of a trace.
func (x *trace) inspect(i *fl.Inspection) {
	held, _, sound := data.InspectTrace(i, x.name, x.read)
	if !sound || held == nil || held.Columns == 0 {
		return
	}
	if err := x.short(held, i.Clients); err != nil {
		i.Fail("trace", "%v", err)
	}
}
