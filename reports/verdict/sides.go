package verdict

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
)

// A statement is what a claim says of one comparison.
type statement struct {
	what                string // that Estimate is of
	lost                string // which methods diverged, and how often; "": none
	estimate, low, high float64
	n                   int // seeds
	test                string
	sides               []side // all of which are claimed
}

// A side is a one-sided statement.
type side struct {
	holds, opposite float64 // p
	exact           bool    // nothing varies: p are 0 and 1
	few             bool    // there are too few seeds for a test

	// needed returns how many seeds find the side, or its opposite, at a level with a power; 0
	// for more than infer.MaxSeedsNeeded.
	needed func(opposite bool, alpha, power float64) int
}

// exactly returns a side that is true or false.
func exactly(so bool) side {
	if so {
		return side{opposite: 1, exact: true}
	}
	return side{holds: 1, exact: true}
}

// above says that the mean of numbers, one for each seed, is above 0, or at least 0 where it is
// not strict. Numbers within same of one another are equal but for rounding.
func above(d []float64, same float64, strict bool) side {
	mean, sd := infer.MeanSD(d)
	switch {
	case diverged(d):
		return signs(d, same, strict)
	case len(d) > 1 && slices.Max(d)-slices.Min(d) <= same:
		return exactly(mean > same || !strict && mean >= -same)
	case len(d) < infer.FewestSeeds:
		return side{holds: 1, opposite: 1, few: true}
	}
	s := side{needed: func(opposite bool, alpha, power float64) int {
		m := mean
		if opposite {
			m = -mean
		}
		return infer.SeedsOneSided(m, sd, alpha, power)
	}}
	s.holds, s.opposite = infer.OneSided(mean, sd, len(d))
	return s
}

// diverged reports whether some numbers are not finite: those of seeds with which a method
// diverged.
func diverged(d []float64) bool {
	return slices.ContainsFunc(d, func(x float64) bool { return !infer.Finite(x) })
}

// signs is above where some numbers have no size, by the sign test. A number that is NaN, as both
// methods diverged, is on neither side.
func signs(d []float64, same float64, strict bool) side {
	n, over, under := len(d), 0, 0
	if n < infer.FewestSeeds {
		return side{holds: 1, opposite: 1, few: true}
	}
	for _, x := range d {
		switch {
		case x > same || !strict && x >= -same:
			over++
		case x < -same:
			under++
		}
	}
	s := side{needed: func(opposite bool, alpha, power float64) int {
		share := float64(over) / float64(n)
		if opposite {
			share = float64(under) / float64(n)
		}
		return infer.SignSeeds(share, alpha, power)
	}}
	s.holds, s.opposite = infer.Signs(over, under, n)
	return s
}

// stated returns a statement about the mean of numbers. Of numbers that are not all finite it is
// about their signs, and there is no mean.
func stated(what, test string, values []float64, sides ...side) statement {
	if nan := math.NaN(); diverged(values) {
		return statement{what: what, estimate: nan, low: nan, high: nan, n: len(values),
			test: "sign test", sides: sides}
	}
	mean, _ := infer.MeanSD(values)
	low, high := infer.MeanInterval(values)
	return statement{what: what, estimate: mean, low: low, high: high, n: len(values), test: test,
		sides: sides}
}

// rounding returns by how much numbers computed of some lists may differ and still be equal.
func rounding(lists ...[]float64) float64 {
	size := 0.0
	for _, list := range lists {
		for _, x := range list {
			if infer.Finite(x) {
				size = max(size, math.Abs(x))
			}
		}
	}
	return 2 * infer.Rounding(size)
}

// shifted returns x + y, and x where that is infinite: a method that diverged is worse by more than
// any margin.
func shifted(x, y float64) float64 {
	if math.IsInf(x, 0) {
		return x
	}
	return x + y
}

// combined returns f of the elements of two lists, one by one.
func combined(a, b []float64, f func(x, y float64) float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = f(a[i], b[i])
	}
	return out
}

// minus returns the differences of two lists.
func minus(a, b []float64) []float64 {
	return combined(a, b, func(x, y float64) float64 { return x - y })
}
