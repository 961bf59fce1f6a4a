package table

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/ot"
)

// shownBudgets is how many budgets of variance a table of a frontier has.
const shownBudgets = 9

// Frontiers returns the different frontiers of findings at one point, and the first method that has
// the cohorts of each: of methods that are compared, or of the others where there are none.
func Frontiers(group []audit.Finding) (methods []string, list []*audit.Frontier) {
	for _, compared := range []bool{true, false} {
		for i := range group {
			f := &group[i]
			on := f.Frontier
			if on == nil || (f.Role == "") != compared || slices.Contains(list, on) {
				continue
			}
			methods, list = append(methods, f.Method), append(list, on)
		}
		if list != nil {
			break
		}
	}
	return methods, list
}

// frontierMethods returns where each method is beside the frontier of its cohorts; nil without one.
func frontierMethods(group []audit.Finding) [][]string {
	if _, list := Frontiers(group); list == nil {
		return nil
	}
	lines := [][]string{{"method", "variance", "1/variance", "TV(p̃, p)", "least TV", "excess",
		"least, any weights"}}
	for i := range group {
		f := &group[i]
		line := []string{f.Method, "—", "—", "—", "—", "—", "—"}
		if e := f.Effective; e != nil && !e.Thin && e.Variance > 0 {
			line[1], line[2] = ThreeDigits(e.Variance), ThreeDigits(1/e.Variance)
			line[3] = ThreeDecimals(f.TV)
			if f.Frontier != nil {
				if least, ok := f.Frontier.Convex.Least(e.Variance); ok {
					line[4], line[5] = ThreeDecimals(least), "0.000"
					if excess := f.TV - least; max(excess, -excess) > f.Frontier.Convex.Error {
						line[5] = signedDecimals(excess)
					}
				}
				line[6] = leastTV(&f.Frontier.Any, e.Variance)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// signedDecimals writes a difference of probabilities with three digits after the point.
func signedDecimals(x float64) string {
	text := ThreeDecimals(max(x, -x))
	switch {
	case x > -1e-9:
		return text
	case text[0] == '<':
		return "> −0.001"
	}
	return "−" + text
}

// leastTV writes the least total variation of a frontier for a variance.
func leastTV(f *ot.Frontier, variance float64) string {
	tv, ok := f.Least(variance)
	if !ok {
		return "—"
	}
	return ThreeDecimals(tv)
}

// frontierBudgets returns the least total variation for some budgets of variance, by frontier.
func frontierBudgets(group []audit.Finding) [][]string {
	methods, list := Frontiers(group)
	if list == nil {
		return nil
	}
	lines := [][]string{{"variance", "1/variance", "least TV", "least, any weights"}}
	if len(list) > 1 {
		lines[0] = slices.Insert(lines[0], 0, "cohorts of")
	}
	for k, f := range list {
		points := f.Convex.Points
		from, to := points[0].Variance, points[len(points)-1].Variance
		budgets := shownBudgets
		if len(points) == 1 {
			budgets = 1
		}
		for i := range budgets {
			v := to
			if budgets > 1 {
				v = from + (to-from)*float64(i)/float64(budgets-1)
			}
			line := []string{ThreeDigits(v), ThreeDigits(1 / v), leastTV(&f.Convex, v),
				leastTV(&f.Any, v)}
			if len(list) > 1 {
				line = slices.Insert(line, 0, methods[k])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// frontierTerms explains the columns of a frontier.
func frontierTerms(group []audit.Finding) []Note {
	_, list := Frontiers(group)
	if list == nil {
		return nil
	}
	terms := []Note{
		{Term: "variance", Text: "E‖w‖²/(EΣw)² of the weights w of a round: the variance of the " +
			"aggregate of updates with uncorrelated errors of variance 1; 1/variance is an " +
			"effective cohort size"},
		{Term: "least TV", Text: "the frontier: the least TV(p̃, p) of all weights w ≥ 0 with " +
			"Σw = 1 on these cohorts, with no more variance; excess: what a method has beyond " +
			"that, negative where its weights are no such weights"},
		{Term: "least, any weights", Text: "the same of weights of any sign and sum: inverse " +
			"probability weights p/π, clipped; — : not with so little variance"},
	}
	for _, f := range list {
		if f.Cohorts > 0 {
			terms[1].Text += fmt.Sprintf("; computed with %d simulated cohorts", f.Cohorts)
			break
		}
	}
	return terms
}
