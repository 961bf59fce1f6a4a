// Command asmgen writes the assembly of framework/kernel.
//
//	cd tools/asmgen && go run .
//
// Each family of kernels has a source file here and two generated files there: the
// assembly <family>_amd64.s and its declarations <family>_stub_amd64.go. A family whose
// kernels choose their path one by one has two more, <family>_path_amd64.go and
// <family>_path_other.go. This is a module of its own, so that nothing that hansa builds
// depends on the generator.
package main

import (
	"fmt"
	"os"
	"path/filepath"

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
		{"optimizer", optimizers, true},
		{"exp", exponentials, true},
		{"gemv", matrixVector, true},
		{"convert", conversions, true},
	}
}

func main() {
	dir := filepath.Join("..", "..", "framework", "kernel")
	for _, f := range families() {
		if err := write(dir, f); err != nil {
			fmt.Fprintf(os.Stderr, "asmgen: %s: %v\n", f.name, err)
			os.Exit(1)
		}
	}
}

// write generates the two files of a family.
func write(dir string, f family) error {
	c := build.NewContext()
	f.emit(c)
	file, err := c.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Name: "tools/asmgen", Pkg: "kernel"}
	for suffix, p := range map[string]printer.Printer{
		"_amd64.s":       printer.NewGoAsm(cfg),
		"_stub_amd64.go": printer.NewStubs(cfg),
	} {
		text, err := p.Print(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.name+suffix), text, 0o644); err != nil {
			return err
		}
	}
	if !f.path {
		return nil
	}
	return writePaths(filepath.Join(dir, f.name), file)
}
