package plugins

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/plugins/grammar"
)

// seeCompiled is the package see for compiled programs.
const seeCompiled = `package see

import (
	"bytes"
	"math"
	"strconv"
)

var out = []*bytes.Buffer{new(bytes.Buffer)}

func line(text string) {
	out[len(out)-1].WriteString(text)
	out[len(out)-1].WriteByte('\n')
}

func Int(x int64)   { line("i" + strconv.FormatInt(x, 10)) }
func Uint(x uint64) { line("u" + strconv.FormatUint(x, 10)) }
func Text(x string) { line("t" + strconv.Quote(x)) }
func Bool(x bool)   { line("b" + strconv.FormatBool(x)) }
func Float(x float64) {
	if x != x {
		line("fNaN")
		return
	}
	line("f" + strconv.FormatUint(math.Float64bits(x), 16))
}
func Hold() { out = append(out, new(bytes.Buffer)) }
func Held() string {
	last := out[len(out)-1]
	out = out[:len(out)-1]
	return last.String()
}

// All returns what was said and begins anew.
func All() string {
	all := out[0].String()
	out = []*bytes.Buffer{new(bytes.Buffer)}
	return all
}
`

const mainCompiled = `
func call(run func()) {
	defer func() {
		p := recover()
		os.Stdout.WriteString(see.All())
		if p != nil {
			fmt.Printf("panic: %%v\n", p)
		}
		fmt.Println(%q)
	}()
	run()
}

func main() {
%s}
`

// sparing are flags of the compiler for packages of programs: it optimises them, as it does
// strategies, but spends no time on inlining and on what debuggers read.
const sparing = "=-l -dwarf=false"

// compilePrograms builds packages of programs into one binary and returns what each use says, by
// package, program and use.
func compilePrograms(t *testing.T, packages [][]grammar.Text) [][][]string {
	t.Helper()
	dir, err := os.MkdirTemp("", "grammar") // a full run makes hundreds of them
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module see\n\ngo 1.26\n")
	write("see.go", seeCompiled)
	var imports, calls strings.Builder
	for i, texts := range packages {
		for _, text := range texts {
			write(fmt.Sprintf("p%04d/%s", i, text.Name), text.Source)
			for _, u := range text.Uses {
				fmt.Fprintf(&calls, "\tcall(p%04d.%s)\n", i, u.Run())
			}
		}
		fmt.Fprintf(&imports, "\tp%04d \"see/p%04d\"\n", i, i)
	}
	write("main/main.go", "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"see\"\n"+
		imports.String()+")\n"+fmt.Sprintf(mainCompiled, separator, calls.String()))
	command(t, dir, "go", "build", "-ldflags=-s -w", "-gcflags=see/..."+sparing, "-o", "programs",
		"./main")
	out := command(t, dir, filepath.Join(dir, "programs"))
	said := strings.Split(out, separator+"\n")
	list := make([][][]string, len(packages))
	for i, texts := range packages {
		list[i] = make([][]string, len(texts))
		for j, text := range texts {
			for range text.Uses {
				list[i][j], said = append(list[i][j], withClass(said[0])), said[1:]
			}
		}
	}
	return list
}

// ownCache makes the go command keep what it builds in a folder that lasts until the next one: what
// a full run builds would fill that of the user.
func (p *proof) ownCache(t *testing.T) {
	t.Helper()
	if p.cache != "" {
		os.RemoveAll(p.cache)
	}
	p.cache = t.TempDir()
	t.Setenv("GOCACHE", p.cache)
}

// withClass replaces the message of a panic by its class.
func withClass(said string) string {
	before, message, panicked := strings.Cut(said, "panic: ")
	if !panicked {
		return said
	}
	return before + panicClass(strings.TrimSuffix(message, "\n")) + "\n"
}

// command runs a command and returns what it prints.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		text := errs.String()
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, text[:min(len(text), 4000)])
	}
	return string(out)
}
