package compile

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins"
)

// small is a source that has what a strategy and the list of strategies need, and an assembler.
var small = &Tree{Digest: "small", texts: map[string][]byte{
	"go.mod":                               []byte("module github.com/hansa-fl/hansa\n\ngo 1.26\n"),
	"framework/kernel/a.s":                 []byte("TEXT ·nothing(SB), 4, $0-0\n\tRET\n"),
	"framework/kernel/a.go":                []byte("package kernel\n\nfunc nothing()\n\nfunc Nothing() { nothing() }\n"),
	"framework/session/toolbox/toolbox.go": []byte("package toolbox\n"),
	"plugins/plugins.go":                   []byte("package plugins\n\ntype Compiled map[string]any\n"),
	"framework/fl/fl.go": []byte(`package fl

type (
	AggregatorEntry struct {
		Name, Summary string
		New           func(*Params) (Aggregator, error)
	}
	Params     struct{}
	Round      struct{ Global []float64 }
	Outcome    struct{ Params []float64 }
	Aggregator interface{ Aggregate(*Round) (Outcome, error) }
)
`),
	"tools/hansa/main.go": []byte(`package main

import (
	"os"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
)

func main() {
	kernel.Nothing()
	for _, all := range toolbox.Compiled() {
		for _, one := range all {
			os.Stdout.WriteString(one.(*fl.AggregatorEntry).Name + "\n")
		}
	}
}
`),
}}

// tellingGo is the toolchain, which notes what it compiles.
const tellingGo = `#!/bin/sh
if [ "$1" != build ]; then exec GO "$@"; fi
shift
exec GO build -x "$@" 2>> NOTES
`

// telling puts tellingGo in front of the toolchain. It returns what tells which packages of a
// source were compiled since it was called last.
func telling(t *testing.T) (compiled func() []string) {
	t.Helper()
	bin := t.TempDir()
	notes := filepath.Join(bin, "notes")
	real, err := exec.LookPath("go")
	if err == nil {
		script := strings.NewReplacer("GO", real, "NOTES", notes).Replace(tellingGo)
		err = os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	command := regexp.MustCompile(`(?m)/compile"? .* -p (?:main|` + modulePath + `/(\S+)) `)
	return func() []string {
		text, err := os.ReadFile(notes)
		if err == nil {
			err = os.Remove(notes)
		}
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
		return slices.Sorted(maps.Keys(found))
	}
}

// makes has a program made of one strategy, and runs it.
func (k *Kit) makes(t *testing.T, name string) {
	t.Helper()
	path, err := k.Program(t.Context(), []*plugins.Strategy{strategy(t, name, name+".go")})
	if err != nil {
		t.Error(err)
		return
	}
	if out, err := exec.Command(path).CombinedOutput(); err != nil || string(out) != name+"\n" {
		t.Errorf("the program says %q (%v), want %s", out, err, name)
	}
}

// left returns the files and links of the folder in which the toolchain sees the source.
func (k *Kit) left(t *testing.T) (list []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(k.Cache, "source"),
		func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				list = append(list, path)
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What was compiled for one program serves the next: only what has a strategy in it is compiled.
// The toolchain sees nothing but the source that the program carries, whatever lies in its folder.
func TestNextProgramIsCompiledQuickly(t *testing.T) {
	k := &Kit{Source: small, Cache: t.TempDir(), Now: time.Now()}
	compiled := telling(t)
	k.makes(t, "a")
	first := compiled()
	for _, want := range []string{"", "framework/fl", "framework/kernel",
		"framework/session/toolbox", "plugins"} {
		if !slices.Contains(first, want) {
			t.Errorf("%q is not compiled for the first program: %q", want, first)
		}
	}
	damage(t, k)
	k.makes(t, "b")
	again := compiled()
	for i, name := range again {
		if strings.HasPrefix(name, plugins.CompiledFolder+"/") {
			again[i] = plugins.CompiledFolder
		}
	}
	want := []string{"", "framework/session/toolbox", plugins.CompiledFolder}
	if slices.Sort(want); !slices.Equal(again, want) {
		t.Errorf("for the second program it compiles %q, want %q", again, want)
	}
	if list := k.left(t); len(list) > 0 {
		t.Errorf("in the folder of the source are %q", list)
	}
}

// damage puts into the folder of the source what would make other programs, or none: a file cut
// short, one that is not of the source, a module's dependencies, and a link in place of a folder.
func damage(t *testing.T, k *Kit) {
	t.Helper()
	top, other := filepath.Join(k.Cache, "source"), t.TempDir()
	kept := filepath.Join(other, "fl.go")
	err := errors.Join(
		os.WriteFile(filepath.Join(top, "go.mod"), []byte("modu"), 0o666),
		os.WriteFile(filepath.Join(top, "plugins", "more.go"), []byte("package x\n"), 0o666),
		os.Mkdir(filepath.Join(top, "vendor"), 0o777),
		os.WriteFile(filepath.Join(top, "vendor", "modules.txt"), []byte("# x v1\n"), 0o666),
		os.WriteFile(kept, []byte("package fl\n"), 0o666),
		os.Remove(filepath.Join(top, "framework", "fl")),
		os.Symlink(other, filepath.Join(top, "framework", "fl")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("what a link leads to was touched: %v", err)
		}
	})
}

// The folder may be a link to another one, which stays, or a file.
func TestFolderOfSource(t *testing.T) {
	k := &Kit{Source: small, Cache: t.TempDir()}
	top := filepath.Join(k.Cache, "source")
	for _, put := range []func() error{
		func() error { return os.Symlink(t.TempDir(), top) },
		func() error { return os.WriteFile(top, nil, 0o666) },
		func() error { return nil },
	} {
		if err := errors.Join(os.RemoveAll(top), put()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := k.folder(); err != nil {
				t.Error(err)
			} else if want, err := filepath.EvalSymlinks(k.Cache); got != filepath.Join(want, "source") {
				t.Errorf("it is %s, want one in %s (%v)", got, want, err)
			}
		}
		if info, err := os.Lstat(filepath.Join(top, "tools", "hansa")); err != nil || !info.IsDir() {
			t.Errorf("a folder of the source is missing: %v", err)
		}
	}
}

// Programs of other strategies are made at the same time in the same folder, damaged or not.
func TestProgramsAtOnce(t *testing.T) {
	k := &Kit{Source: small, Cache: t.TempDir(), Now: time.Now()}
	if _, err := k.folder(); err != nil {
		t.Fatal(err)
	}
	damage(t, k)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		all.Go(func() { k.makes(t, name) })
	}
	all.Wait()
	if list := k.left(t); len(list) > 0 {
		t.Errorf("in the folder of the source are %q", list)
	}
}

// A cache in which nothing can be written is named, and one that has the program will do.
func TestCacheThatCannotBeWritten(t *testing.T) {
	list := []*plugins.Strategy{strategy(t, "a", "a.go")}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	k := &Kit{Source: small, Cache: filepath.Join(file, "cache"), Now: time.Now()}
	var wrong *fs.PathError
	if _, err := k.Program(t.Context(), list); !errors.As(err, &wrong) ||
		!strings.HasPrefix(wrong.Path, file) {
		t.Errorf("%v does not name %s", err, file)
	}
	k.Cache = t.TempDir()
	path := k.place(list)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o555),
		os.Chmod(filepath.Dir(path), 0o555), os.Chmod(k.Cache, 0o555))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(os.Chmod(k.Cache, 0o777), os.Chmod(filepath.Dir(path), 0o777)) })
	if got, err := k.Program(t.Context(), list); err != nil || got != path {
		t.Errorf("%s (%v), want %s", got, err, path)
	}
}
