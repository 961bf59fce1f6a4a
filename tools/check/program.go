package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
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

// testsOfProgram is what tests of the command are built as, in a folder: several processes run some
// each, and linking them takes longer than many of them.
const testsOfProgram = "hansa.test"

// buildTests builds the tests of the command into a folder.
func buildTests(dir string) func(io.Writer) bool {
	return quiet("go", "test", "-vet=off", "-c", "-o", filepath.Join(dir, testsOfProgram),
		"./"+command)
}

// commandTests runs tests of the command whose names match run and not skip, without the race
// detector: as they were built, or to be built where no step has done so.
func commandTests(dir, run, skip string) func(io.Writer) bool {
	return func(w io.Writer) bool {
		binary := filepath.Join(dir, testsOfProgram)
		if _, err := os.Stat(binary); err != nil {
			return quiet(append(goTest("-run", run, "-skip", skip), module+command)...)(w)
		}
		cmd := exec.Command(binary, "-test.timeout="+testTimeout, "-test.run", run,
			"-test.skip", skip)
		cmd.Dir, cmd.Stdout, cmd.Stderr = command, w, w
		if err := cmd.Run(); err != nil {
			fmt.Fprintf(w, "tests of %s: %v\n", command, err)
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
