package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// overrides are what changes an experiment that is read.
type overrides struct {
	Set   []string // "key=value", or "label: key=value" for one method
	Seeds string   // a number of seeds, or a list such as "0,3,7"; "": those of the file
	Only  []string // "key=value": keep the cells of a method, a seed or a point of the sweep
}

// folders are where data files are looked for, in this order: in the folder of the experiment, as
// plugins are, where there is one; in those of --data and of $HANSA_DATA; in the cache folder.
func folders(experiment, flag string) []string {
	var all []string
	for _, dir := range slices.Concat([]string{experiment}, pathsIn(flag),
		pathsIn(os.Getenv("HANSA_DATA")), []string{cache()}) {
		if dir != "" && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

// pathsIn returns the folders of a list with the separator of the system, such as a:b, or the one
// folder that is called so.
func pathsIn(text string) []string {
	if _, err := os.Stat(text); err == nil {
		return []string{text}
	}
	return filepath.SplitList(text)
}

// folders are where the data files of an experiment are looked for.
func (x *experiment) folders(o *options) []string {
	if o.Folders != nil {
		return o.Folders
	}
	return folders(x.folder, o.Data)
}

// cache is where data sets lie when nothing else is said: hansa/data of the user's cache
// folder, or nothing where there is no such folder.
func cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "hansa", "data")
}

// encoderCache is where encoders that were trained are kept: hansa/encoders of the user's cache folder,
// or nothing where there is no such folder.
func encoderCache() engine.DiskCache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &store.DiskCache{Dir: filepath.Join(dir, "hansa", "encoders"),
		Program: carried}
}

// An experiment is a file whose names have become components.
type experiment struct {
	spec    *study.Spec
	folder  string // of the file, in which data files are looked for; empty where there is none
	tools   *toolbox
	written []study.Cell   // all of them, as the file has them
	cells   []study.Cell   // resolved
	setups  []engine.Setup // without the components of those that are foreign
	ids     []string
	foreign []bool // whether a component of the cell is of a strategy
	shown   []bool // whether --only keeps the cell
}

// load reads an experiment, composes every cell of it and reports all mistakes at once. Calls
// into strategies may take as long as the budget.
func load(file string, o *overrides, budget time.Duration) (*experiment, error) {
	return loadAfter(file, o, budget, func(*toolbox) error { return nil })
}

// loadAfter is load that examines strategies before anything is built of them.
func loadAfter(
	file string, o *overrides, budget time.Duration, examine func(*toolbox) error,
) (*experiment, error) {
	spec, err := study.Read(file, study.Overrides{Set: o.Set, Seeds: o.Seeds})
	var problems study.Problems
	switch {
	case errors.As(err, new(*fs.PathError)):
		return nil, unreadable(file, err)
	case err != nil && (spec == nil || !errors.As(err, &problems)):
		return nil, err
	}
	x := &experiment{spec: spec, folder: filepath.Dir(file)}
	var more study.Problems
	x.tools, err = openToolbox(spec.Plugins, budget)
	if errors.As(err, &more) { // everything else might be blamed for them
		return nil, append(problems, more...)
	}
	if err != nil {
		return nil, err
	}
	err = examine(x.tools)
	if errors.As(err, &more) {
		return nil, append(problems, more...)
	}
	if err != nil {
		return nil, err
	}
	x.written, err = spec.Expand()
	if errors.As(err, &more) {
		problems = append(problems, more...)
	}
	if err := x.rehearse(budget); err != nil {
		return nil, err
	}
	problems = x.compose(problems)
	if len(problems) > 0 {
		return nil, problems
	}
	if problems := study.Duplicates(x.cells); len(problems) > 0 {
		return nil, problems
	}
	return x, x.keep(o.Only)
}

// unreadable says why a file cannot be read, and which one was probably meant.
func unreadable(file string, err error) study.Problems {
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
		if runName(path) == runName(file) {
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
func (x *experiment) rehearse(budget time.Duration) error {
	if len(x.tools.loaded) == 0 {
		return nil
	}
	var first []study.Cell
	for i, c := range x.written {
		if i%len(x.spec.Seeds) == 0 {
			first = append(first, c)
		}
	}
	o := order{Sources: x.tools.sources, Budget: budget}
	return rehearse(x.spec.Plugins[0].At, first, o)
}

// compose turns the names in every cell into components, and returns the problems that
// were known already with those that this adds.
func (x *experiment) compose(problems study.Problems) study.Problems {
	known := len(problems)
	for _, c := range x.written {
		setup, resolved, wrong := x.tools.registry.Compose(c)
		for _, p := range wrong {
			// What has no place in the file is a consequence of a problem that has one.
			if known == 0 || p.Pos != (study.Pos{}) {
				problems = append(problems, p)
			}
		}
		foreign := x.tools.loaded.foreign(resolved)
		if foreign { // an interpreter for every cell would take a lot of memory
			setup = engine.Setup{ID: setup.ID, Rounds: setup.Rounds, Inspectors: setup.Inspectors}
		}
		x.cells = append(x.cells, resolved)
		x.setups = append(x.setups, setup)
		x.ids = append(x.ids, setup.ID)
		x.foreign = append(x.foreign, foreign)
	}
	return problems
}

// setup returns the components of a cell.
func (x *experiment) setup(i int) (*engine.Setup, error) {
	if !x.foreign[i] {
		return &x.setups[i], nil
	}
	setup, _, problems := x.tools.registry.Compose(x.written[i])
	if len(problems) > 0 {
		return nil, problems
	}
	return &setup, nil
}

// keep marks the cells that --only asks for.
func (x *experiment) keep(filters []string) (err error) {
	x.shown, err = study.Kept(x.cells, filters)
	return err
}

// arms returns the index of the first shown cell of every method at every point.
func (x *experiment) arms() (first []int) {
	var shown []int
	var cells []study.Cell
	for i, c := range x.cells {
		if x.shown[i] {
			shown, cells = append(shown, i), append(cells, c)
		}
	}
	for _, k := range study.Arms(cells) {
		first = append(first, shown[k])
	}
	return first
}

// eachArm visits the first shown cell of every method at every point, with its components, and stops
// at the first error, which then says of which cell it is.
func (x *experiment) eachArm(visit func(i int, cell *study.Cell, setup *engine.Setup) error) error {
	for _, i := range x.arms() {
		setup, err := x.setup(i)
		if err == nil {
			err = visit(i, &x.cells[i], setup)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", x.cells[i].Label(), err)
		}
	}
	return nil
}

// seeds returns the seeds of the shown cells.
func (x *experiment) seeds() []uint64 {
	var list []uint64
	known := map[uint64]bool{}
	for i, c := range x.cells {
		if x.shown[i] && !known[c.Seed] {
			known[c.Seed] = true
			list = append(list, c.Seed)
		}
	}
	return list
}

// plan returns what is stored of the experiment beside its results.
func (x *experiment) plan(command string) *store.Plan {
	return &store.Plan{
		Strategies: x.tools.stored(),
		Title:      x.spec.Title, Command: command, Hash: store.HashOf(x.ids),
		Cells: x.cells, IDs: x.ids, Report: x.spec.Report, References: x.spec.References,
	}
}
