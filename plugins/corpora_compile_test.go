package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins/corpora"
)

// sharing is how many programs share a binary: most take longer to link than to compile.
const sharing = 40

// A linked program is one in a binary that others may share.
type linked struct {
	binary string
	index  int
}

// compileCorpora compiles programs by one go build. A program that initialises something when its
// package is initialised has a binary of its own.
func compileCorpora(t *testing.T, programs []corpora.Program) []linked {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module recorder\n\ngo 1.26\n")
	write("recorder.go", corpora.Compiled)
	groups := groupsOf(programs)
	where := make([]linked, len(programs))
	for g, group := range groups {
		name := fmt.Sprintf("m%05d", g)
		for _, i := range group {
			where[i] = linked{filepath.Join(dir, "bin", name), i}
			write(fmt.Sprintf("p%05d/p.go", i), programs[i].Text)
		}
		write(name+"/main.go", mainOf(group))
	}
	build := exec.Command("go", "build", "-gcflags=-N -l -dwarf=false", "-ldflags=-s -w",
		"-o", "bin/", "./...")
	build.Dir = dir
	var errs bytes.Buffer
	build.Stderr = &errs
	if err := build.Run(); err != nil {
		t.Fatalf("go build: %v\n%s", err, errs.String())
	}
	return where
}

// groupsOf returns which programs share a binary.
func groupsOf(programs []corpora.Program) (groups [][]int) {
	var shared []int
	for i, p := range programs {
		if p.Initialises {
			groups = append(groups, []int{i})
			continue
		}
		if shared = append(shared, i); len(shared) == sharing {
			groups, shared = append(groups, shared), nil
		}
	}
	if shared != nil {
		groups = append(groups, shared)
	}
	return groups
}

// mainOf returns the program that calls the one of a group that its argument names.
func mainOf(group []int) string {
	var imports, cases strings.Builder
	for _, i := range group {
		fmt.Fprintf(&imports, "import p%d \"recorder/p%05d\"\n", i, i)
		fmt.Fprintf(&cases, "\tcase \"%d\":\n\t\tp%d.%s()\n", i, i, corpora.Run)
	}
	return "package main\n\nimport \"os\"\n" + imports.String() + `
func main() {
	defer func() {
		if recover() != nil {
			os.Stdout.WriteString("` + strings.TrimSpace(endsInPanic) + `\n")
		}
	}()
	switch os.Args[1] {
` + cases.String() + "\t}\n}\n"
}

// run runs a compiled program.
func (c linked) run(ctx context.Context, limit time.Duration) ending {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(within, c.binary, strconv.Itoa(c.index))
	cmd.Env = append(os.Environ(), "GOTRACEBACK=none")
	said, errs := &limited{left: mostSaid}, &limited{left: 1 << 12}
	cmd.Stdout, cmd.Stderr = said, errs
	err := cmd.Run()
	if within.Err() != nil {
		return ending{Slow: true}
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		text, _, _ := strings.Cut(errs.String(), "\n")
		return ending{Said: died + text + "\n"}
	}
	if err != nil {
		return ending{Said: died + err.Error() + "\n"}
	}
	return ending{Said: said.String()}
}
