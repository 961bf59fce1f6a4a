package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// RunName returns what the run of an experiment file is called.
func RunName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".toml") }

// openRun returns the run of an experiment in a folder, and stores its plan there. It also returns
// the plan that was there, or nil.
func (s *Session) openRun(dir, file string, plan *store.Plan) (
	run store.Run, old *store.Plan, err error,
) {
	run.Dir = dir
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return run, nil, fmt.Errorf("%s is a file; name the folder of the run with --dir", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return run, nil, fault.Unstorable(dir, err)
	}
	if old, err = s.claim(run, file, plan); err != nil {
		return run, nil, fmt.Errorf("%w; name another folder with --dir", err)
	}
	plan.File = seenFrom(dir, file)
	for i := range plan.Strategies {
		plan.Strategies[i].File = seenFrom(dir, plan.Strategies[i].Path)
	}
	if err := errors.Join(run.Tidy(), run.SavePlan(plan)); err != nil {
		return run, nil, fault.Unstorable(dir, err)
	}
	return run, old, nil
}

// claim refuses a folder that holds the run of another experiment file: two files of one
// name would else take turns in it. It returns the plan that is there, or nil. Of a plan that is
// damaged nothing is believed: it is about to be written again, and results are known by their ids.
func (s *Session) claim(run store.Run, file string, plan *store.Plan) (*store.Plan, error) {
	old, err := sameFile(run, file, plan)
	if healable(run, err) {
		s.tell(fmt.Errorf("%w; it is written again from %s, and results that verify stay", err,
			file))
		return nil, nil
	}
	return old, err
}

// healable reports whether a plan is damaged in a folder that holds a run: where nothing else of a
// run is, a plan.json that is no plan may be that of another program.
func healable(run store.Run, err error) bool {
	_, missing := os.Lstat(filepath.Join(run.Dir, "results"))
	return errors.Is(err, store.ErrDamaged) && missing == nil
}

// sameFile wants a folder to hold the run of an experiment file, or none, and returns its plan. A
// run that was moved is known by a cell that its plan has in common with the one of the file, if
// that is not nil.
func sameFile(run store.Run, file string, plan *store.Plan) (*store.Plan, error) {
	if !isRun(run.Dir) {
		return nil, nil
	}
	old, err := run.LoadPlan()
	if err != nil {
		return nil, fault.Of(err)
	}
	theirs := seenAgain(run.Dir, old.File)
	switch _, err := os.Stat(theirs); {
	case old.File == seenFrom(run.Dir, file):
	case plan != nil && err != nil && without(plan.IDs, old.IDs) < without(plan.IDs, nil):
	default:
		return nil, fmt.Errorf("%s holds the run of %s, not of %s", run.Dir, theirs, file)
	}
	return old, nil
}

// seenFrom returns the path of a file from a folder. It is the same from wherever either
// is named, and stays the same when both are moved.
func seenFrom(dir, file string) string {
	path, err := filepath.Rel(Real(dir), Real(file))
	if err != nil { // on another drive
		path = Real(file)
	}
	return filepath.ToSlash(path)
}

// seenAgain returns the path of a file that seenFrom wrote down.
func seenAgain(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Real returns the one absolute path of a file that exists.
func Real(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return path
}

// errTwoRuns says that a name is that of two runs.
var errTwoRuns = errors.New("is the name of two runs")

// FindRun returns the run that a command line calls by its name, by the experiment file
// or by its folder. A name of two runs, a folder of the current folder and one below ./runs, is
// refused.
func FindRun(arg string) (store.Run, error) {
	run := store.Run{Dir: filepath.Join("runs", RunName(arg))}
	if isRun(arg) {
		if filepath.Base(arg) == arg && isRun(run.Dir) && Real(arg) != Real(run.Dir) {
			return run, fmt.Errorf("%s %w: write %s or %s", arg, errTwoRuns,
				filepath.FromSlash("./"+arg), run.Dir)
		}
		return store.Run{Dir: arg}, nil
	}
	if isRun(run.Dir) {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			_, err := sameFile(run, arg, nil)
			if healable(run, err) {
				err = nil // PlanOf says what heals it
			}
			return run, err
		}
		return run, nil
	}
	hint := "there are no runs in ./runs; hansa run FILE makes one"
	if names := RunNames(); len(names) > 0 {
		hint = study.Suggest(RunName(arg), names)
	}
	return run, fmt.Errorf("there is no run %q; %s", arg, hint)
}

// AsPlanned reports whether a command line names a run by its name or folder, and no file of an
// experiment.
func AsPlanned(arg string) bool {
	info, err := os.Stat(arg)
	if err == nil && info.Mode().IsRegular() || err != nil && filepath.Ext(arg) == ".toml" {
		return false
	}
	_, err = FindRun(arg)
	return err == nil || errors.Is(err, errTwoRuns)
}

// isRun reports whether a folder holds a run.
func isRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "plan.json"))
	return err == nil
}

// RunNames lists the runs of the current folder.
func RunNames() []string { return runsIn("runs") }

// runsIn lists the runs in a folder.
func runsIn(folder string) []string {
	found, err := fs.Glob(os.DirFS(folder), "*/plan.json")
	if err != nil {
		return nil // it says that the pattern is malformed
	}
	var names []string
	for _, path := range found {
		names = append(names, strings.TrimSuffix(path, "/plan.json"))
	}
	return names
}

// FindPlan returns a run, and its plan.
func FindPlan(arg string) (store.Run, *store.Plan, error) {
	run, err := FindRun(arg)
	if err != nil {
		return run, nil, err
	}
	plan, err := PlanOf(run)
	return run, plan, err
}

// PlanOf returns the plan of a run, or says how one that is damaged is put right.
func PlanOf(run store.Run) (*store.Plan, error) {
	plan, err := run.LoadPlan()
	if healable(run, err) {
		err = fmt.Errorf("%w; hansa run FILE, with the experiment of the run, heals it", err)
	}
	return plan, fault.Of(err)
}

// without counts the ids that others do not have, each once.
func without(ids, others []string) (n int) {
	known := map[string]bool{}
	for _, id := range others {
		known[id] = true
	}
	for _, id := range ids {
		if !known[id] {
			known[id] = true
			n++
		}
	}
	return n
}
