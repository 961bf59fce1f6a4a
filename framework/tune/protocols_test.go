package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// A protocol is how often rankings are right, and by how much the numbers of the best method are
// better than what it is worth: means over repetitions, with the standard error of the latter.
type protocol struct {
	right    int
	optimism []float64
}

// simulated is a study with a known truth: three methods that are worth 80, 79 and 78 at their best
// rate, which lies anywhere in the range, and 4 less a decade from it, squared. Noise is of a seed.
type simulated struct {
	rng  *rand.Rand
	best [3]float64 // log₁₀ of the rate
}

var worth = [3]float64{80, 79, 78}

func (s *simulated) truth(method int, rate float64) float64 {
	off := math.Log10(rate) - s.best[method]
	return worth[method] - 4*off*off
}

// score returns the mean over so many seeds: 1 point of noise on test data, 1.5 on validation
// samples, of which there are fewer.
func (s *simulated) score(method int, rate, noise float64, seeds int) float64 {
	var values []float64
	for range seeds {
		values = append(values, s.truth(method, rate)+noise*s.rng.NormFloat64())
	}
	return mean(values)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// standardError returns that of the mean.
func standardError(x []float64) float64 {
	m, square := mean(x), 0.0
	for _, v := range x {
		square += (v - m) * (v - m)
	}
	return math.Sqrt(square / float64(len(x)-1) / float64(len(x)))
}

// report notes the means of the three methods, at their rates.
func (p *protocol) report(s *simulated, means, rates [3]float64) {
	if means[0] > means[1] && means[1] > means[2] {
		p.right++
	}
	best := slices.Index(means[:], slices.Max(means[:]))
	p.optimism = append(p.optimism, means[best]-s.truth(best, rates[best]))
}

// Methods that are tuned on validation samples are ranked rightly more often than those with one
// rate for all, and their numbers claim little more than they are worth: no more than the best of
// three means of noise does. Reporting the best setting on the test set claims more.
// Run with -v, it prints the numbers that the README of experiments has.
func TestProtocols(t *testing.T) {
	const repetitions, reported, tuned = 1000, 5, 2
	rates := settings(t, study.SearchGrid, 20, logRange("local.lr", 1e-3, 1))
	var untuned, validated, tested protocol
	s := &simulated{rng: rand.New(rand.NewPCG(20, 26))}
	for range repetitions {
		var plain, chosen, peeked, at, own, best [3]float64
		one := math.Pow(10, -3*s.rng.Float64())
		for m := range worth {
			s.best[m] = -3 * s.rng.Float64()
			plain[m], at[m] = s.score(m, one, 1, reported), one
			var onValidation, onTest []float64
			for _, with := range rates {
				rate := with[0].(float64)
				onValidation = append(onValidation, s.score(m, rate, 1.5, tuned))
				onTest = append(onTest, s.score(m, rate, 1, reported))
			}
			own[m] = rates[Ranking(onValidation, true)[0]][0].(float64)
			chosen[m] = s.score(m, own[m], 1, reported)
			k := Ranking(onTest, true)[0]
			best[m], peeked[m] = rates[k][0].(float64), onTest[k]
		}
		untuned.report(s, plain, at)
		validated.report(s, chosen, own)
		tested.report(s, peeked, best)
	}
	for _, p := range []struct {
		name string
		*protocol
	}{{"one rate for all", &untuned}, {"tuned on validation samples", &validated},
		{"the best on the test set", &tested}} {
		t.Logf("%s: the ranking is right in %.1f %%, the best number claims %.2f ± %.2f too much",
			p.name, 100*float64(p.right)/repetitions, mean(p.optimism), standardError(p.optimism))
	}
	// Four standard errors of a difference of shares are at most 0.09.
	if validated.right-untuned.right < 90 {
		t.Errorf("rankings are right in %d of %d repetitions with tuning, in %d without",
			validated.right, repetitions, untuned.right)
	}
	more := mean(tested.optimism) - mean(validated.optimism)
	if se := standardError(tested.optimism); more < 4*se {
		t.Errorf("the best on the test set claims %.3f more, with a standard error of %.3f", more, se)
	}
	if bias := math.Abs(mean(validated.optimism)); bias > 0.25 {
		t.Errorf("what is tuned on validation samples claims %.2f too much", bias)
	}
}
