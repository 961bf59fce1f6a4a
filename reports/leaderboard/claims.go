package leaderboard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// A claimed is the page of claims.
type claimed struct {
	Summary string
	Sets    []claimSet
}

// A claimSet is the claims of an experiment.
type claimSet struct {
	Title   string
	Summary string
	Command string
	Missing string // training runs without a result; "" for none
	Claims  []claimRow
}

// A claimRow is a claim with its verdict.
type claimRow struct {
	table.ClaimVerdict
	Mark     string // ✓ ✗ ?; – of what is not judged
	Class    string // its colour; "" for none
	Estimate string // "" for none
	Range    string
	N        string
	PValue   string
	Of       string // what the estimate is of, and what else there is to say
	Order    int    // of its verdict
}

// newClaimed returns the page of claims; nil where there are none.
func newClaimed(sets []table.ClaimSet) *claimed {
	c := &claimed{}
	all := table.ClaimSet{}
	for i := range sets {
		s := &sets[i]
		if len(s.Claims) == 0 {
			continue
		}
		one := claimSet{Title: s.Name(), Summary: s.Summary(), Command: s.Command}
		if s.Missing > 0 {
			one.Missing = counted(s.Missing, "training run")
		}
		for _, v := range s.Claims {
			one.Claims = append(one.Claims, newClaimRow(v))
		}
		c.Sets = append(c.Sets, one)
		all.Claims = append(all.Claims, s.Claims...)
	}
	if len(c.Sets) == 0 {
		return nil
	}
	c.Summary = fmt.Sprintf("%s, of %s", all.Summary(), counted(len(c.Sets), "experiment"))
	return c
}

// newClaimRow returns the row of a claim.
func newClaimRow(v table.ClaimVerdict) claimRow {
	r := claimRow{ClaimVerdict: v, Mark: "–", N: "—", PValue: table.PValue(v.P), Range: "—",
		Of:    withoutNumbers(&v),
		Order: slices.Index(verdict.Outcomes(), v.Verdict)}
	switch v.Verdict {
	case verdict.Holds:
		r.Mark, r.Class = "✓", "good"
	case verdict.Refuted:
		r.Mark, r.Class = "✗", "bad"
	case verdict.Undecided:
		r.Mark = "?"
	}
	if v.Seeds > 0 {
		r.N = fmt.Sprint(v.Seeds)
	}
	if infer.Finite(float64(v.Estimate)) {
		r.Estimate = verdict.Numeral(float64(v.Estimate))
	}
	switch low, high := float64(v.Low), float64(v.High); {
	case v.Exact:
		r.Range = "the same with every seed"
	case infer.Finite(low) && infer.Finite(high):
		r.Range = fmt.Sprintf("[%s, %s]", verdict.Numeral(low), verdict.Numeral(high))
	}
	return r
}

// withoutNumbers returns what is said of a verdict, without the numbers that have columns of their
// own.
func withoutNumbers(c *table.ClaimVerdict) string {
	v := verdict.Verdict{Estimate: float64(c.Estimate), Low: float64(c.Low), High: float64(c.High),
		Exact: c.Exact}
	text := c.Why
	if number := verdict.Interval(&v); number != "" {
		text = strings.Replace(text, " = "+number, "", 1)
	}
	if number := verdict.P(float64(c.P)); number != "" {
		text = strings.Replace(text, "; "+number, "", 1)
	}
	return text
}
