package corpora

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
)

// What prints and ends a program is replaced, values of its own types are made text of, and its
// init functions are called.
func TestAdapt(t *testing.T) {
	p := adapt("x.go", `// run

package main

import (
	"fmt"
	"os"
	"strings"
)

type pair struct {
	a int
	b []celsius
}

type celsius float64

func (c celsius) String() string { return strings.Repeat("°", int(c)) }

var p *pair

func init() { p = new(pair) }

//go:noinline
func main() {
	println(1)
	fmt.Println(p, p.b, nil, "x")
	fmt.Fprintf(os.Stderr, "%v", *p)
	os.Exit(1)
}
`)
	if p.Left != "" || p.Initialises {
		t.Fatalf("left out for %q, initialises %t", p.Left, p.Initialises)
	}
	for _, want := range []string{
		`package program; import recorder "recorder"`,
		"func init5() {", "\trecorder.Println(1)\n", "// go:noinline\n",
		"\trecorder.Println(show0(p), show2(p.b), nil, \"x\")\n",
		"\trecorder.Printf(\"%v\", show1(*p))\n",
		"\trecorder.Exit(1)\n",
		"func RunProgram() {\n\tinit5()\n\tmain()\n}\n",
		"func show0(v *pair) string {\n\tif v == nil {\n\t\treturn \"<nil>\"",
		`return "{" + recorder.Text(v.a) + show2(v.b) + "}"`,
		"return v.String()",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not in\n%s", want, p.Text)
		}
	}
	for _, gone := range []string{`"fmt"`, `"os"`} {
		if strings.Contains(p.Text, gone) {
			t.Errorf("%s is still imported", gone)
		}
	}
	if lines := strings.Split(p.Text, "\n"); lines[21] != "func init5() { p = new(pair) }" {
		t.Errorf("lines have moved: %q", lines[21])
	}
}

// Programs are left out for what they need, and only for that.
func TestLeft(t *testing.T) {
	const body = "\n\nfunc main() {}\n"
	for text, want := range map[string]string{
		"package main" + body:                                                     "",
		"package main; import _ \"sync/atomic\"" + body:                           "imports sync",
		"package main; import _ \"time\"; import _ \"unsafe\"" + body:             "imports unsafe",
		"package main; import _ \"time\"" + body:                                  "imports time",
		"package main; func f() { go f() }" + body:                                goroutines,
		"package main; func f(c chan int) {}" + body:                              goroutines,
		"package main; import \"fmt\"; var _ = fmt.Sscan" + body:                  "uses fmt.Sscan",
		"package main; import \"os\"; var _ = os.Stdout" + body:                   "uses os.Stdout",
		"package main; var x int = false" + body:                                  notGo,
		"package main; var x int = " + body:                                       notGo,
		"package main; var x int":                                                 notMain,
		"package other" + body:                                                    notMain,
		"package main; var x = f(); func f() int { println(1); return 1 }" + body: "",
	} {
		p := adapt("x.go", text)
		if p.Left != want {
			t.Errorf("%q is left out for %q, not for %q", text, p.Left, want)
		}
		if p.Initialises != strings.Contains(text, "= f()") {
			t.Errorf("%q initialises: %t", text, p.Initialises)
		}
	}
}

// A file is one of Go's that are run by its first comment.
func TestIsRun(t *testing.T) {
	for text, want := range map[string]bool{
		"// run\n":                        true,
		"//go:build amd64\n\n// run -l\n": true,
		"// rundir\n":                     false,
		"// errorcheck\n\n// run\n":       false,
		"// runoutput\n":                  false,
		"// Copyright\n":                  false,
		"package main\n":                  false,
	} {
		if isRun("", text) != want {
			t.Errorf("%q is run: %t", text, !want)
		}
	}
}

// The recorder has the same functions for the type checker, the compiler and the interpreter.
func TestRecorder(t *testing.T) {
	var w bytes.Buffer
	values := Values(&w, nil)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, text := range []string{Declared, Compiled} {
			if !strings.Contains(text, "\nfunc "+name+"(") {
				t.Errorf("%s is not in\n%s", name, text)
			}
		}
	}
	if n := strings.Count(Declared, "\nfunc "); n != len(values) {
		t.Errorf("%d functions are declared, %d are there", n, len(values))
	}
	_, _ = values["Printf"].(func(string, ...any) (int, error))("%d", 7)
	if w.String() != "7" {
		t.Errorf("7 is printed as %q", &w)
	}
}

// A program that is refused counts once, by what is refused and not by how it is called there.
func TestRefuse(t *testing.T) {
	c := Count{Files: 5, Left: map[string]int{goroutines: 1}, Agree: 1, Differ: []string{"go/d"},
		Refused: map[string]Refusal{}, Corpus: "go"}
	c.Refuse([]string{"a pair prints differently", "a *[]point prints differently"})
	c.Refuse([]string{"new hides what Go means by it", "a pair prints differently"})
	want := map[string]Refusal{"a T prints differently": {2, 1}, "x hides what Go means by it": {1, 0}}
	if !maps.Equal(c.Refused, want) || c.Whole != 2 {
		t.Errorf("%v, %d", c.Refused, c.Whole)
	}
	text := Summary{"go1", []Count{c}}.Markdown()
	for _, want := range []string{"| **tried** | 4 |", "| **accepted** | 2 (50.0 %) |",
		"| **differ** | 1 |", "`go/d`", "| a T prints differently | 2 | 1 |",
		"| left out: goroutines, channels, select | 1 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
