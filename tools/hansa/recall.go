package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
			return unstorable(run.Dir, err)
		}
	}
	return nil
}

// keptCode returns a strategy as a run keeps it.
func keptCode(run store.Run, s store.Strategy) (plugins.Source, error) {
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
		if !strings.HasSuffix(path, ".go") { // a folder
			path = filepath.Join(s.Path, name)
		}
		files = append(files, vet.File{Name: path, Text: text})
	}
	slices.SortFunc(files, func(a, b vet.File) int { return strings.Compare(a.Name, b.Name) })
	source := plugins.NewSource(s.Path, files)
	if source.Digest() != s.Digest {
		return source, fmt.Errorf("the code of %s that %s keeps is not what it was", s.Path,
			run.Dir)
	}
	return source, nil
}

// foundCode returns a strategy as it lies where its author has it, if that is what it was.
func foundCode(s store.Strategy) (plugins.Source, error) {
	source, err := plugins.Read(s.Path)
	if err == nil && source.Digest() != s.Digest {
		err = fmt.Errorf("%s has changed since the run was made; hansa run it again", s.Path)
	}
	return source, err
}

// keptTools returns everything built in and the strategies that a run keeps.
func keptTools(run store.Run, kept []store.Strategy, budget time.Duration) (*toolbox, error) {
	t, err := builtinTools()
	if err != nil {
		return nil, err
	}
	for _, s := range kept {
		source, err := keptCode(run, s)
		if err != nil {
			return nil, err
		}
		if err := t.add(source, budget); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// recall returns the experiment of which a run keeps some cells. It has no file, and so no
// positions.
func recall(run store.Run, w *store.Work) (*experiment, error) {
	tools, err := keptTools(run, w.Strategies, w.Terms.Call)
	if err != nil {
		return nil, err
	}
	x := &experiment{tools: tools}
	for _, c := range w.Cells {
		x.written = append(x.written, withWholeNumbers(c))
		x.shown = append(x.shown, true)
	}
	if problems := x.compose(nil); len(problems) > 0 {
		return nil, problems
	}
	for i, id := range w.IDs {
		if x.ids[i] != id {
			return nil, changed(w.Cells[i])
		}
	}
	return x, nil
}

// changed says that a cell of a plan has become another one.
func changed(c study.Cell) error {
	return fmt.Errorf("%s is not what it was when it was planned: a strategy has changed since, "+
		"or this is another hansa; hansa run it again", name(c))
}

// withWholeNumbers returns a cell as it was before it went through JSON.
func withWholeNumbers(c study.Cell) study.Cell {
	for _, p := range c.Picks {
		wholeNumbers(p.Params)
	}
	for _, p := range c.Preprocess {
		wholeNumbers(p.Params)
	}
	for _, m := range c.Measures {
		wholeNumbers(m.Params)
	}
	return c
}

// wholeNumbers makes numbers that JSON read integers again where they are whole.
func wholeNumbers(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = wholeNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = wholeNumbers(v[k])
		}
	}
	return v
}
