package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// contradictionPage is the page of experiments that are about what papers and programs do
// differently.
const contradictionPage = "experiments/contradictions/README.md"

// contradictionTitle begins the titles of these experiments; what follows is the question.
const contradictionTitle = "Contradiction: "

// allContradictions lists the experiments of the folder contradictions: the question and what
// papers and programs do, which are the first sentence and the rest of the first paragraph of the
// file's comment, and the verdict on each claim with its numbers.
func allContradictions(top string) (string, error) {
	kept, err := readVerdicts(top)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| question | what papers and programs do | claim | verdict and numbers | " +
		"seeds | file and command |\n|---|---|---|---|---:|---|\n")
	err = eachExperiment(top, func(name string, spec *study.Spec) error {
		file, inside := strings.CutPrefix(name, contradictions+"/")
		if !inside {
			return nil
		}
		runs, err := judged(kept, spec)
		if err != nil {
			return err
		}
		question, practice, err := practiceOf(name, spec)
		if err != nil {
			return err
		}
		command := fmt.Sprintf("[`%s`](%s) `%s`", file, file,
			phrase.Hint("run", "experiments/"+name))
		for i := range spec.Claims {
			said, seeds := answer(runs, &spec.Claims[i])
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", escape(question), escape(practice),
				escape(spec.Claims[i].Says), escape(said), seeds, escape(command))
			question, practice, command = "", "", ""
		}
		return nil
	})
	return b.String(), err
}

// sentence is the first one of a paragraph, and what follows.
var sentence = regexp.MustCompile(`^(.*?[.?]) (.+)$`)

// practiceOf returns the first sentence of the comment at the top of an experiment file, and the
// rest of its first paragraph, which a line of # alone ends.
func practiceOf(name string, spec *study.Spec) (question, practice string, err error) {
	first, rest, found := strings.Cut(spec.Source, "\n#\n")
	parts := sentence.FindStringSubmatch(comment(first))
	if !found || parts == nil || strings.Contains(first, "\n[") ||
		!strings.HasPrefix(rest, "# ") || !strings.HasPrefix(spec.Title, contradictionTitle) {
		return "", "", fmt.Errorf("%s: a contradiction has a title %q, and a comment of two "+
			"paragraphs with a line of # between: a question with what papers do, and what is "+
			"done here", name, contradictionTitle+"…")
	}
	return parts[1], parts[2], nil
}

// answer says what the kept runs of an experiment tell of a claim, and with how many seeds.
func answer(runs []*judgedRun, c *study.Claim) (said, seeds string) {
	r, j := verdictOn(runs, c)
	if j == nil {
		return "no verdict is kept of it", ""
	}
	word := table.ClaimVerdict{Verdict: verdict.Outcome(j.Verdict), Direction: c.Expr.Directional()}
	said = fmt.Sprintf("**%s**. %s", word.Word(), j.Why)
	if r.Part != "" {
		said += "; of the part " + r.Part
	}
	return said, fmt.Sprint(j.Seeds)
}
