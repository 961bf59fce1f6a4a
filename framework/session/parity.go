package session

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/draft"
)

// How often a strategy is played, compiled and interpreted.
const (
	paritySeeds  = "20"
	parityRounds = "rounds=8"
)

// Parity plays an experiment with each component of a strategy twice, interpreted and compiled. It
// returns how many results it compared; those that differ in a bit are a problem.
func Parity(ctx context.Context, path string) (compared int, err error) {
	list, err := toolbox.Interpret([]string{path}, exam.Budget)
	if err != nil {
		return 0, err
	}
	if _, err := list.Compile(ctx, false); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "hansa-parity-")
	if err != nil {
		return 0, fault.Of(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it does no harm
	var problems study.Problems
	for k, e := range list[0].Entries {
		differ, n, err := bothWays(ctx, filepath.Join(dir, fmt.Sprint(k)), path, e)
		if err != nil {
			return 0, fmt.Errorf("%s %s: %w", e.Kind, e.Name, err)
		}
		compared += n
		for _, name := range differ {
			problems = append(problems, study.Problem{Pos: e.Pos, Message: fmt.Sprintf(
				"%s %s: compiled, it gives another result: %s", e.Kind, e.Name, name)})
		}
	}
	if len(problems) > 0 {
		return 0, problems
	}
	return compared, nil
}

// bothWays plays an experiment with a component and returns which results differ, and how many
// there are.
func bothWays(ctx context.Context, dir, path string, e plugins.Entry) (
	differ []string, compared int, err error,
) {
	file, err := parityExperiment(dir, path, e)
	if err != nil {
		return nil, 0, fault.Of(err)
	}
	results := map[string]map[string]string{}
	for _, way := range []string{AsInterpreted, AsCompiled} {
		if err := playOnce(ctx, file, filepath.Join(dir, way), way); err != nil {
			return nil, 0, fault.Of(fmt.Errorf("%s, it fails: %w", way, err))
		}
		if results[way], err = filesIn(filepath.Join(dir, way, "results")); err != nil {
			return nil, 0, fault.Of(err)
		}
	}
	a, b := results[AsInterpreted], results[AsCompiled]
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != b[name] {
			differ = append(differ, name)
		}
	}
	if len(a) != len(b) {
		differ = append(differ, fmt.Sprintf("%d of %d", len(b), len(a)))
	}
	return differ, len(a), nil
}

// playOnce runs all cells of an experiment in a new folder, with strategies of one way.
func playOnce(ctx context.Context, file, dir, way string) error {
	s := new(Session)
	x, err := s.Load(ctx, file, &Overrides{Seeds: paritySeeds,
		Set: []string{parityRounds, "measure_every=1"}})
	if err == nil {
		_, err = s.RunExperiment(ctx, x, dir, Options{Terms: store.Terms{Strategies: way}})
	}
	return err
}

// asMine is where the experiment of a template names its strategy.
var asMine = regexp.MustCompile(`\{ name = "mine"[^}]*\}`)

// parityExperiment writes that of the template of the kind, with the component in it.
func parityExperiment(dir, path string, e plugins.Entry) (string, error) {
	text, err := draft.Draft{Kind: e.Kind}.Template("mine.toml")
	if err != nil {
		return "", err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	pick := map[string]any{"name": e.Name}
	maps.Copy(pick, e.Example)
	text = asMine.ReplaceAllLiteralString(text, settings.Literal(pick))
	text = regexp.MustCompile(`"mine\.go"`).ReplaceAllLiteralString(text, settings.Literal(full))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(dir, "parity.toml")
	return file, os.WriteFile(file, []byte(text), 0o666)
}

// filesIn returns the contents of all files below a folder, by their names.
func filesIn(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(content)
		return err
	})
	return files, err
}
