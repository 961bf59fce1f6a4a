package compile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
	"github.com/hansa-fl/hansa/plugins/vet"
)

// strategy returns an aggregator of that name, in a file of that name.
func strategy(t *testing.T, name, file string) *plugins.Strategy {
	t.Helper()
	text := "package one\n\nimport \"github.com/hansa-fl/hansa/framework/fl\"\n\n" +
		"var One = fl.AggregatorEntry{Name: \"" + name + "\", Summary: \"one\",\n" +
		"\tNew: func(p *fl.Params) (fl.Aggregator, error) { return &one{}, nil }}\n\n" +
		"type one struct{}\n\nfunc (*one) Aggregate(r *fl.Round) (fl.Outcome, error) {\n" +
		"\treturn fl.Outcome{Params: r.Global}, nil\n}\n"
	source := plugins.NewSource(file, []vet.File{{Name: file, Text: text}})
	s, err := plugins.Load(t.Context(), source, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func kit(t *testing.T) *Kit {
	t.Helper()
	tree, err := Carried()
	if err != nil {
		t.Fatal(err)
	}
	return &Kit{Source: tree, Cache: t.TempDir(), Now: time.Now()}
}

// A program is that of a set of codes: neither the order of strategies nor where they lie makes
// another one, and their text, and the source of hansa, do.
func TestPlace(t *testing.T) {
	k := kit(t)
	a, b := strategy(t, "a", "x/one.go"), strategy(t, "b", "y/one.go")
	want := k.place([]*plugins.Strategy{a, b})
	moved := strategy(t, "a", "elsewhere/one.go")
	if got := k.place([]*plugins.Strategy{b, moved, a}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	other := *k
	other.Source = &Tree{Digest: "other"}
	for _, got := range []string{k.place([]*plugins.Strategy{a}), k.place([]*plugins.Strategy{
		a, strategy(t, "c", "y/one.go")}), other.place([]*plugins.Strategy{a, b})} {
		if got == want {
			t.Errorf("%s is the place of other code, too", got)
		}
	}
}

// What the compiler refuses is told with the line of the author, and what else goes wrong in the
// words of the toolchain.
func TestRefused(t *testing.T) {
	s := strategy(t, "a", "mine/one.go")
	exit := errors.New("exit status 1")
	said := "# github.com/hansa-fl/hansa/" + plugins.CompiledFolder + "/" + s.CompiledName() + "\n" +
		s.CompiledFile(0) + ":8:6: undefined: twice\n" +
		"/somewhere/" + plugins.CompiledFolder + "/x0123456789abcdef/0.go:9: of another one\n"
	err := refused([]*plugins.Strategy{s}, []byte(said), exit)
	var problems study.Problems
	if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Pos.Line != 8 ||
		problems[0].Pos.File != "mine/one.go" ||
		problems[0].Message != "the Go compiler refuses this: undefined: twice" {
		t.Errorf("%+v", err)
	}
	err = refused([]*plugins.Strategy{s}, []byte("go: no space left\n"), exit)
	if errors.As(err, &problems) || !errors.Is(err, exit) {
		t.Errorf("%v", err)
	}
}

// A toolchain that is not there, or not the one that hansa was built by, is said.
func TestToolchain(t *testing.T) {
	k, list := kit(t), []*plugins.Strategy{strategy(t, "a", "one.go")}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if _, err := k.Program(context.Background(), list); !errors.Is(err, ErrNoToolchain) {
		t.Error(err)
	}
	for script, want := range map[string]string{
		"#!/bin/sh\necho go1.2\n":                         "the Go toolchain is go1.2, and hansa was built by " + version(),
		"#!/bin/sh\necho go: not available >&2; exit 1\n": version() + ", by which hansa was built, is not here: exit status 1: go: not available",
	} {
		if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Program(t.Context(), list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(k.Cache, "programs", "*")); len(left) > 0 || err != nil {
		t.Errorf("%v are left (%v)", left, err)
	}
}

// Programs that were used lately are kept, of the others the newest, and nothing half made.
func TestForget(t *testing.T) {
	k := kit(t)
	dir := filepath.Join(k.Cache, "programs")
	put := func(name string, days int) {
		t.Helper()
		path := filepath.Join(dir, name)
		at := k.Now.AddDate(0, 0, -days)
		err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(path, nil, 0o777),
			os.Chtimes(path, at, at))
		if err != nil {
			t.Fatal(err)
		}
	}
	for day := range 20 {
		put(string(rune('a'+day)), day)
	}
	half, old := filepath.Join(dir, "new-1"), k.Now.AddDate(0, 0, -2)
	if err := errors.Join(os.Mkdir(half, 0o777), os.Chtimes(half, old, old)); err != nil {
		t.Fatal(err)
	}
	k.forget()
	left, err := os.ReadDir(dir)
	names := ""
	for _, e := range left {
		names += e.Name()
	}
	if err != nil || names != "abcdefghij" { // today's, yesterday's, and eight older ones
		t.Errorf("%q are left (%v)", names, err)
	}
}

// The compiler fuses a product and a sum where a processor can, and not in strategies.
func TestUnfused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.go")
	text := "package f\n\nfunc F(x, y, z float64) float64 { return x*y + z }\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]bool{"-d=": true, unfused: false} {
		cmd := exec.Command("go", "tool", "compile", "-p", "f", "-S", flag,
			"-o", filepath.Join(dir, "f.o"), file)
		cmd.Env = append(os.Environ(), "GOARCH=arm64")
		code, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, code)
		}
		if fused := strings.Contains(string(code), "FMADDD"); fused != want {
			t.Errorf("%s: fused = %t, want %t\n%s", flag, fused, want, code)
		}
	}
}
