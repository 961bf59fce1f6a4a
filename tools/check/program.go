package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// programVariable names hansa, as it is built now, to what would build it: steps, and the tests of
// tools/hansa and tools/docs. Linking it takes longer than most of what they ask it.
const programVariable = "HANSA_PROGRAM"

// buildProgram builds hansa into a folder, for the steps that follow.
func buildProgram(dir string) func(io.Writer) bool {
	return func(w io.Writer) bool {
		path := filepath.Join(dir, "hansa")
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		if !quiet("go", "build", "-o", path, "./tools/hansa")(w) {
			return false
		}
		if err := os.Setenv(programVariable, path); err != nil {
			fmt.Fprintln(w, err)
			return false
		}
		return true
	}
}

// hansa begins a command line of hansa: as it was built, or to be built where no step has done so.
func hansa() []string {
	if path := os.Getenv(programVariable); path != "" {
		return []string{path}
	}
	return []string{"go", "run", "./tools/hansa"}
}
