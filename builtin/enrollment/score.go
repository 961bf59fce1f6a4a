package enrollment

import (
	"fmt"
	"math"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Score is how what is known of clients bears on whether they come: ⟨β, Xᵢ⟩.
type Score struct {
	coefficients fl.Vector // β
	columns      []int     // of X that they belong to
}

// NewScore declares the coefficients and the covariates that they belong to.
func NewScore(p *fl.Params) Score {
	s := Score{coefficients: p.Floats("coefficients", fl.Anything(),
		"β, one for each covariate; [] for none")}
	s.columns = p.Covariates("covariates", "names of the covariates that β belongs to, in this "+
		"order; all of the data when it is not given")
	in := p.Setting()
	if !in.Known() || len(s.coefficients) == len(s.columns) {
		return s
	}
	names := make([]string, len(s.columns))
	for k, column := range s.columns {
		if column >= 0 {
			names[k] = in.Shape.Covariates[column]
		}
	}
	have := "1 coefficient"
	if n := len(s.coefficients); n != 1 {
		have = fmt.Sprintf("%d coefficients", n)
	}
	switch {
	case len(in.Shape.Covariates) == 0:
		p.Fail("coefficients", "%s, and these data have no covariates: write coefficients = []",
			have)
	case len(names) == 0:
		p.Fail("coefficients", "%s, and covariates = [] names none: write coefficients = []", have)
	case len(names) == 1:
		p.Fail("coefficients", "%s for 1 covariate: %s", have, names[0])
	default:
		p.Fail("coefficients", "%s for %d covariates: %s", have, len(names),
			strings.Join(names, ", "))
	}
	return s
}

// Of returns ⟨β, Xᵢ⟩ for the covariates of a client.
func (s *Score) Of(x fl.Vector) float64 {
	sum := 0.0
	for k, column := range s.columns {
		sum += s.coefficients[k] * x[column]
	}
	return sum
}

// Uses reports whether a column of X has a coefficient other than 0.
func (s *Score) Uses(column int) bool {
	for k, c := range s.columns {
		if c == column && k < len(s.coefficients) && s.coefficients[k] != 0 {
			return true
		}
	}
	return false
}

// Knows reports whether a roster has the covariates that the score needs.
func (s *Score) Knows(pop *fl.Roster) bool {
	for _, column := range s.columns {
		if column >= pop.Covariates.Cols {
			return false
		}
	}
	return true
}

// Sigmoid is σ(t) = 1/(1 + e⁻ᵗ).
func Sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// count says how many clients there are, in words.
func count(n int) string {
	if n == 1 {
		return "client 0 alone"
	}
	return fmt.Sprintf("clients 0 to %d", n-1)
}
