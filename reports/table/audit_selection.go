package table

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/audit"
)

// addSelection adds what an audit found of enrolment: balance and sensitivity.
func (t *AuditTable) addSelection(group []audit.Finding) {
	if balanced(group) != nil {
		if lines := covariateLines(group); lines != nil {
			t.Panels = append(t.Panels, lines)
		}
		if lines := overlapLines(balanced(group)); lines != nil {
			t.Panels = append(t.Panels, lines)
		}
		t.Panels = append(t.Panels, weightLines(group))
		t.Notes = append(t.Notes, balanceTerms(group)...)
	}
	if lines := sensitivityLines(group); lines != nil {
		t.Panels = append(t.Panels, lines)
		t.Notes = append(t.Notes, sensitivityTerms(group)...)
	}
}

// balanced returns the first balance of findings; nil without one.
func balanced(group []audit.Finding) *audit.Balance {
	for i := range group {
		if b := group[i].Balance; b != nil {
			return b
		}
	}
	return nil
}

// covariateLines returns the standardised differences, a covariate a line; nil without covariates.
func covariateLines(group []audit.Finding) [][]string {
	first := balanced(group)
	if len(first.Covariates) == 0 {
		return nil
	}
	head := []string{"covariate", "enrolled", "participants"}
	for i := range group {
		head = append(head, group[i].Method)
	}
	lines := [][]string{head}
	for j, c := range first.Covariates {
		line := []string{c.Name, smd(&c.Enrolled), smd(c.Participants)}
		for i := range group {
			cell := "—"
			if b := group[i].Balance; b != nil {
				cell = smd(b.Covariates[j].Weighted)
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	return lines
}

// smd writes a standardised difference.
func smd(x *audit.Number) string {
	if x == nil || math.IsNaN(float64(*x)) {
		return "—"
	}
	size := ThreeDecimals(math.Abs(float64(*x)))
	if *x < 0 && size != "0.000" {
		return "−" + size
	}
	return size
}

// overlapLines returns the probabilities of enrolment; nil where none are known.
func overlapLines(b *audit.Balance) [][]string {
	lines := [][]string{{"probability to enrol", "lowest", "5 %", "median", "highest", "never",
		fmt.Sprintf("below %v", audit.RareEnrolment)}}
	for _, o := range []struct {
		name string
		of   *audit.Overlap
	}{{"true", b.Stated}, {"estimated", b.Estimated}} {
		if o.of == nil {
			continue
		}
		lines = append(lines, []string{o.name, ThreeDigits(o.of.Lowest), ThreeDigits(o.of.Twenty),
			ThreeDigits(o.of.Median), ThreeDigits(o.of.Highest), fmt.Sprint(o.of.Never),
			fmt.Sprint(o.of.Rare)})
	}
	if len(lines) == 1 {
		return nil
	}
	return lines
}

// weightLines returns on how many clients the weights of each method rest.
func weightLines(group []audit.Finding) [][]string {
	lines := [][]string{{"method", "enrolled", "effective by p", "effective clients",
		"largest weight", "floored", "truncated"}}
	for i := range group {
		f := &group[i]
		line := []string{f.Method, fmt.Sprint(f.Enrolment.Clients), "—", "—", "—", "—", "—"}
		if b := f.Balance; b != nil {
			line[2] = ThreeDigits(b.Plain)
			if b.Effective > 0 {
				line[3], line[4] = ThreeDigits(b.Effective), ThreeDecimals(b.Largest)
			}
			line[5], line[6] = share(b.Floored), share(b.Truncated)
		}
		lines = append(lines, line)
	}
	return lines
}

// share writes a share in per cent.
func share(x *float64) string {
	if x == nil {
		return "—"
	}
	return ThreeDigits(100**x) + " %"
}

// balanceTerms explains the columns of a balance.
func balanceTerms(group []audit.Finding) []Note {
	list := []Note{
		{Term: "covariate", Text: "standardised difference from the population, in standard " +
			"deviations of it, all by p: of the enrolled, of participants, and of the clients as " +
			"the weights p̃ of each method have them; 0 where means are those of the population"},
		{Term: "effective clients", Text: "(Σp̃)²/Σp̃² (Kish), of so many clients that count the " +
			"same; effective by p: of p over the enrolled, without weighting"},
		{Term: "floored, truncated", Text: "shares of the weights of a round that the aggregator " +
			"clips: probabilities raised to its floor, weights lowered to its quantile"},
	}
	b := balanced(group)
	if b.Stated != nil || b.Estimated != nil {
		text := "over all clients with p > 0; estimated: by logistic regression on the " +
			"covariates that the server knows"
		if b.Separable {
			text += ", which decide enrolment without exception"
		}
		list = append(list, Note{Term: "probability to enrol", Text: text})
	}
	return list
}

// sensitivityLines returns the ranges of F(θ_p̃), a method a line; nil without any.
func sensitivityLines(group []audit.Finding) [][]string {
	var lines [][]string
	for i := range group {
		s := group[i].Sensitivity
		if s == nil {
			continue
		}
		if lines == nil {
			lines = [][]string{{"method", "F(θ_p̃)", "estimate", "± s.e.", "Γ true", "Γ needed"}}
			for _, r := range s.Ranges {
				lines[0] = append(lines[0], "Γ = "+ThreeDigits(r.Gamma),
					"with sampling")
			}
		}
		line := []string{group[i].Method, ThreeDigits(s.Truth), ThreeDigits(s.Estimate),
			ThreeDigits(s.Error), "?", ThreeDigits(float64(s.Needed))}
		if !math.IsNaN(float64(s.Strength)) {
			line[4] = ThreeDigits(float64(s.Strength))
		}
		for _, r := range s.Ranges {
			line = append(line, ThreeDigits(r.Least)+" … "+ThreeDigits(r.Most),
				ThreeDigits(r.Low)+" … "+ThreeDigits(r.High))
		}
		lines = append(lines, line)
	}
	return lines
}

// sensitivityTerms explains the columns of ranges.
func sensitivityTerms(group []audit.Finding) []Note {
	covariates := 0
	for i := range group {
		if s := group[i].Sensitivity; s != nil {
			covariates = s.Covariates
		}
	}
	by := fmt.Sprintf("%d covariates of all clients", covariates)
	if covariates == 0 {
		by = "no covariates, as the server does not know those of all clients"
	}
	return []Note{
		{Term: "estimate", Text: "of F(θ_p̃) over all clients by losses of the enrolled, each " +
			"over its estimated probability of enrolment, from " + by + "; s.e.: its standard " +
			"error over enrolments at a fixed θ, where θ_p̃ is itself of the enrolled and fits " +
			"them a little better than others"},
		{Term: "Γ", Text: "strength of a selection: odds of enrolment are within Γ and 1/Γ times " +
			"the estimated ones, given all that is not known (marginal sensitivity model, Tan " +
			"2006); the range is that of the estimate over all such selections, exact; with " +
			"sampling: the 95 % percentile interval of Zhao, Small and Bhattacharya 2019"},
		{Term: "Γ true", Text: "largest ratio of the true odds and the estimated ones, ? where " +
			"the true ones are not stated; needed: the least Γ whose range holds F(θ_p̃)"},
	}
}
