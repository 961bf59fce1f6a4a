package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
)

// why says in one line what a verdict rests on.
func (a *assessment) why(v *Verdict) string {
	text := v.Of + " = " + Interval(v)
	if lost := a.decisive(v.Verdict).lost; lost != "" {
		text = v.Of + ": " + lost
	}
	switch {
	case v.Exact:
		text += " in every seed, without spread"
	case a.hindered != nil:
		return text + "; " + a.hindered.why
	default:
		text += "; " + P(v.P)
	}
	if v.Statements > 1 {
		word := "the least certain"
		if v.Verdict == Refuted {
			word = "the most certain against it"
		}
		text += fmt.Sprintf("; %s of %d statements", word, v.Statements)
	}
	if len(a.differing) > 0 {
		text += "; points differ in " + strings.Join(a.differing, ", ")
	}
	if v.Verdict != Undecided {
		return text
	}
	return text + "; " + decidedBy(v.Seeds)
}

// decidedBy says how many seeds would decide a claim.
func decidedBy(seeds int) string {
	if seeds == 0 {
		return fmt.Sprintf("more than %d seeds would decide (power 80 %%)", infer.MaxSeedsNeeded)
	}
	return fmt.Sprintf("about %d seeds would decide (power 80 %%)", seeds)
}

// Interval writes the estimate of a verdict and its interval; "" where there is none.
func Interval(v *Verdict) string {
	if math.IsNaN(v.Estimate) {
		return ""
	}
	text := Numeral(v.Estimate)
	if v.Exact || math.IsNaN(v.Low) {
		return text
	}
	return fmt.Sprintf("%s [%s, %s]", text, Numeral(v.Low), Numeral(v.High))
}

// Numeral writes a number with three significant digits.
func Numeral(x float64) string {
	mantissa, exponent, found := strings.Cut(strconv.FormatFloat(x, 'g', 3, 64), "e")
	text := mantissa
	if found {
		sign := strings.TrimPrefix(exponent[:1], "+")
		text += "e" + sign + strings.TrimLeft(exponent[1:], "0")
	}
	return strings.ReplaceAll(text, "-", "−")
}

// P writes a p-value; "" for none.
func P(p float64) string {
	switch {
	case math.IsNaN(p):
		return ""
	case p < 0.001:
		return "p < 0.001"
	case math.Abs(p-infer.Alpha) < 0.0005: // on the right side of 5 %
		return fmt.Sprintf("p = %.5f", p)
	}
	return fmt.Sprintf("p = %.2g", p)
}

// lost says which of some terms diverged, and with how many seeds; "" for none.
func lost(terms []claim.Term, values ...[]float64) string {
	var parts []string
	for k, list := range values {
		n := 0
		for _, x := range list {
			if !infer.Finite(x) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s diverged with %d of %d seeds", shown(terms[k]), n,
				len(list)))
		}
	}
	return strings.Join(parts, ", ")
}

// shown writes a method, or a gain.
func shown(t claim.Term) string {
	if t.Minus == "" {
		return t.Method
	}
	return t.Method + " − " + t.Minus
}

// difference writes the difference of two methods, or of two gains.
func difference(a, b claim.Term) string {
	if a.Minus == "" && b.Minus == "" {
		return shown(a) + " − " + shown(b)
	}
	return fmt.Sprintf("(%s) − (%s)", shown(a), shown(b))
}
