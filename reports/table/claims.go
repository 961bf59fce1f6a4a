package table

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// A ClaimSet is the claims of an experiment, with what the results of a run say of them.
type ClaimSet struct {
	Run    string         `json:"run"` // what the run is called; "" where it is known
	Title  string         `json:"title"`
	Hash   string         `json:"hash"`           // of the plan
	Part   string         `json:"part,omitempty"` // that is judged: "size = quick"; "": all of it
	Claims []ClaimVerdict `json:"claims"`

	// Command runs the cells that are judged. Missing counts those of them that have no result.
	Command string `json:"command"`
	Missing int    `json:"missing"`
}

// A ClaimVerdict is a claim and its verdict.
type ClaimVerdict struct {
	Source  string          `json:"source"`          // where it is made: paper, section, figure
	Says    string          `json:"says"`            // the words of the paper
	Holds   string          `json:"holds,omitempty"` // the predicate that is tested
	Needs   string          `json:"needs,omitempty"` // or what is missing to test it
	At      []string        `json:"at,omitempty"`    // labels of points; empty: of all
	Part    string          `json:"part,omitempty"`  // that is judged; "": all of the experiment
	Verdict verdict.Outcome `json:"verdict"`

	// Direction says that the claim has no margin: where it holds, nothing is said of a size.
	Direction bool `json:"direction,omitempty"`

	P Number `json:"p"` // Holm-adjusted over the claims; NaN where none is tested

	Of       string `json:"of"`       // what Estimate is of
	Estimate Number `json:"estimate"` // mean over seeds; NaN for none
	Low      Number `json:"low"`      // 95 % interval of Estimate, not adjusted
	High     Number `json:"high"`     //

	Seeds      int    `json:"seeds"`            // behind Estimate
	Statements int    `json:"statements"`       // that the claim consists of
	Test       string `json:"test"`             // that decides; "" for none
	Exact      bool   `json:"exact"`            // nothing varies over seeds
	Needed     int    `json:"needed,omitempty"` // seeds that would decide; 0: unknown, or very many
	Why        string `json:"why"`              // the numbers in one line, or what is missing
}

// JudgeClaims judges the claims of an input, in the order of the file. Where no cell of some points
// of the sweep has a result, the other points are a part of the experiment that is judged. Texts
// have no absolute paths.
func JudgeClaims(run string, in *infer.Input) ClaimSet {
	names := in.Paths()
	set := ClaimSet{Run: run, Title: names.In(in.Title), Hash: in.Hash, Claims: []ClaimVerdict{},
		Command: names.In(in.Command)}
	if len(in.Claims) == 0 {
		return set
	}
	in = in.Begun()
	set.Part = names.In(in.PartName())
	in = in.WithWorst()
	for _, v := range verdict.Judge(in, in.Claims) {
		one := ClaimVerdict{
			Source: names.In(v.Claim.Source), Says: names.In(v.Claim.Says),
			Holds: names.In(v.Claim.Holds), Needs: names.In(v.Claim.Needs), Verdict: v.Verdict,
			P: Number(v.P), Of: names.In(v.Of), Estimate: Number(v.Estimate), Low: Number(v.Low),
			High: Number(v.High), Seeds: v.N, Statements: v.Statements, Test: v.Test,
			Exact: v.Exact, Needed: v.Seeds, Why: names.In(v.Why),
			Direction: v.Claim.Expr.Directional()}
		for _, label := range v.Claim.At {
			one.At = append(one.At, names.In(label))
		}
		if one.Needs == "" && one.Verdict != verdict.NotJudged {
			one.Part = set.Part
		}
		set.Claims = append(set.Claims, one)
	}
	return set
}

// Word names the verdict, and says of one that holds whether it is about a direction only.
func (c *ClaimVerdict) Word() string {
	if c.Direction && c.Verdict == verdict.Holds {
		return string(c.Verdict) + " (direction)"
	}
	return string(c.Verdict)
}

// Summary says how many claims have which verdict: "4 claims: 2 hold (1 the direction only), 1
// refuted, 1 undecided".
func (s *ClaimSet) Summary() string {
	noun := "claims"
	if len(s.Claims) == 1 {
		noun = "claim"
	}
	var parts []string
	for _, o := range verdict.Outcomes() {
		n, directions := 0, 0
		for _, c := range s.Claims {
			if c.Verdict == o {
				n++
			}
			if c.Verdict == o && c.Word() != string(o) {
				directions++
			}
		}
		word := string(o)
		if o == verdict.Holds && n > 1 {
			word = "hold"
		}
		switch {
		case directions == n && n > 0:
			word += " (the direction only)"
		case directions > 0:
			word += fmt.Sprintf(" (%d the direction only)", directions)
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	text := fmt.Sprintf("%d %s", len(s.Claims), noun)
	return text + Before(": ", strings.Join(parts, ", "))
}

// Name is the title of the experiment, and the part of it that is judged.
func (s *ClaimSet) Name() string { return study.OneLine(s.Title) + Before(", at ", s.Part) }

// Method says how the claims were tested, and what their verdicts mean; "" where there is nothing
// to say.
func (s *ClaimSet) Method() string {
	tested, left, directions := 0, 0, false
	for _, c := range s.Claims {
		if infer.Finite(float64(c.P)) {
			tested++
		}
		if c.Verdict == verdict.NotJudged {
			left++
		}
		directions = directions || c.Word() != string(c.Verdict)
	}
	var parts []string
	if s.Part != "" {
		parts = append(parts, fmt.Sprintf("judged at %s, a part of the experiment, and %d of %d "+
			"not judged", s.Part, left, len(s.Claims)))
	}
	if tested > 0 {
		text := "one-sided tests over seeds, of the claim and of its opposite, at 2.5 % each; p " +
			"is twice the smaller one"
		if tested > 1 {
			text += fmt.Sprintf(", Holm-adjusted for the %d claims that are tested", tested)
		}
		parts = append(parts, text, "in brackets 95 % intervals, not adjusted")
	}
	if directions {
		parts = append(parts, "holds (direction): the claim has no margin, and nothing is said of "+
			"the size of the difference")
	}
	return Before("claims: ", strings.Join(parts, "; "))
}

// Place says what a claim is about: its predicate, and the points.
func (c *ClaimVerdict) Place() string {
	return c.Holds + Before(" at ", strings.Join(c.At, ", "))
}

// Result says what was found, and in which part of the experiment.
func (c *ClaimVerdict) Result() string { return c.Why + Before("; judged at ", c.Part) }

// addClaims adds the claims of an experiment to its table, and notes that tell of their verdicts.
func (t *Table) addClaims(s *ClaimSet) {
	if len(s.Claims) == 0 {
		return
	}
	t.Claims = s.Claims
	for _, c := range s.Claims {
		t.Notes = append(t.Notes, Note{Term: "claim " + c.Word(),
			Text: fmt.Sprintf("%s (%s): %s", c.Says, c.Source, c.Result())})
	}
	if how := s.Method(); how != "" {
		t.Notes = append(t.Notes, Note{Text: how})
	}
}
