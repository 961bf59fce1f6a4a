package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// verdictFile keeps what runs said of claims, and of which cells.
const verdictFile = "experiments/verdicts.json"

// A judgedRun is what hansa claims --format json prints of a run.
type judgedRun struct {
	Title  string      `json:"title"`
	Hash   string      `json:"hash"`  // of the plan of the run
	Cells  string      `json:"cells"` // digest of the experiment's cells, when it was judged
	Claims []judgement `json:"claims"`
}

// A judgement is the verdict on one claim.
type judgement struct {
	Source  string `json:"source"`
	Says    string `json:"says"`
	Holds   string `json:"holds"`
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
	Seeds   int    `json:"seeds"`
}

// judgeRuns has the claims of runs judged, and keeps the verdicts beside those of other runs.
func judgeRuns(top string, runs []string) error {
	args := append([]string{"run", "./tools/hansa", "claims", "--format", "json"}, runs...)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = top, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("hansa claims: %w", err)
	}
	return keepVerdicts(top, out)
}

// keepVerdicts adds what hansa claims printed to the file of verdicts.
func keepVerdicts(top string, printed []byte) error {
	var fresh []judgedRun
	if err := json.Unmarshal(printed, &fresh); err != nil {
		return err
	}
	kept, err := readVerdicts(top)
	if err != nil {
		return err
	}
	titled := map[string]*judgedRun{}
	for i := range kept {
		titled[kept[i].Title] = &kept[i]
	}
	for i := range fresh {
		titled[fresh[i].Title] = &fresh[i]
	}
	all := []judgedRun{}
	err = eachExperiment(top, func(_ string, spec *study.Spec) error {
		r := titled[spec.Title]
		if r == nil {
			return nil
		}
		if r.Cells == "" {
			if err := belongs(r, spec); err != nil {
				return err
			}
			r.Cells, err = digestOf(spec)
		}
		all = append(all, *r)
		return err
	})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(top, verdictFile), append(text, '\n'), 0o666)
}

// belongs returns an error where a run is not of all cells of an experiment, as its file is now.
func belongs(r *judgedRun, spec *study.Spec) error {
	x, err := session.Read(spec.File, &session.Overrides{})
	if err != nil {
		return err
	}
	if store.HashOf(x.IDs) != r.Hash {
		return fmt.Errorf("the run of %q has other cells than %s: run the file whole, as it is now",
			r.Title, spec.File)
	}
	return nil
}

// readVerdicts returns the verdicts that are kept.
func readVerdicts(top string) (list []judgedRun, err error) {
	text, err := os.ReadFile(filepath.Join(top, verdictFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &list)
	return list, err
}

// digestOf returns a digest of the cells of an experiment, which its title, its claims and its
// report do not enter.
func digestOf(spec *study.Spec) (string, error) {
	cells, err := spec.Expand()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, c := range cells {
		fmt.Fprintln(h, c.ID())
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// verdicts returns what is known of the claims of an experiment, by source, words and predicate. Of
// cells that have changed nothing is known, and that is an error.
func verdicts(kept []judgedRun, spec *study.Spec) (map[string]judgement, string, error) {
	for _, r := range kept {
		if r.Title != spec.Title {
			continue
		}
		now, err := digestOf(spec)
		if err != nil {
			return nil, "", err
		}
		if r.Cells != now {
			return nil, "", fmt.Errorf("%s: the verdicts on %q are of other cells: run it again, "+
				"and then go run ./tools/docs -claims RUN", verdictFile, spec.Title)
		}
		found := map[string]judgement{}
		for _, j := range r.Claims {
			found[strings.Join([]string{j.Source, j.Says, j.Holds}, "|")] = j
		}
		return found, r.Hash[:min(8, len(r.Hash))], nil
	}
	return nil, "", nil
}
