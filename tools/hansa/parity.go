package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// How often a strategy is played, compiled and interpreted.
const (
	paritySeeds  = "20"
	parityRounds = "rounds=8"
)

// parity compiles a strategy and plays an experiment with each of its components twice, as it
// is interpreted and as it was compiled. It returns what it compared; results that differ in a
// bit are a problem.
func (c *command) parity(ctx context.Context, path string) (string, error) {
	list, err := interpretAll([]string{path})
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "hansa-parity-")
	if err != nil {
		return "", faulty(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it does no harm
	program := filepath.Join(dir, "hansa")
	if err := c.build(ctx, []string{path}, program, ""); err != nil {
		return "", err
	}
	var problems study.Problems
	compared := 0
	for k, e := range list[0].Entries {
		p := pair{dir: filepath.Join(dir, fmt.Sprint(k)), program: program}
		differ, n, err := p.play(ctx, path, e)
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", e.Kind, e.Name, err)
		}
		compared += n
		for _, name := range differ {
			problems = append(problems, study.Problem{Pos: e.Pos, Message: fmt.Sprintf(
				"%s %s: compiled, it gives another result: %s", e.Kind, e.Name, name)})
		}
	}
	if len(problems) > 0 {
		return "", problems
	}
	return fmt.Sprintf("%s%s, interpreted and compiled: the same bits\n", margin,
		count(compared, "result", "results")), nil
}

// A pair is one experiment that two programs play.
type pair struct{ dir, program string }

// play plays an experiment with a component and returns which results differ, and how many
// there are.
func (p pair) play(
	ctx context.Context, path string, e plugins.Entry,
) (differ []string, compared int, err error) {
	file, err := p.experiment(path, e)
	if err != nil {
		return nil, 0, faulty(err)
	}
	args := func(to string) []string {
		return []string{"run", file, "--dir", filepath.Join(p.dir, to), "--seeds", paritySeeds,
			"--set", parityRounds, "--set", "measure_every=1"}
	}
	var said bytes.Buffer
	if code := hansa(ctx, io.Discard, &said, args("interpreted")); code != exitOK {
		return nil, 0, faulty(fmt.Errorf("interpreted, it fails:\n%s", &said))
	}
	compiled := exec.CommandContext(ctx, p.program, args("compiled")...)
	if said, err := compiled.CombinedOutput(); err != nil {
		return nil, 0, faulty(fmt.Errorf("compiled, it fails: %w\n%s", err, said))
	}
	a, err := filesIn(filepath.Join(p.dir, "interpreted", "results"))
	if err != nil {
		return nil, 0, faulty(err)
	}
	b, err := filesIn(filepath.Join(p.dir, "compiled", "results"))
	if err != nil {
		return nil, 0, faulty(err)
	}
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

// asMine is where the experiment of a template names its strategy.
var asMine = regexp.MustCompile(`\{ name = "mine"[^}]*\}`)

// experiment writes that of the template of the kind, with the component in it.
func (p pair) experiment(path string, e plugins.Entry) (string, error) {
	text, err := draft{kind: e.Kind}.template("mine.toml")
	if err != nil {
		return "", err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	pick := map[string]any{"name": e.Name}
	maps.Copy(pick, e.Example)
	text = asMine.ReplaceAllLiteralString(text, literal(pick))
	text = regexp.MustCompile(`"mine\.go"`).ReplaceAllLiteralString(text, literal(full))
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(p.dir, "parity.toml")
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
