// Command asmgen writes the assembly of framework/kernel.
//
//	cd tools/asmgen && go run .           write it
//	cd tools/asmgen && go run . -check    say whether it is what would be written
//
// Each family of kernels has a source file here and two generated files there: the
// assembly <family>_amd64.s and its declarations <family>_stub_amd64.go. A family whose
// kernels choose their path one by one has two more, <family>_path_amd64.go and
// <family>_path_other.go. This is a module of its own, so that nothing that hansa builds
// depends on the generator.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// A family is a set of kernels that share files.
type family struct {
	name string
	emit func(c *build.Context)
	path bool // write functions that choose among the paths; see dispatchers
}

// families lists all that is generated.
func families() []family {
	return []family{
		{"gemm", gemm, false},
		{"vector", vectors, true},
		{"layer", layers, true},
		{"gate", gates, true},
		{"optimizer", optimizers, true},
		{"exp", exponentials, true},
		{"gemv", matrixVector, true},
		{"convert", conversions, true},
		{"eigen", eigen, true},
		{"winograd", winograd, true},
		{"rule", rules, true},
		{"compress", compressions, true},
		{"sinkhorn", sinkhorn, false},
	}
}

// What the printer writes and a reader does not need: what a function requires, which its name
// says, and an empty line before each label, which stands out without.
var (
	requires = regexp.MustCompile(`(?m)^// Requires: .*\n`)
	gaps     = regexp.MustCompile(`(?m)^\n(\w+:)$`)
)

// mostLines is how many lines the house allows of all that is generated.
const mostLines = 10_500

func main() {
	check := flag.Bool("check", false, "compare instead of writing, and count lines")
	flag.Parse()
	dir, lines := filepath.Join("..", "..", "framework", "kernel"), 0
	for _, f := range families() {
		files, err := generate(f)
		if err != nil {
			fail(fmt.Errorf("%s: %w", f.name, err))
		}
		for _, suffix := range slices.Sorted(maps.Keys(files)) {
			text, path := files[suffix], filepath.Join(dir, f.name+suffix)
			lines += bytes.Count(text, []byte("\n"))
			if *check {
				err = compare(path, text)
			} else {
				err = os.WriteFile(path, text, 0o644)
			}
			if err != nil {
				fail(err)
			}
		}
	}
	if lines > mostLines {
		fail(fmt.Errorf("%d generated lines, at most %d", lines, mostLines))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "asmgen:", err)
	os.Exit(1)
}

// compare returns an error unless a file holds a text.
func compare(path string, text []byte) error {
	old, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(old, text) {
		err = fmt.Errorf("%s is not what is generated now: cd tools/asmgen && go run .", path)
	}
	return err
}

// generate returns the files of a family by the ends of their names.
func generate(f family) (map[string][]byte, error) {
	c := build.NewContext()
	f.emit(c)
	file, err := c.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	cfg := printer.Config{Name: "tools/asmgen", Pkg: "kernel"}
	files := map[string][]byte{}
	text, err := printer.NewGoAsm(cfg).Print(file)
	if err != nil {
		return nil, err
	}
	files["_amd64.s"] = gaps.ReplaceAll(requires.ReplaceAll(text, nil), []byte("$1"))
	if files["_stub_amd64.go"], err = printer.NewStubs(cfg).Print(file); err != nil {
		return nil, err
	}
	if !f.path {
		return files, nil
	}
	if files["_path_amd64.go"], err = dispatchers(file, true); err != nil {
		return nil, err
	}
	files["_path_other.go"], err = dispatchers(file, false)
	return files, err
}
