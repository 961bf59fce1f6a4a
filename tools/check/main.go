// Command check does everything that continuous integration does, and says of each step
// what it requires.
//
//	go run ./tools/check            all of it
//	go run ./tools/check -run vet   the steps whose name matches a regular expression
//	go run ./tools/check -list      the steps and what they require
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	only := flag.String("run", "", "`REGEXP` of the names of steps to run")
	list := flag.Bool("list", false, "list the steps")
	flag.Parse()
	if err := toTop(); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(2)
	}
	matches, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "check: -run:", err)
		os.Exit(2)
	}
	var chosen []step
	dir, err := os.MkdirTemp("", "hansa-check-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(2)
	}
	for _, s := range steps(dir) {
		if matches.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	found, failed := len(chosen), 0
	collectLess()
	describeLess()
	os.Unsetenv(programVariable) // which may be of another time
	if *list {
		for _, s := range chosen {
			fmt.Printf("%-14s %s\n", s.name, s.requirement)
		}
	} else {
		failed = runAll(os.Stdout, chosen)
	}
	os.RemoveAll(dir) // that it is left does no harm
	switch {
	case found == 0:
		fmt.Fprintf(os.Stderr, "check: no step matches %q; -list shows them\n", *only)
		os.Exit(2)
	case failed > 0:
		fmt.Printf("%d steps failed\n", failed)
		os.Exit(1)
	}
}

// collectLess has compilers, linkers and tests collect garbage less often, unless it is set how
// often: what they do is short and takes little memory.
func collectLess() {
	const variable = "GOGC"
	if os.Getenv(variable) == "" {
		os.Setenv(variable, "400")
	}
}

// describeLess has compilers and linkers leave out what debuggers read of programs, which takes a
// tenth of their time. It is said to all of them, so that they share what they compile.
func describeLess() {
	const variable = "GOFLAGS"
	flags := os.Getenv(variable) + " -ldflags=-w -gcflags=all=-dwarf=false"
	os.Setenv(variable, strings.TrimSpace(flags))
}

// A step is one thing that is checked. It writes what it found and reports whether the
// requirement holds.
type step struct {
	name, requirement string
	run               func(w io.Writer) bool
	shown             bool // its output is shown at once, where none runs beside it before it
	beside            bool // it runs beside its neighbours that do
}

// steps are all steps, in their order. Vetting compiles what those after it need. Tests, which take
// longest and some of which wait, begin first of those that run beside each other. What steps build
// for each other lies in a folder. The symbols of strategies are compared by a test.
func steps(dir string) []step {
	return []step{
		{name: "format", requirement: "every file is what gofmt -s makes of it",
			run: silent("gofmt", "-s", "-l", ".")},
		{name: "house", requirement: "the rules of the house that a machine can see are kept",
			run: houseRules},
		{name: "vet", requirement: "go vet has nothing to say",
			run: quiet("go", "vet", "./...")},
		{name: "build", requirement: "hansa and its tests build",
			run: all(buildProgram(dir), buildTests(dir))},
		{name: "test", requirement: "every test passes, with the race detector watching where " +
			"goroutines meet", shown: true, beside: true,
			run: atOnce(raced, unracedTests(dir), unraced)},
		{name: "tidy", requirement: "go.mod and go.sum list what is used and nothing else",
			beside: true, run: silent("go", "mod", "tidy", "-diff")},
		{name: "generated", requirement: "documents are what their generator makes now",
			beside: true, run: quiet("go", "run", "./tools/docs", "-check")},
		{name: "assembly", requirement: "assembly is what its generator makes now",
			beside: true, run: quiet("go", "-C", "tools/asmgen", "run", ".", "-check")},
		{name: "kubernetes", requirement: "manifests are what the types of Kubernetes' API take",
			beside: true, run: quiet("go", "-C", "tools/kubecheck", "test", "-count=1", "./...")},
		{name: "experiments", requirement: "every experiment resolves",
			beside: true, run: experiments},
	}
}

// runAll runs steps in their order, and neighbours that may run beside each other at once. It
// returns how many failed. What they print is in their order.
func runAll(w io.Writer, list []step) (failed int) {
	for len(list) > 0 {
		n := 1
		for list[0].beside && n < len(list) && list[n].beside {
			n++
		}
		held := make([]bool, n)
		parts := make([]func(io.Writer) bool, n)
		for k, s := range list[:n] {
			parts[k] = func(w io.Writer) bool {
				held[k] = run(w, s)
				return held[k]
			}
		}
		atOnce(parts[0], parts[1:]...)(w)
		for _, ok := range held {
			if !ok {
				failed++
			}
		}
		list = list[n:]
	}
	return failed
}

// run runs a step and prints one line for it, and what it found when it failed.
func run(w io.Writer, s step) bool {
	start := time.Now()
	var found strings.Builder
	out := io.Writer(&found)
	if s.shown {
		out = w
	}
	ok := s.run(out)
	took := time.Since(start).Round(100 * time.Millisecond)
	if ok {
		fmt.Fprintf(w, "ok    %-12s %v\n", s.name, took)
		return true
	}
	fmt.Fprintf(w, "FAIL  %-12s %v — required: %s\n", s.name, took, s.requirement)
	fmt.Fprint(w, found.String())
	return false
}

// all runs all parts, also after one that failed.
func all(parts ...func(io.Writer) bool) func(io.Writer) bool {
	return func(w io.Writer) bool {
		ok := true
		for _, part := range parts {
			ok = part(w) && ok
		}
		return ok
	}
}

// atOnce runs several parts at once, as tests wait for clusters and for time to pass. The output of
// all but the first follows at the end, one after the other.
func atOnce(first func(io.Writer) bool, others ...func(io.Writer) bool) func(io.Writer) bool {
	return func(w io.Writer) bool {
		held := make([]strings.Builder, len(others))
		done := make([]chan bool, len(others))
		for k, other := range others {
			done[k] = make(chan bool)
			go func() { done[k] <- other(&held[k]) }()
		}
		ok := first(w)
		for k := range others {
			ok = <-done[k] && ok
			fmt.Fprint(w, held[k].String())
		}
		return ok
	}
}

// quiet runs a command that must succeed.
func quiet(args ...string) func(io.Writer) bool {
	return func(w io.Writer) bool {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = w, w
		if err := cmd.Run(); err != nil {
			fmt.Fprintf(w, "%s: %v\n", strings.Join(args, " "), err)
			return false
		}
		return true
	}
}

// silent runs a command that must succeed and write nothing to its standard output. What it
// writes to standard error is no finding: go says there what it downloads.
func silent(args ...string) func(io.Writer) bool {
	return func(w io.Writer) bool {
		var out, said strings.Builder
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = &out, &said
		err := cmd.Run()
		fmt.Fprint(w, out.String())
		if err != nil {
			fmt.Fprintf(w, "%s%s: %v\n", said.String(), strings.Join(args, " "), err)
		}
		return err == nil && out.Len() == 0
	}
}

// experiments resolves every experiment file, for one seed: others differ in nothing that is
// resolved.
func experiments(w io.Writer) bool {
	files, err := tomlFiles("experiments")
	if err != nil || len(files) == 0 {
		fmt.Fprintf(w, "no experiments: %v\n", err)
		return false
	}
	return quiet(append(append(hansa(), "check", "--quiet", "--seeds", "1"), files...)...)(w)
}

func tomlFiles(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".toml" {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// toTop goes to the folder of go.mod.
func toTop() error {
	for {
		if _, err := os.Stat("go.mod"); err == nil {
			return nil
		}
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		if filepath.Dir(dir) == dir {
			return fmt.Errorf("no go.mod here or above")
		}
		if err := os.Chdir(".."); err != nil {
			return err
		}
	}
}
