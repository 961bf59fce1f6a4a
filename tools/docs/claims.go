package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
)

// claimPage is the page of all claims, and theoremFile lists those that no experiment judges.
const (
	claimPage   = "experiments/CLAIMS.md"
	theoremFile = "tools/docs/theorems.toml"
)

// Folders of experiments on other papers than the five, and the keys of their claims; sources name
// the papers.
const (
	baselines, channel, tasks = "baselines", "channel", "tasks"
	frontier                  = "frontier"
	contradictions            = "contradictions"
)

// titles are the papers whose claims are listed, in the order of the page.
var titles = []struct{ key, name string }{
	{"fedavot", "FedAVOT"}, {"fedipw", "FedIPW"}, {"slot-align", "SLOT-Align"}, {"code", "CODE"},
	{"ot-preprocessing", "Aligning images"}, {baselines, "Baselines"},
	{channel, "Channel"}, {tasks, "Tasks"}, {frontier, "Frontier"},
	{contradictions, "Contradictions"},
}

// A claimed is a claim with what judges it.
type claimed struct {
	Paper, Source, Says string
	Test                string // of a theorem: the folder of a package and the name of a test
	Verdict             string // of a theorem: what the test shows; empty: "holds"
	Remark              string // of a theorem
	Needs               string // what is missing; empty: it is judged
	file, holds, at     string // of an experiment
	run                 string // the command that makes the results that judge it
	said                string // its verdict and its numbers, by which run; empty: none is kept
	part                bool   // of the experiment, that the verdict is of
}

// theorems reads the claims that no experiment judges. Every mistake in them is in the error.
func theorems(top string) ([]claimed, error) {
	var listed struct {
		Theorem, Claim []claimed
	}
	meta, err := toml.DecodeFile(filepath.Join(top, theoremFile), &listed)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for _, key := range meta.Undecoded() {
		wrong = append(wrong, "there is no key "+key.String())
	}
	for _, c := range listed.Theorem {
		if err := c.tested(top); err != nil {
			wrong = append(wrong, fmt.Sprintf("%q: %v", c.Says, err))
		}
		if c.Needs != "" || c.Verdict != "" && c.Verdict != "refuted" {
			wrong = append(wrong, fmt.Sprintf("%q: a theorem has a test, and the verdict refuted "+
				"or none", c.Says))
		}
	}
	for _, c := range listed.Claim {
		if c.Needs == "" || c.Test != "" || c.Verdict != "" {
			wrong = append(wrong, fmt.Sprintf("%q: a claim here has needs and no test", c.Says))
		}
	}
	all := slices.Concat(listed.Theorem, listed.Claim)
	for _, c := range all {
		if c.Source == "" || c.Says == "" || c.title() == "" {
			wrong = append(wrong, fmt.Sprintf("%q: paper, source and says are required", c.Says))
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%s: %s", theoremFile, strings.Join(wrong, "; "))
	}
	return all, nil
}

// title returns the name of a claim's paper; empty for none of those that are listed.
func (c *claimed) title() string {
	for _, t := range titles {
		if t.key == c.Paper {
			return t.name
		}
	}
	return ""
}

// tested says what is wrong with the test of a theorem: that a package has no test of this name.
func (c *claimed) tested(top string) error {
	folder, name, _ := strings.Cut(c.Test, " ")
	files, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == name && d.Recv == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("there is no test %q in %q", name, folder)
}

// experimentClaims returns the claims of all experiments, in the order of their files.
func experimentClaims(top string) ([]claimed, error) {
	var list []claimed
	kept, err := readVerdicts(top)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	err = eachExperiment(top, func(name string, spec *study.Spec) error {
		found[spec.Title] = true
		runs, err := judged(kept, spec)
		for i := range spec.Claims {
			c := &spec.Claims[i]
			out := claimed{Paper: paperOf(name, spec), Source: c.Source, Says: c.Says,
				Needs: c.Needs, file: name, holds: c.Holds, at: strings.Join(c.At, ", "),
				run: phrase.Hint("run", "experiments/"+name)}
			if len(runs) > 0 && runs[0].Part == "" {
				out.run = runs[0].Command
			}
			if r, j := verdictOn(runs, c); j != nil {
				out.run, out.said, out.part = r.Command, r.said(c, j), r.Part != ""
			}
			list = append(list, out)
		}
		return err
	})
	for i := range kept {
		if err == nil && !found[kept[i].Title] {
			err = fmt.Errorf("%s: no experiment has the title %q of a run whose verdicts are kept",
				verdictFile, kept[i].Title)
		}
	}
	return list, err
}

// paperOf returns the key of the paper whose claims an experiment judges, given its file's name.
func paperOf(name string, spec *study.Spec) string {
	switch folder, _, _ := strings.Cut(filepath.ToSlash(name), "/"); folder {
	case baselines, channel, tasks, frontier, contradictions:
		return folder
	}
	return spec.Paper
}

// eachExperiment calls a function with every experiment and the name of its file below
// experiments/.
func eachExperiment(top string, use func(name string, spec *study.Spec) error) error {
	dir := filepath.Join(top, "experiments")
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".toml" {
			return err
		}
		spec, err := study.Read(path, study.Overrides{})
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return use(filepath.ToSlash(name), spec)
	})
}

// allClaims lists the claims of the papers, by paper, with what judges them.
func allClaims(top string) (string, error) {
	fixed, err := theorems(top)
	if err != nil {
		return "", err
	}
	judged, err := experimentClaims(top)
	if err != nil {
		return "", err
	}
	all := slices.Concat(fixed, judged)
	var tests, missing, whole, parts int
	for _, c := range all {
		switch {
		case c.Test != "":
			tests++
		case c.Needs != "":
			missing++
		case c.part:
			parts++
		case c.said != "":
			whole++
		}
	}
	run := len(all) - tests - missing
	var b strings.Builder
	fmt.Fprintf(&b, "%d claims: %d by experiments, %d theorems and statements by tests, %d that "+
		"cannot be run here. Of those by experiments, %d have a verdict of the whole experiment, "+
		"%d one of a part of it, which is named, and %d none that is kept.\n", len(all), run,
		tests, missing, whole, parts, run-whole-parts)
	for _, t := range titles {
		fmt.Fprintf(&b, "\n## %s\n\n| the paper | where | what judges it | command |\n"+
			"|---|---|---|---|\n", t.name)
		for _, c := range all {
			if c.Paper == t.key {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", escape(c.Says), escape(c.Source),
					escape(c.judge()), escape(c.command()))
			}
		}
	}
	return b.String(), nil
}

// judge says what judges a claim.
func (c *claimed) judge() string {
	switch {
	case c.Needs != "":
		return "cannot be run here: " + c.Needs
	case c.Test == "":
		where := ""
		if c.at != "" {
			where = ", at " + c.at
		}
		said := c.said
		if said == "" {
			said = "no verdict is kept of it"
		}
		return "`" + c.holds + "`" + where + ": " + said
	}
	said := "**holds**"
	if c.Verdict != "" {
		said = "**" + c.Verdict + "**"
	}
	if c.Remark != "" {
		said += ". " + c.Remark
	}
	return said
}

// command returns what shows the verdict of a claim; empty where nothing does.
func (c *claimed) command() string {
	folder, name, _ := strings.Cut(c.Test, " ")
	switch {
	case c.Test != "":
		return fmt.Sprintf("`go test ./%s -run '^%s$'`", folder, name)
	case c.Needs == "":
		return "`" + c.run + "`"
	}
	return ""
}
