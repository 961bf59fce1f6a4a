package plugins

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/vet"
)

var update = flag.Bool("update", false, "rewrite what the features of the dialect should do")

// say is a package that programs of the tests may import, to say what they computed.
const say = "package say\n" +
	"func Line(args ...any)\nfunc Word(args ...any)\nfunc Form(layout string, args ...any)\n"

// interpret vets and interprets a program and returns what it says, or why it is refused.
func interpret(ctx context.Context, name string, p program) (said, refused string) {
	files := []vet.File{{Name: name, Text: p.text}}
	pkg, problems := vet.CheckProgram(files, map[string]string{"say": say})
	if problems != nil {
		return "", problems.Error()
	}
	var out bytes.Buffer
	table := maps.Clone(symbols.Table())
	table["say/say"] = map[string]reflect.Value{
		"Line": reflect.ValueOf(func(args ...any) { fmt.Fprintln(&out, args...) }),
		"Word": reflect.ValueOf(func(args ...any) { fmt.Fprint(&out, args...) }),
		"Form": reflect.ValueOf(func(layout string, args ...any) {
			fmt.Fprintf(&out, layout, args...)
		}),
	}
	m, err := newMachine(ctx, pkg, time.Minute, yaegi{interp.Exports(table)})
	if err != nil {
		return "", err.Error()
	}
	defer m.stop()
	err = m.call(name, p.run, func() error { m.value(p.run).Call(nil); return nil })
	if err != nil {
		return out.String() + "panic\n", ""
	}
	return out.String(), ""
}

// A program is one Go file, and the function in it that says what it computes.
type program struct{ text, run string }

// perPackage is how many programs share a package where their names allow it: the compiler
// takes longer for many packages than for few.
const perPackage = 50

// compile builds programs into one binary, so many to a package, and returns what each says
// when it is called.
func compile(t *testing.T, programs []program, together int) []string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	top, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	// Programs may use the framework, and what that needs.
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", string(sums))
	const hansa = "github.com/hansa-fl/hansa"
	write("go.mod", "module say\n\ngo 1.26\n\nrequire "+hansa+" v0.0.0\n\nreplace "+hansa+" => "+
		top+"\n")
	write("say.go", `package say

import "fmt"

func Line(args ...any)                { fmt.Println(args...) }
func Word(args ...any)                { fmt.Print(args...) }
func Form(layout string, args ...any) { fmt.Printf(layout, args...) }
`)
	var imports, calls strings.Builder
	for i, p := range programs {
		name := fmt.Sprintf("p%05d", i/together)
		write(fmt.Sprintf("%s/f%05d.go", name, i), p.text)
		if i%together == 0 {
			fmt.Fprintf(&imports, "import %s \"say/%s\"\n", name, name)
		}
		fmt.Fprintf(&calls, "\tcall(%s.%s)\n", name, p.run)
	}
	write("main/main.go", "package main\n\nimport \"fmt\"\n"+imports.String()+`
func call(run func()) {
	defer fmt.Println("`+separator+`")
	defer func() {
		if recover() != nil {
			fmt.Println("panic")
		}
	}()
	run()
}

func main() {
`+calls.String()+"}\n")
	cmd := exec.Command("go", "run", "-mod=mod", "-gcflags=say/..."+sparing, "./main")
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, errs.String())
	}
	said := strings.Split(string(out), separator+"\n")
	if len(said) != len(programs)+1 {
		t.Fatalf("%d programs say %d things", len(programs), len(said)-1)
	}
	return said[:len(programs)]
}

const separator = "-- end of program --"

// A section is one named part of a file.
type section struct{ name, text string }

var sectionLine = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// sections cuts a file at the lines "-- name --".
func sections(t *testing.T, path string) (list []section) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := sectionLine.FindAllSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		list = append(list, section{string(text[m[2]:m[3]]), string(text[m[1]:end])})
	}
	return list
}

// Every feature of Go is refused, or does what the compiler makes of it.
func TestFeatures(t *testing.T) {
	features := sections(t, "testdata/features.txt")
	if *update {
		updateFeatures(t, features)
	}
	want := map[string]string{}
	for _, s := range sections(t, "testdata/features.want") {
		want[s.name] = s.text
	}
	for _, s := range features {
		said, refused := interpret(t.Context(), s.name, program{s.text, "Run"})
		if refused != "" {
			said = "refused: " + refused + "\n"
		}
		if said != want[s.name] {
			t.Errorf("%s:\n%s\nwant:\n%s", s.name, said, want[s.name])
		}
	}
}

// updateFeatures writes what the features are refused with, or do when they are compiled.
func updateFeatures(t *testing.T, features []section) {
	var programs []program
	features = slices.Clone(features)
	for i, s := range features {
		_, refused := interpret(t.Context(), s.name, program{s.text, "Run"})
		features[i].text = "refused: " + refused + "\n"
		if refused == "" {
			programs = append(programs, program{s.text, "Run"})
			features[i].text = ""
		}
	}
	said := compile(t, programs, 1)
	var b strings.Builder
	for _, s := range features {
		if s.text == "" {
			s.text, said = said[0], said[1:]
		}
		fmt.Fprintf(&b, "-- %s --\n%s", s.name, s.text)
	}
	if err := os.WriteFile("testdata/features.want", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
