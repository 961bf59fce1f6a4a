package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// Overrides are what changes an experiment that is read. Its zero value changes nothing.
type Overrides struct {
	With  []string // files or folders with strategies, each of which makes one more method
	Set   []string // "key=value", or "label: key=value" for one method
	Seeds string   // a number of seeds, or a list such as "0,3,7"; "": those of the file
	Only  []string // "key=value": keep the cells of a method, a seed or a point of the sweep

	Budget     time.Duration // a call into a strategy may take; 0: Budget
	Unexamined bool          // strategies are taken whether or not they meet their requirements
}

// An Experiment is a file whose names have become components.
type Experiment struct {
	Spec    *study.Spec
	Folder  string // of the file, in which data files are looked for; empty where there is none
	Tools   *toolbox.Toolbox
	Written []study.Cell   // all of them, as the file has them
	Cells   []study.Cell   // resolved
	setups  []engine.Setup // without the components of those that are foreign
	IDs     []string
	work    []float64 // see engine.Work; 0 of cells with mistakes
	foreign []bool    // whether a component of the cell is of a strategy
	Shown   []bool    // whether --only keeps the cell

	Tune       *study.Tune   // how parameters are chosen; nil: they are those of the cells
	Tuning     *store.Tuning // what was chosen; nil: nothing yet
	Added      []store.Extra // settings beyond the edges of their ranges, which are tried, too
	trialCells int           // that [tune] asks for, at most
}

// Read reads an experiment, composes every cell of it and reports all mistakes at once, as
// study.Problems. Strategies are not examined.
func Read(file string, o *Overrides) (*Experiment, error) {
	return readAfter(file, o, func(*toolbox.Toolbox) error { return nil })
}

// readAfter is Read that examines strategies before anything is built of them.
func readAfter(
	file string, o *Overrides, examine func(*toolbox.Toolbox) error,
) (*Experiment, error) {
	budget := cmp.Or(o.Budget, Budget)
	added, err := additions(o.With, budget)
	if err != nil {
		return nil, err
	}
	spec, err := study.Read(file, study.Overrides{With: added, Set: o.Set, Seeds: o.Seeds})
	var problems study.Problems
	switch {
	case errors.As(err, new(*fs.PathError)):
		return nil, Unreadable(file, err)
	case err != nil && (spec == nil || !errors.As(err, &problems)):
		return nil, err
	}
	x := &Experiment{Spec: spec, Folder: filepath.Dir(file)}
	var more study.Problems
	x.Tools, err = toolbox.Open(spec.Plugins, budget)
	if errors.As(err, &more) { // everything else might be blamed for them
		return nil, append(problems, more...)
	}
	if err != nil {
		return nil, err
	}
	err = examine(x.Tools)
	if errors.As(err, &more) {
		return nil, append(problems, more...)
	}
	if err != nil {
		return nil, err
	}
	x.Written, err = spec.Expand()
	if errors.As(err, &more) {
		problems = append(problems, more...)
	}
	if err := x.rehearse(budget); err != nil {
		return nil, err
	}
	known := len(problems)
	problems = x.prepareTuning(x.compose(problems))
	if len(problems) == known { // else cells are not what the file means
		wrong, err := x.checkClaims(o)
		if err != nil {
			return nil, err
		}
		problems = append(problems, wrong...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if x.Tune == nil { // else methods that are written alike may be tuned differently
		if problems := study.Duplicates(x.Cells); len(problems) > 0 {
			return nil, problems
		}
	}
	return x, x.keep(o.Only)
}

// Unreadable says why a file cannot be read, and which one was probably meant.
func Unreadable(file string, err error) study.Problems {
	var path *fs.PathError
	problem := study.Problem{Pos: study.Pos{File: file}, Message: err.Error()}
	if errors.As(err, &path) {
		problem.Message = path.Err.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		problem.Hint = nearby(file)
	}
	return study.Problems{problem}
}

// nearby looks for the experiment that was probably meant, in the current folder and
// below it.
func nearby(file string) string {
	var paths []string
	for _, pattern := range []string{"*.toml", "*/*.toml", "*/*/*.toml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "" // it says that the pattern is malformed
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		if RunName(path) == RunName(file) {
			return fmt.Sprintf("did you mean %q?", path)
		}
	}
	hint := study.Suggest(file, paths)
	if strings.HasPrefix(hint, "known: ") && len(paths) > 5 {
		return ""
	}
	return hint
}

// rehearse has one cell of every arm composed in a worker process, where there are strategies:
// one that ends its process must not end this one.
func (x *Experiment) rehearse(budget time.Duration) error {
	if len(x.Tools.Loaded) == 0 {
		return nil
	}
	var first []study.Cell
	for i, c := range x.Written {
		if i%len(x.Spec.Seeds) == 0 {
			first = append(first, c)
		}
	}
	o := order{Sources: x.Tools.Sources, Budget: budget}
	return rehearse(x.Spec.Plugins[0].At, first, o)
}

// compose turns the names in every cell into components, and returns the problems that
// were known already with those that this adds.
func (x *Experiment) compose(problems study.Problems) study.Problems {
	known := len(problems)
	for _, c := range x.Written {
		setup, resolved, wrong := x.Tools.Registry.Compose(c)
		for _, p := range wrong {
			// What has no place in the file is a consequence of a problem that has one.
			if known == 0 || p.Pos != (study.Pos{}) {
				problems = append(problems, p)
			}
		}
		work := 0.0
		if len(wrong) == 0 {
			work = engine.Work(&setup)
		}
		foreign := x.Tools.Loaded.Foreign(resolved)
		if foreign { // an interpreter for every cell would take a lot of memory
			setup = engine.Setup{ID: setup.ID, GoesOnAs: setup.GoesOnAs, Rounds: setup.Rounds,
				Inspectors: setup.Inspectors, DataSeed: setup.DataSeed, DealtKey: setup.DealtKey}
		}
		x.Cells = append(x.Cells, resolved)
		x.setups = append(x.setups, setup)
		x.IDs = append(x.IDs, setup.ID)
		x.work = append(x.work, work)
		x.foreign = append(x.foreign, foreign)
	}
	return problems
}

// Setup returns components of a cell that nothing else has. What components keep of rounds, so as
// to allocate nothing in the next one, goes when they do.
func (x *Experiment) Setup(i int) (*engine.Setup, error) {
	setup, _, problems := x.Tools.Registry.Compose(x.Written[i])
	if len(problems) > 0 {
		return nil, problems
	}
	return &setup, nil
}

// keep marks the cells that --only asks for.
func (x *Experiment) keep(filters []string) (err error) {
	x.Shown, err = study.Kept(x.Cells, filters)
	return err
}

// Arms returns the index of the first shown cell of every method at every point.
func (x *Experiment) Arms() (first []int) {
	var shown []int
	var cells []study.Cell
	for i, c := range x.Cells {
		if x.Shown[i] {
			shown, cells = append(shown, i), append(cells, c)
		}
	}
	for _, k := range study.Arms(cells) {
		first = append(first, shown[k])
	}
	return first
}

// EachArm visits the first shown cell of every method at every point, with its components, and
// stops at the first error, which then says of which cell it is.
func (x *Experiment) EachArm(visit func(i int, cell *study.Cell, setup *engine.Setup) error) error {
	for _, i := range x.Arms() {
		setup, err := x.Setup(i)
		if err == nil {
			err = visit(i, &x.Cells[i], setup)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", x.Cells[i].Label(), err)
		}
	}
	return nil
}

// Seeds returns the seeds of the shown cells.
func (x *Experiment) Seeds() []uint64 {
	var list []uint64
	known := map[uint64]bool{}
	for i, c := range x.Cells {
		if x.Shown[i] && !known[c.Seed] {
			known[c.Seed] = true
			list = append(list, c.Seed)
		}
	}
	return list
}

// Plan returns what is stored of the experiment beside its results.
func (x *Experiment) Plan(command string) *store.Plan {
	tuning := x.Tuning
	if tuning == nil {
		tuning = x.opened()
	}
	return &store.Plan{
		Strategies: x.Tools.Stored(), Tuning: tuning,
		Title: x.Spec.Title, Command: command, Hash: store.HashOf(x.IDs),
		Cells: x.Cells, IDs: x.IDs, Report: x.Spec.Report, References: x.Spec.References,
		Claims: x.Spec.Claims,
	}
}
