package verdict_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// trials is how many studies are simulated for each predicate.
const trials = 1000

// simulated makes a study of three methods at three points, with five seeds: mean says the loss
// of a method at a point, common is the part of the noise that the runs of a seed share.
func simulated(rng *rand.Rand, common float64, mean func(method, point int) float64) *world {
	w := newWorld("k", "1", "10", "100")
	shared := make([]float64, 5)
	for i := range shared {
		shared[i] = rng.NormFloat64()
	}
	for m, label := range []string{"A", "B", "C"} {
		var points [][][]engine.Series
		for k := range 3 {
			var seeds [][]engine.Series
			for _, x := range shared {
				noise := math.Sqrt(common)*x + math.Sqrt(1-common)*rng.NormFloat64()
				seeds = append(seeds, []engine.Series{{Key: "loss",
					Values: engine.Floats{100, 50, mean(m, k) + 0.3*noise}}})
			}
			points = append(points, seeds)
		}
		w.add(label, "", points)
	}
	return w
}

// A boundary is a claim about a study in which it lies on the edge between true and false: where
// errors are most likely, whichever verdict is given.
type boundary struct {
	holds string
	at    string
	mean  func(method, point int) float64
}

// boundaries has one of each predicate.
func boundaries() []boundary {
	level := func(x float64) func(int, int) float64 { return func(int, int) float64 { return x } }
	apart := func(size float64) func(int, int) float64 {
		return func(m, _ int) float64 { return 10 - size*float64(m) }
	}
	return []boundary{
		{"better(A, B, loss)", "1", level(10)},
		{"better(A, B, loss)", "", level(10)},
		{"better(B, A, loss, by = 0.5)", "1", apart(0.5)},
		{"better(B, A, loss, by = 10 %)", "1", apart(1)},
		{"worse(A, B, loss)", "10", level(10)},
		{"order(A > B > C, loss)", "1", level(10)},
		{"equivalent(A, B, loss, within = 1)", "1", apart(1)},
		{"equivalent(B, A, loss, within = 10 %)", "1", apart(1)},
		{"equivalent(A, B, loss, within = 0.01)", "1", apart(0.01)},
		{"equivalent(A, B, loss, within = 1)", "", apart(1)},
		{"increases(loss, over = k, of = A)", "", level(10)},
		{"increases(loss, over = k)", "", level(10)},
		{"decreases(loss, over = k, of = B)", "1|100", level(10)},
		{"increases(loss, over = k, of = A - B)", "",
			func(m, k int) float64 { return 10 + float64(m) + float64(k) }},
		{"decreases(loss, over = k, of = A - B)", "1|100", apart(1)},
		{"constant(loss, over = k, within = 1, of = A - B)", "",
			func(m, k int) float64 { return 10 + float64(m*k)/2 }},
		{"value(B - A, loss, <= -0.5)", "", apart(0.5)},
		{"better(A - B, B - C, loss)", "1", apart(1)},
		{"worse(A - B, B - C, loss)", "", apart(1)},
		{"better(A - B, B - C, loss, by = 10 %)", "1",
			func(m, _ int) float64 { return []float64{11.9, 11, 10}[m] }},
		{"order(A - B > B - C > C - A, loss)", "10", level(10)},
		{"equivalent(A - B, A - C, loss, within = 1)", "1", apart(1)},
		{"constant(loss, over = k, within = 1, of = A)", "",
			func(_, k int) float64 { return 10 + float64(k)/2 }},
		{"reaches(A, loss, <= 10, by = round 20)", "1", level(10)},
		{"value(A, loss, <= 10)", "", level(10)},
		{"value(A, loss, = 9 ± 1)", "1", level(10)},
		{"better(A, B, loss) and value(A, loss, >= 10)", "1", level(10)},
	}
}

// atMost fails the test if a share of trials is more than three standard errors above 5 %.
func atMost(t *testing.T, what string, wrong int) {
	t.Helper()
	const required = 0.05
	got := float64(wrong) / trials
	if got > required+3*math.Sqrt(required*(1-required)/trials) {
		t.Errorf("%s: %.3f of %d verdicts are wrong, required %.2f", what, got, trials, required)
	}
}

// At the edge between true and false a verdict is given in at most 5 % of studies.
func TestFalseVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 26))
	for _, b := range boundaries() {
		for _, common := range []float64{0, 0.8} {
			wrong := 0
			for range trials {
				w := simulated(rng, common, b.mean)
				if decided(verdict.Judge(&w.Input, []study.Claim{claimed(t, w, b.holds, split(b.at)...)})) {
					wrong++
				}
			}
			atMost(t, b.holds+" at "+b.at, wrong)
		}
	}
}

// So is it for exponents, the noise of which is that of logarithms.
func TestFalseVerdictsOfExponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 26))
	for _, holds := range []string{"exponent(A, loss, over = k, <= -0.5)",
		"exponent(A, loss, over = k, = -0.4 ± 0.1)"} {
		wrong := 0
		for range trials {
			w := simulated(rng, 0.5, func(_, k int) float64 { return -float64(k) * math.Log(10) / 2 })
			for _, r := range w.Results {
				last := len(r.Series[0].Values) - 1
				r.Series[0].Values[last] = math.Exp(r.Series[0].Values[last])
			}
			if decided(verdict.Judge(&w.Input, []study.Claim{claimed(t, w, holds)})) {
				wrong++
			}
		}
		atMost(t, holds, wrong)
	}
}

// Of a file with many claims that are at the edge, some verdict is given in at most 5 % of studies.
func TestFalseVerdictsOfFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 27))
	wrong := 0
	for range trials {
		w := simulated(rng, 0.5, func(int, int) float64 { return 10 })
		var claims []study.Claim
		for _, holds := range []string{"better(A, B, loss)", "better(B, C, loss)", "worse(A, C, loss)",
			"value(A, loss, <= 10)", "increases(loss, over = k, of = C)", "value(B, loss, >= 10)"} {
			for _, at := range []string{"1", "10", "100"} {
				if holds[0] == 'i' {
					at = ""
				}
				claims = append(claims, claimed(t, w, holds, split(at)...))
			}
		}
		if decided(verdict.Judge(&w.Input, claims)) {
			wrong++
		}
	}
	atMost(t, "files", wrong)
}

// Of methods of known quality, true claims hold and false ones are refuted nearly always, and the
// seeds that are told for the others are not far from enough.
func TestVerdictsFindTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const studies = 100
	counts := map[string]map[verdict.Outcome]int{}
	claims := []string{"order(C > B > A, loss)", "better(A, C, loss)",
		"equivalent(A, B, loss, within = 5)", "decreases(loss, over = k)"}
	for range studies {
		w := simulated(rng, 0.5, func(m, k int) float64 { return 20 - 2*float64(m) - 2*float64(k) })
		for _, holds := range claims {
			if counts[holds] == nil {
				counts[holds] = map[verdict.Outcome]int{}
			}
			v := verdict.Judge(&w.Input, []study.Claim{claimed(t, w, holds)})[0]
			counts[holds][v.Verdict]++
		}
	}
	for holds, want := range map[string]verdict.Outcome{claims[0]: verdict.Holds,
		claims[1]: verdict.Refuted, claims[2]: verdict.Holds, claims[3]: verdict.Holds} {
		if counts[holds][want] < studies*95/100 {
			t.Errorf("%s: %v, want %s", holds, counts[holds], want)
		}
	}
}

// With as many seeds as an undecided claim is said to need, it is decided in about 80 % of studies,
// where means and standard deviations are what they seem.
func TestSeedsThatDecide(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	study20 := func(n int, d []float64) *world {
		w := newWorld("")
		for m, label := range []string{"A", "B"} {
			var seeds [][]engine.Series
			for i := range n {
				seeds = append(seeds, []engine.Series{{Key: "loss",
					Values: engine.Floats{9, 9, 10 + float64(m)*d[i]}}})
			}
			w.add(label, "", [][][]engine.Series{seeds})
		}
		return w
	}
	const effect = 0.9 // standard deviations
	seeming := []float64{effect - 1, effect + 1, effect - 1, effect + 1, effect}
	w := study20(5, seeming)
	holds := claimed(t, w, "better(A, B, loss)")
	v := verdict.Judge(&w.Input, []study.Claim{holds})[0]
	if v.Verdict != verdict.Undecided || v.Seeds < 8 || v.Seeds > 20 {
		t.Fatalf("%+v", v)
	}
	found := 0
	for range trials {
		d := make([]float64, v.Seeds)
		for i := range d {
			d[i] = effect + rng.NormFloat64()
		}
		w := study20(v.Seeds, d)
		if verdict.Judge(&w.Input, []study.Claim{holds})[0].Verdict == verdict.Holds {
			found++
		}
	}
	if share := float64(found) / trials; share < 0.76 || share > 0.88 {
		t.Errorf("%d seeds decide in %.2f of studies", v.Seeds, share)
	}
}

// decided reports whether some claim has a verdict.
func decided(verdicts []verdict.Verdict) bool {
	for _, v := range verdicts {
		if v.Verdict == verdict.Holds || v.Verdict == verdict.Refuted {
			return true
		}
	}
	return false
}
