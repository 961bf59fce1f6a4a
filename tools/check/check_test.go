package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// broken are files that break one rule each, and what is said of them.
var broken = []struct{ path, text, want string }{
	{"framework/x/x.go", "package x\n\nfunc init() {}\n", "init"},
	{"framework/x/x.go", "package x\n\nvar n int\n\nfunc f() { n = 1 }\n", "n is changed"},
	{"framework/x/x.go", "package x\n\nvar n [3]int\n\nfunc f() { n[1]++ }\n", "n is changed"},
	{"framework/x/x.go", "package x\n\nimport \"math/rand\"\n\nvar r = rand.New(nil)\n", "math/rand is imported"},
	{"framework/x/x.go", "package x\n\nimport \"math/rand/v2\"\n\nfunc f() int { return rand.IntN(3) }\n", "rand.IntN"},
	{"framework/x/x_test.go", "package x\n\nimport r \"math/rand/v2\"\n\nfunc f() int { return r.IntN(3) }\n", "rand.IntN"},
	{"framework/x/x.go", "package x\n\nimport \"time\"\n\nfunc f() { time.Now() }\n", "time.Now"},
	{"reports/x.go", "package x\n\nfunc f() { panic(1) }\n", "panic"},
	{"builtin/k/x.go", "package k\n\n// X is.\nvar X = fl.MetricEntry{}\n", "the first line is not"},
	{"builtin/k/x.go", "// X — what.\n\npackage k\n\nvar X = fl.MetricEntry{}\n", "the entry has no comment"},
	{"builtin/k/x.go", "// X — what.\n\npackage k\n\ntype y int\n\n// X is.\nvar X = fl.MetricEntry{}\n", "the entry does not come first"},
	{"framework/x/x.go", "package x\n" + strings.Repeat("\n", 400), "401 lines, at most 400"},
	{"framework/x/x.go", "package x\n\n// " + strings.Repeat("x", 98) + "\n", "101 columns, at most 100"},
	{"framework/x/x.go", "package x\n\nfunc f() {\n" + strings.Repeat("\n", 60) + "}\n", "62 lines in f, at most 60"},
	{"framework/x/x.go", "package x\n\nfunc f(a, b, c, d, e, f int) {}\n", "6 parameters of f, at most 5"},
	{"framework/x/x.go", "package x\n\nimport \"x.org/y\"\n\ntype T struct{ y y.T }\n\n" +
		"func (*T) F(a, b, c, d, e, f int) {}\n", "6 parameters of F, at most 5"},
	{"framework/x/x.go", "package x\n\nimport \"bytes\"\n\ntype T struct{ bytes.Buffer }\n\n" +
		"func (T) F(a, b, c, d, e, f int) {}\n", "6 parameters of F, at most 5"},
	{"framework/x/x.go", "package x\n\n// TO" + "DO: more.\n", "something is left for later"},
}

// fine are files that break none, though they look like it.
var fine = []struct{ path, text string }{
	{"framework/x/x.go", "package x\n\nvar n = 1\n\nfunc f() int { n := 2; n++; return n }\n"},
	{"framework/x/x.go", "package x\n\nimport \"math/rand/v2\"\n\nvar r = rand.New(rand.NewPCG(1, 2))\n"},
	{"framework/x/x.go", "package x\n\ntype T struct{}\n\nfunc (T) init() {}\n"},
	{"framework/x/x.go", "package x\n\nimport \"x.org/y\"\n\ntype T struct{ y.T }\n\n" +
		"func (*T) F(a, b, c, d, e, f int) {}\n"},
	{"framework/engine/stopwatch.go", "package engine\n\nimport \"time\"\n\nvar t = time.Now()\n"},
	{"framework/tensor/x.go", "package tensor\n\nfunc f() { panic(1) }\n"},
	{"builtin/k/x.go", "// X — what.\n\npackage k\n\nimport \"fl\"\n\n// X is.\nvar X = fl.MetricEntry{}\n"},
	{"builtin/k/helper.go", "package k\n\nvar names = []string{}\n"},
	{"framework/x/x_test.go", "package x\n\nfunc f() { panic(1) }\n"},
}

// found returns what all rules say of a file.
func found(t *testing.T, path, text string) (what []string) {
	t.Helper()
	s, err := parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules() {
		for _, f := range r.broken(s) {
			what = append(what, f.what)
		}
	}
	return what
}

func TestEveryRuleCanFail(t *testing.T) {
	for _, b := range broken {
		got := found(t, b.path, b.text)
		if len(got) != 1 || !strings.HasPrefix(got[0], b.want) {
			t.Errorf("%s %q: found %q, want %q", b.path, b.text, got, b.want)
		}
	}
	for _, f := range fine {
		if got := found(t, f.path, f.text); len(got) > 0 {
			t.Errorf("%s %q: found %q", f.path, f.text, got)
		}
	}
}

// Every rule has a file that breaks it.
func TestNoRuleIsIdle(t *testing.T) {
	for i, r := range rules() {
		breaks := slices.ContainsFunc(broken, func(b struct{ path, text, want string }) bool {
			s, err := parse(b.path, b.text)
			return err == nil && len(rules()[i].broken(s)) > 0
		})
		if !breaks {
			t.Errorf("nothing breaks the rule: %s", r.requirement)
		}
	}
}

func TestStepsTellWhatFailed(t *testing.T) {
	var out strings.Builder
	if run(&out, step{name: "x", requirement: "y holds", run: quiet("false")}) {
		t.Error("a command that fails passes")
	}
	if !strings.Contains(out.String(), "FAIL  x") || !strings.Contains(out.String(), "y holds") {
		t.Errorf("%q", out.String())
	}
	if silent("echo", "something")(&out) {
		t.Error("a command that must be silent may speak")
	}
	if !silent("true")(&out) {
		t.Error("a command that is silent fails")
	}
}

// The top level holds what is planned, and what git ignores.
func TestTopLevel(t *testing.T) {
	for name, folder := range map[string]bool{"docs": true, "a.out": false, "framework": false,
		"README.md": true} {
		t.Chdir(t.TempDir())
		for _, known := range []string{"framework", "runs", ".github"} {
			if err := os.MkdirAll(known, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile("hansa", nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := topLevel(); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case name == "framework":
			err = os.Remove(name)
			fallthrough
		case !folder:
			err = errors.Join(err, os.WriteFile(name, nil, 0o666))
		default:
			err = os.Mkdir(name, 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := topLevel(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
