package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
)

// Every command of the page of claims is one that hansa takes, with flags that it has, and the file
// with these flags has cells.
func TestCommandsOfClaims(t *testing.T) {
	const top = "../.."
	page, err := os.ReadFile(filepath.Join(top, "experiments", "CLAIMS.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile("\\| `(hansa [^`]*)` \\|\n").FindAllStringSubmatch(string(page), -1) {
		line := m[1]
		if seen[line] {
			continue
		}
		seen[line] = true
		cmd, args, err := newCommand(io.Discard, io.Discard).root().Find(phrase.Words(line)[1:])
		if err != nil || cmd.Name() != "run" {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if err := cmd.ParseFlags(args); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		set, _ := cmd.Flags().GetStringArray("set")
		only, _ := cmd.Flags().GetStringArray("only")
		file := filepath.Join(top, cmd.Flags().Arg(0))
		spec, err := study.Read(file, study.Overrides{Set: set, Seeds: cmd.Flag("seeds").Value.String()})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		cells, err := spec.Expand()
		if err == nil {
			_, err = study.Kept(cells, only)
		}
		if err != nil || len(cells) == 0 {
			t.Errorf("%s: %d cells: %v", line, len(cells), err)
		}
	}
	if len(seen) < 30 {
		t.Errorf("%d commands", len(seen))
	}
}
