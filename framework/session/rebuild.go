package session

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// keepCode keeps the strategies of an experiment beside its results, so that tasks elsewhere and
// later commands run what the plan was made with.
func keepCode(run store.Run, sources []plugins.Source) error {
	for _, s := range sources {
		texts := map[string]string{}
		for _, f := range s.Files {
			texts[filepath.Base(f.Name)] = f.Text
		}
		if err := run.SaveCode(s.Digest(), texts); err != nil {
			return fault.Unstorable(run.Dir, err)
		}
	}
	return nil
}

// KeptCode returns a strategy as a run keeps it.
func KeptCode(run store.Run, s store.Strategy) (plugins.Source, error) {
	texts, err := run.LoadCode(s.Digest)
	if errors.Is(err, fs.ErrNotExist) { // an older hansa made the run
		return foundCode(s)
	}
	if err != nil {
		return plugins.Source{}, err
	}
	var files []vet.File
	for name, text := range texts {
		path := s.Path
		if filepath.Base(path) != name { // a folder
			path = filepath.Join(s.Path, name)
		}
		files = append(files, vet.File{Name: path, Text: text})
	}
	slices.SortFunc(files, func(a, b vet.File) int { return strings.Compare(a.Name, b.Name) })
	source := plugins.NewSource(s.Path, files)
	if source.Digest() != s.Digest {
		return plugins.Source{}, fmt.Errorf("the code of %s that %s keeps is not what it was",
			s.Path, run.Dir)
	}
	return source, nil
}

// foundCode returns a strategy as it lies where its author has it, if that is what it was.
func foundCode(s store.Strategy) (plugins.Source, error) {
	source, err := plugins.Read(s.Path)
	if err == nil && source.Digest() != s.Digest {
		return plugins.Source{}, fmt.Errorf("%s has changed since the run was planned, and the "+
			"run keeps no copy of it; hansa run plans it anew", s.Path)
	}
	return source, err
}

// keptTools returns everything built in and the strategies that a run keeps.
func keptTools(
	run store.Run, kept []store.Strategy, budget time.Duration) (*toolbox.Toolbox, error,
) {
	t, err := toolbox.Builtin()
	if err != nil {
		return nil, err
	}
	for _, s := range kept {
		source, err := KeptCode(run, s)
		if err != nil {
			return nil, err
		}
		if err := t.Add(source, budget); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// rebuild composes cells of a stored run again. It is the only way back: every command that needs
// more of a run than its results comes here. Parameters are those that were resolved when the run
// was planned, and the code of strategies is what the run keeps, whatever has become of the
// experiment file and of the files that it names. The experiment has no file, and so no positions.
func rebuild(run store.Run, w *store.Work) (*Experiment, error) {
	tools, err := keptTools(run, w.Strategies, w.Terms.Call)
	if err != nil {
		return nil, err
	}
	x := &Experiment{Tools: tools, Written: w.Cells}
	for range w.Cells {
		x.Shown = append(x.Shown, true)
	}
	if problems := x.compose(nil); len(problems) > 0 {
		for i := range problems {
			if problems[i].Pos == (study.Pos{}) {
				problems[i].Pos.File = run.Dir
			}
		}
		return nil, problems
	}
	for i, id := range w.IDs {
		if x.IDs[i] != id {
			return nil, changed(w.Cells[i])
		}
	}
	return x, nil
}

// Rebuild composes resolved cells again, which have these identities and no code of the user's.
func Rebuild(cells []study.Cell, ids []string) (*Experiment, error) {
	return rebuild(store.Run{}, &store.Work{Cells: cells, IDs: ids})
}

// RebuildPlan rebuilds some cells of a plan: those at such indices.
func RebuildPlan(
	run store.Run, p *store.Plan, cells []int, call time.Duration,
) (*Experiment, error) {
	w := &store.Work{Strategies: p.Strategies, Terms: store.Terms{Call: call}}
	for _, i := range cells {
		w.Cells, w.IDs = append(w.Cells, p.Cells[i]), append(w.IDs, p.IDs[i])
	}
	x, err := rebuild(run, w)
	if err != nil {
		return nil, err
	}
	if p.Tuning != nil {
		x.Tune, x.Added = &p.Tuning.Tune, p.Tuning.Added
	}
	if p.File != "" {
		x.Folder = filepath.Dir(seenAgain(run.Dir, p.File))
	}
	return x, nil
}

// RebuildOnly rebuilds the cells of a plan of which --only keeps some.
func RebuildOnly(
	run store.Run, p *store.Plan, only []string, call time.Duration,
) (*Experiment, error) {
	all := make([]int, len(p.Cells))
	for i := range all {
		all[i] = i
	}
	x, err := RebuildPlan(run, p, all, call)
	if err != nil {
		return nil, err
	}
	return x, x.keep(only)
}

// changed says that a cell of a plan has become another one.
func changed(c study.Cell) error {
	return fmt.Errorf("%s is another training run than the one that was planned: this is "+
		"another version of hansa; hansa run plans it anew", c.Label())
}
