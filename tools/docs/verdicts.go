package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// verdictFile keeps what runs said of claims, and of which cells.
const verdictFile = "experiments/verdicts.json"

// A judgedRun is what hansa claims --format json prints of a run.
type judgedRun struct {
	Title   string      `json:"title"`
	Hash    string      `json:"hash"`           // of the plan of the run
	Part    string      `json:"part,omitempty"` // of the experiment, that is judged; "": all of it
	Cells   string      `json:"cells"`          // digest of what is judged, when it was judged
	Command string      `json:"command"`        // that makes the run, in the top folder
	Missing int         `json:"missing,omitempty"`
	Claims  []judgement `json:"claims"`

	tuning *store.Tuning // of the run, where it chose parameters
}

// A judgement is the verdict on one claim.
type judgement struct {
	Source   string   `json:"source"`
	Says     string   `json:"says"`
	Holds    string   `json:"holds"`
	At       []string `json:"at,omitempty"`
	Verdict  string   `json:"verdict"`
	Why      string   `json:"why"`
	Seeds    int      `json:"seeds"`
	P        *float64 `json:"p"` // nil where nothing is tested
	Estimate *float64 `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

// key tells the claims of an experiment apart: with other words it is another claim.
func (j *judgement) key() string {
	return strings.Join([]string{j.Source, j.Says, j.Holds, strings.Join(j.At, ", ")}, "|")
}

// seeds returns how many seeds the verdicts of a run are of, at most.
func (r *judgedRun) seeds() (most int) {
	for i := range r.Claims {
		most = max(most, r.Claims[i].Seeds)
	}
	return most
}

// judgeRuns has the claims of runs judged, and keeps the verdicts beside those of other runs. Those
// of fewer seeds than are kept are taken where fewer says so.
func judgeRuns(top string, runs []string, fewer bool) error {
	args := append([]string{"run", "./tools/hansa", "claims", "--format", "json"}, runs...)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = top, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("hansa claims: %w", err)
	}
	return keepVerdicts(top, out, fewer, func(k int) (*store.Tuning, error) {
		_, plan, err := session.FindPlan(runs[k])
		if err != nil {
			return nil, err
		}
		return plan.Tuning, nil
	})
}

// keepVerdicts adds what hansa claims printed of some runs to the file of verdicts. What the k-th
// of them chose is what tuning returns.
func keepVerdicts(
	top string, printed []byte, fewer bool, tuning func(k int) (*store.Tuning, error),
) error {
	var fresh []judgedRun
	if err := json.Unmarshal(printed, &fresh); err != nil {
		return err
	}
	for k := range fresh {
		var err error
		if fresh[k].tuning, err = tuning(k); err != nil {
			return err
		}
	}
	kept, err := readVerdicts(top)
	if err != nil {
		return err
	}
	added := slices.Clone(kept)
	for _, r := range fresh {
		k := slices.IndexFunc(added, func(old judgedRun) bool {
			return old.Title == r.Title && old.Part == r.Part
		})
		if k < 0 {
			added = append(added, r)
			continue
		}
		added[k] = r
	}
	all := []*judgedRun{}
	err = eachExperiment(top, func(name string, spec *study.Spec) error {
		for _, r := range titled(added, spec.Title) {
			if r.Cells == "" {
				if err := r.replaces(kept, spec); err != nil && !fewer {
					return err
				}
				if err := r.settle("experiments/"+name, spec); err != nil {
					return err
				}
			}
			if len(r.Claims) > 0 || r.Part == "" {
				all = append(all, r)
			}
		}
		return nil
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

// replaces refuses a run of fewer seeds than the verdicts that are kept of the same part of an
// experiment. Those of cells that have changed since may be replaced by any.
func (r *judgedRun) replaces(kept []judgedRun, spec *study.Spec) error {
	for _, old := range titled(kept, spec.Title) {
		if old.Part != r.Part || old.seeds() <= r.seeds() {
			continue
		}
		if now, err := old.digest(spec); err != nil || now != old.Cells {
			continue
		}
		return fmt.Errorf("the run of %q has %d seeds, and the verdicts that are kept have %d "+
			"(run %s): -fewer replaces them all the same", r.Title, r.seeds(), old.seeds(),
			old.Hash[:min(8, len(old.Hash))])
	}
	return nil
}

// titled returns what is kept of an experiment: of all of it first, and then of parts.
func titled(kept []judgedRun, title string) (list []*judgedRun) {
	for i := range kept {
		switch r := &kept[i]; {
		case r.Title != title:
		case r.Part == "":
			list = append([]*judgedRun{r}, list...)
		default:
			list = append(list, r)
		}
	}
	return list
}

// settle makes a run that was judged one of an experiment's file: its command names the file, its
// cells are those that the command makes of it now. Claims that a part does not judge are left out.
func (r *judgedRun) settle(name string, spec *study.Spec) error {
	words := phrase.Words(r.Command)
	if len(words) < 3 {
		return fmt.Errorf("the run of %q has no command: %q", r.Title, r.Command)
	}
	words[2] = name
	r.Command = phrase.Hint(words[1:]...)
	o, err := r.overrides()
	if err != nil {
		return err
	}
	x, err := session.Read(spec.File, o)
	if err == nil && r.tuning != nil {
		x, err = x.Chosen(r.tuning)
	}
	if err != nil {
		return err
	}
	switch {
	case store.HashOf(x.IDs) != r.Hash:
		return fmt.Errorf("the run of %q has other cells than `%s` makes now: run that", r.Title,
			r.Command)
	case r.Missing > 0:
		return fmt.Errorf("the run of %q lacks %d results: go on with `%s`", r.Title, r.Missing,
			r.Command)
	}
	r.Claims = slices.DeleteFunc(r.Claims, func(j judgement) bool {
		return j.Verdict == string(verdict.NotJudged)
	})
	r.Cells, err = r.digest(spec)
	return err
}

// overrides returns those of the command that makes a run.
func (r *judgedRun) overrides() (*session.Overrides, error) {
	var o session.Overrides
	words := phrase.Words(r.Command)
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.StringArrayVar(&o.Set, "set", nil, "")
	f.StringVar(&o.Seeds, "seeds", "", "")
	f.StringArrayVar(&o.Only, "only", nil, "")
	if err := f.Parse(words[min(3, len(words)):]); err != nil {
		return nil, fmt.Errorf("`%s`: %w", r.Command, err)
	}
	return &o, nil
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

// digest returns a digest of the cells that the command of a run makes of an experiment, which its
// title, its claims and its report do not enter, nor cells that the command leaves out.
func (r *judgedRun) digest(spec *study.Spec) (string, error) {
	o, err := r.overrides()
	if err != nil {
		return "", err
	}
	if len(o.Set) > 0 || o.Seeds != "" {
		spec, err = study.Read(spec.File, study.Overrides{Set: o.Set, Seeds: o.Seeds})
		if err != nil {
			return "", err
		}
	}
	cells, err := spec.Expand()
	if err != nil {
		return "", err
	}
	kept, err := study.Kept(cells, o.Only)
	if err != nil {
		return "", fmt.Errorf("`%s`: %w", r.Command, err)
	}
	h := sha256.New()
	for i, c := range cells {
		if kept[i] {
			fmt.Fprintln(h, c.ID())
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// judged returns what is kept of an experiment: of all of it first, and then of parts. Of cells
// that have changed nothing is known, and that is an error.
func judged(kept []judgedRun, spec *study.Spec) ([]*judgedRun, error) {
	runs := titled(kept, spec.Title)
	for _, r := range runs {
		now, err := r.digest(spec)
		if err != nil {
			return nil, err
		}
		if r.Cells != now {
			return nil, fmt.Errorf("%s: the verdicts on %q are of other cells: run `%s` again, "+
				"and then go run ./tools/docs -claims RUN", verdictFile, spec.Title, r.Command)
		}
	}
	return runs, nil
}

// verdictOn returns the first run that judges a claim, and its verdict; nil where none does.
func verdictOn(runs []*judgedRun, c *study.Claim) (*judgedRun, *judgement) {
	for _, r := range runs {
		if j := r.of(c); j != nil {
			return r, j
		}
	}
	return nil, nil
}

// of returns the verdict on a claim; nil where none is kept of it.
func (r *judgedRun) of(c *study.Claim) *judgement {
	asked := judgement{Source: c.Source, Says: c.Says, Holds: c.Holds, At: c.At}
	k := slices.IndexFunc(r.Claims, func(j judgement) bool { return j.key() == asked.key() })
	if k < 0 {
		return nil
	}
	return &r.Claims[k]
}

// said tells of the verdict on a claim: of which part of the experiment it is, and of which run.
func (r *judgedRun) said(c *study.Claim, j *judgement) string {
	where := ""
	switch {
	case r.Part == "":
	case strings.Contains(", "+r.Part, ", size = "):
		where = " at " + r.Part + ", not the paper's size"
	default:
		where = " at " + r.Part + ", a part of the experiment"
	}
	judged := table.ClaimVerdict{Verdict: verdict.Outcome(j.Verdict),
		Direction: c.Expr.Directional()}
	return fmt.Sprintf("**%s**%s. %s (run %s)", judged.Word(), where, j.Why,
		r.Hash[:min(8, len(r.Hash))])
}
