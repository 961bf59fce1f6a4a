package clusters

import (
	"errors"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/launch"
)

// The environment says which cluster has started a process, and what that gave it.
func TestHere(t *testing.T) {
	for _, name := range Variables() {
		t.Setenv(name, "") // as if it were not set
	}
	if c, self := Here(); c != nil || self != (launch.Self{Index: -1}) {
		t.Errorf("%v, %+v", c, self)
	}
	t.Setenv("SLURM_MEM_PER_NODE", "500")
	if c, self := Here(); c != Named("slurm") || self != (launch.Self{Index: -1, Memory: 500 << 20}) {
		t.Errorf("%v, %+v", c, self)
	}
	for name, value := range map[string]string{"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "3",
		"SLURMD_NODENAME": "n1", "SLURM_RESTART_COUNT": "2", "SLURM_CPUS_PER_TASK": "4"} {
		t.Setenv(name, value)
	}
	want := launch.Self{Job: "7", Index: 3, Node: "n1", Restarts: 2, CPUs: 4, Memory: 500 << 20}
	if _, self := Here(); self != want {
		t.Errorf("%+v, want %+v", self, want)
	}
}

// Clusters that have names are asked, and engines that cannot be asked are passed over.
func TestEach(t *testing.T) {
	names := map[string][]string{"slurm": {"a", "b"}, "commands": {"c"}}
	asked, failed := 0, errors.New("no answer")
	err := Each(names, func(c launch.Cluster, names []string) error {
		asked++
		if c != Named("slurm") || !slices.Equal(names, []string{"a", "b"}) {
			t.Errorf("%v is asked for %v", c, names)
		}
		return failed
	})
	if err != failed || asked != 1 {
		t.Errorf("%v after %d", err, asked)
	}
	if Named("commands") != nil {
		t.Error("commands are a cluster")
	}
}

// Outside of framework/launch no code compares the name of a cluster, nor reads its variables.
func TestClustersAreNamedNowhereElse(t *testing.T) {
	top := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, filepath.Join(top, "framework", "launch")) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, word := range literals(text) {
			if slices.Contains(Names(), word) || slices.Contains(Variables(), word) {
				t.Errorf("%s has %q", path, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// literals returns the strings of a file of Go.
func literals(text []byte) (words []string) {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(text)), text, nil, 0)
	for {
		switch _, kind, literal := s.Scan(); kind {
		case token.EOF:
			return words
		case token.STRING:
			if word, err := strconv.Unquote(literal); err == nil {
				words = append(words, word)
			}
		}
	}
}
