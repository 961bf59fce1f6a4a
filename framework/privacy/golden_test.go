package privacy

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// goldens are what testdata/privacy.py integrated.
type goldens struct {
	Runs []struct {
		Name    string
		Rounds  [][3]float64 // count, rate, noise
		Delta   float64
		Removed float64 `json:"epsilon_removed"`
		Added   float64 `json:"epsilon_added"`
	}
	Single []struct {
		Rate, Sigma, Epsilon float64
		Removed              float64 `json:"delta_removed"`
		Added                float64 `json:"delta_added"`
	}
	Renyi              []struct{ Rate, Sigma, Order, Divergence float64 }
	WithoutReplacement []struct {
		Rate, Sigma, Order, Divergence float64
	} `json:"without_replacement"`
}

func readGoldens(t *testing.T) goldens {
	t.Helper()
	text, err := os.ReadFile("testdata/privacy.json")
	if err != nil {
		t.Fatal(err)
	}
	var g goldens
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// sampled returns a mechanism under independent sampling.
func sampled(sigma, rate float64) Mechanism {
	return Mechanism{Sigma: sigma, Sampling: Independently, Rate: rate}
}

// everyone returns a mechanism without sampling.
func everyone(sigma float64) Mechanism { return Mechanism{Sigma: sigma, Rate: 1} }

// mustAdd adds releases to an accountant.
func mustAdd(t testing.TB, to Accountant, m Mechanism, count int) {
	t.Helper()
	if err := to.Add(m, count); err != nil {
		t.Fatal(err)
	}
}

// compose returns the profile of count releases of every mechanism.
func compose(t testing.TB, count int, mechanisms ...Mechanism) *Profile {
	t.Helper()
	var p PLD
	for _, m := range mechanisms {
		mustAdd(t, &p, m, count)
	}
	return p.Compose()
}

// An independent integration of the privacy loss of whole runs, by inversion of a Laplace
// transform, lies between the bounds, in both directions, to 1e-4; and RDP is above it.
func TestGoldenRuns(t *testing.T) {
	for _, g := range readGoldens(t).Runs {
		var p PLD
		rdp, err := NewRDP()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range g.Rounds {
			m := sampled(r[2], r[1])
			mustAdd(t, &p, m, int(r[0]))
			mustAdd(t, rdp, m, int(r[0]))
		}
		f := p.Compose()
		for k, want := range []float64{g.Removed, g.Added}[:len(f.above)] {
			high := f.above[k].inverse(g.Delta - f.above[k].ends - f.Allowance)
			low := f.below[k].inverse(g.Delta + outside + f.Allowance)
			// The golden itself is good to about 1e-8.
			if !(low-1e-7 <= want && want <= high+1e-7) || high-low > 1e-4 {
				t.Errorf("%s, direction %d: [%.7f, %.7f], want %.7f", g.Name, k, low, high, want)
			}
		}
		both, err := f.Epsilon(g.Delta)
		if err != nil {
			t.Fatal(err)
		}
		upper, err := rdp.Epsilon(g.Delta)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: ε in [%.6f, %.6f], integrated %.6f, RDP %.6f at order %v",
			g.Name, both.Low, both.High, max(g.Removed, g.Added), upper.Epsilon, upper.Order)
		if upper.Epsilon < both.High {
			t.Errorf("%s: RDP gives %v, less than %v", g.Name, upper.Epsilon, both.High)
		}
	}
}

// One release, integrated over outcomes.
func TestGoldenSingle(t *testing.T) {
	for _, g := range readGoldens(t).Single {
		f := compose(t, 1, sampled(g.Sigma, g.Rate))
		for k, want := range []float64{g.Removed, g.Added}[:len(f.above)] {
			low := f.below[k].at(g.Epsilon) - outside - f.Allowance
			high := f.above[k].at(g.Epsilon) + f.above[k].ends + f.Allowance
			// The golden's rule errs at the kink of the integrand, by about the square of its step.
			if tiny := 1e-10; low > want+tiny || high < want-tiny || high-low > 1e-5 {
				t.Errorf("%+v, direction %d: [%v, %v], want %v", g, k, low, high, want)
			}
		}
	}
}

// Rényi divergences under independent sampling, of whole and other orders, integrated over
// outcomes.
func TestGoldenDivergence(t *testing.T) {
	for _, g := range readGoldens(t).Renyi {
		got := logMoment(g.Rate, g.Sigma, g.Order) / (g.Order - 1)
		if math.Abs(got-g.Divergence) > 1e-9*g.Divergence+1e-13/(g.Order-1) {
			t.Errorf("%+v: %v, off by %.1e", g, got, got/g.Divergence-1)
		}
	}
}

// The bound for sampling without replacement, as it stands in the paper, with 600 digits.
func TestGoldenWithoutReplacement(t *testing.T) {
	for _, g := range readGoldens(t).WithoutReplacement {
		bound := newReplacement(g.Rate, g.Sigma, []float64{g.Order})
		if got := bound.divergence(g.Order); math.Abs(got/g.Divergence-1) > 1e-11 {
			t.Errorf("%+v: %v, off by %.1e", g, got, got/g.Divergence-1)
		}
	}
}
