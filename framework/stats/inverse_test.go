package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// at returns the elements of v with these indices.
func at(v tensor.Vector, set []int) tensor.Vector {
	var picked tensor.Vector
	for _, i := range set {
		picked = append(picked, v[i])
	}
	return picked
}

// product returns the probability of every client to be enrolled and participate.
func product(e, s tensor.Vector) tensor.Vector {
	pi := e.Clone()
	pi.Mul(s)
	return pi
}

// mean returns E Σₖ dst[k]·xₖ over all cohorts of clients that participate with probabilities pi;
// an empty cohort contributes 0.
func mean(pi, x tensor.Vector, weights func(dst tensor.Vector, set []int)) float64 {
	sets, q, _ := BernoulliLaw(pi)
	_, nonEmpty := Attendance(pi)
	sum := 0.0
	for j, set := range sets {
		dst := make(tensor.Vector, len(set))
		weights(dst, set)
		sum += nonEmpty * q[j] * dst.Dot(at(x, set))
	}
	return sum
}

// TestTheoremTwoStageWeightsAreUnbiased is Proposition 4.1 of FedIPW, by enumeration of all
// outcomes of enrolment and participation.
func TestTheoremTwoStageWeightsAreUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	for range 20 {
		n := 1 + rng.IntN(10)
		e, s, x, share := chances(rng, n), chances(rng, n), normals(rng, n, 1), chances(rng, n)
		share.Scale(1 / share.Sum())
		for i := range e {
			e[i], s[i] = 0.05+0.95*e[i], 0.05+0.95*s[i]
		}
		got := mean(product(e, s), x, func(dst tensor.Vector, set []int) {
			p := Propensities{Enrolled: at(e, set), Came: at(s, set)}
			p.HorvitzThompson(dst, at(share, set))
		})
		tolerance{1e-12, 0}.one(t, "E Δ̂", got, share.Dot(x))
	}
}

// TestTheoremParticipationOnlyIsBiased is Corollary 6.2: without e, the update has in the mean
// the weights e/Σe, and so the bias (1/N) Σᵢ (eᵢ/ē − 1)Δᵢ; with equal e there is none.
func TestTheoremParticipationOnlyIsBiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 2))
	for range 20 {
		n := 2 + rng.IntN(9)
		e, s, x := chances(rng, n), chances(rng, n), normals(rng, n, 1)
		for _, constant := range []bool{false, true} {
			if constant {
				e.Fill(0.3)
			}
			bias := 0.0
			for i := range e {
				bias += (e[i]*float64(n)/e.Sum() - 1) * x[i] / float64(n)
			}
			got := mean(product(e, s), x, func(dst tensor.Vector, set []int) {
				share := make(tensor.Vector, len(set))
				share.Fill(1 / e.Sum()) // the expected number of enrolled clients
				p := Propensities{Came: at(s, set)}
				p.HorvitzThompson(dst, share)
			})
			tolerance{1e-12, 0}.one(t, "bias", got-x.Sum()/float64(n), bias)
			err := ResidualError(product(e, s), s)
			if constant && (math.Abs(bias) > 1e-15 || err.ScaleFree > 1e-14 || err.Epsilon < 0.69) {
				t.Errorf("equal enrolment: bias %v, %+v", bias, err)
			}
		}
	}
}

// TestTheoremWrongProbabilities is the decomposition of Appendix D.5 of FedIPW, by enumeration: with
// probabilities π̂ = π/ρ the update has the mean (1/N) Σ ρᵢΔᵢ, (31), whose bias is at most ε times
// the root mean square of the Δᵢ, Lemma D.9; and the variance (1/N²) Σ ρᵢ²(1 − πᵢ)/πᵢ·Δᵢ², which
// is at most (1 + ε)²/(N·min π) times their mean square, as in (32) without stochastic gradients.
func TestTheoremWrongProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 4))
	for range 20 {
		n := 2 + rng.IntN(8)
		pi, rho, x := chances(rng, n), chances(rng, n), normals(rng, n, 1)
		wrong := make(tensor.Vector, n)
		for i := range pi {
			pi[i], rho[i] = 0.3+0.3*pi[i], 0.7+0.6*rho[i]
			wrong[i] = pi[i] / rho[i]
		}
		epsilon := ResidualError(pi, wrong).Epsilon
		var want, bias, variance, square float64
		for i := range x {
			want += rho[i] * x[i] / float64(n)
			bias += (rho[i] - 1) * x[i] / float64(n)
			square += x[i] * x[i] / float64(n)
			variance += math.Pow(rho[i]*x[i]/float64(n), 2) * (1 - pi[i]) / pi[i]
		}
		weights := func(dst tensor.Vector, set []int) {
			share := make(tensor.Vector, len(set))
			share.Fill(1 / float64(n))
			p := Propensities{Came: at(wrong, set)}
			p.HorvitzThompson(dst, share)
		}
		got, second := mean(pi, x, weights), 0.0
		sets, q, _ := BernoulliLaw(pi)
		_, nonEmpty := Attendance(pi)
		for j, set := range sets {
			dst := make(tensor.Vector, len(set))
			weights(dst, set)
			second += nonEmpty * q[j] * math.Pow(dst.Dot(at(x, set)), 2)
		}
		tolerance{1e-12, 0}.one(t, "mean", got, want)
		tolerance{1e-12, 0}.one(t, "variance", second-got*got, variance)
		if math.Abs(bias) > epsilon*math.Sqrt(square)+1e-12 {
			t.Errorf("bias %v, ε = %v, mean square %v", bias, epsilon, square)
		}
		bound := math.Pow(1+epsilon, 2) / (float64(n) * slices.Min(pi)) * square
		if variance > bound {
			t.Errorf("variance %v, bound %v", variance, bound)
		}
	}
}

func TestHajekIsScaleFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 3))
	s, share := chances(rng, 30), chances(rng, 30)
	a, b, h := make(tensor.Vector, 30), make(tensor.Vector, 30), make(tensor.Vector, 30)
	p := Propensities{Came: s}
	first, plain := p.Hajek(a, share), p.HorvitzThompson(h, share)
	if first != plain {
		t.Errorf("%+v, %+v", first, plain)
	}
	e := make(tensor.Vector, 30)
	e.Fill(1e-3)
	p.Enrolled = e
	second := p.Hajek(b, share)
	tolerance{0, 1e-13}.all(t, "weights", a, b)
	tolerance{1e-14, 0}.one(t, "sum", a.Sum(), 1)
	tolerance{0, 1e-12}.one(t, "total", second.Total, 1e3*first.Total)
	tolerance{0, 1e-12}.one(t, "effective", second.Effective, first.Effective)
	h.Scale(1 / h.Sum())
	tolerance{0, 1e-14}.all(t, "by hand", a, h)
}

func TestInverseOfExtremes(t *testing.T) {
	dst, share := make(tensor.Vector, 3), tensor.Vector{1, 1, 2}
	p := Propensities{Enrolled: tensor.Vector{0.5, 0.1, 1}, Came: tensor.Vector{0.5, 0, 1}}
	if in := p.HorvitzThompson(dst, share); in.Impossible != 1 || in.Clipped != 0 || !math.IsInf(dst[1], 1) {
		t.Errorf("%v, %+v", dst, in)
	}
	if p.Hajek(dst, share); dst[0] == dst[0] && dst[0] != 0 {
		t.Errorf("an infinite weight leaves %v", dst)
	}
	p.Floor = 0.25
	if in := p.HorvitzThompson(dst, share); in.Impossible != 0 || in.Clipped != 1./3 ||
		in.Weighting != (Weighting{10, 100. / 36, 0.4}) {
		t.Errorf("%v, %+v", dst, in)
	}
	tolerance{}.all(t, "clipped", dst, tensor.Vector{4, 4, 2})
	none := Propensities{}
	if in := none.Hajek(nil, nil); in != (Inverse{}) {
		t.Errorf("no clients: %+v", in)
	}
}

func TestWeigh(t *testing.T) {
	for _, c := range []struct {
		w    tensor.Vector
		want Weighting
	}{
		{nil, Weighting{}},
		{tensor.Vector{0, 0}, Weighting{}},
		{tensor.Vector{3}, Weighting{3, 1, 1}},
		{tensor.Vector{2, 2, 2, 2}, Weighting{8, 4, 0.25}},
		{tensor.Vector{3, 1, 0}, Weighting{4, 1.6, 0.75}},
		{tensor.Vector{1e300, 1e300}, Weighting{2e300, 2, 0.5}},
		{tensor.Vector{1e-300, 0, 1e-300}, Weighting{2e-300, 2, 0.5}},
	} {
		got := Weigh(c.w)
		tolerance{0, 1e-15}.all(t, "weighting", tensor.Vector{got.Total, got.Effective, got.Largest},
			tensor.Vector{c.want.Total, c.want.Effective, c.want.Largest})
	}
}

func TestResidualError(t *testing.T) {
	for _, c := range []struct {
		chance, estimated tensor.Vector
		want              WeightError
	}{
		{nil, nil, WeightError{}},
		{tensor.Vector{0.2, 0.7}, tensor.Vector{0.2, 0.7}, WeightError{}},
		{tensor.Vector{0.2, 0.6}, tensor.Vector{0.4, 1.2}, WeightError{0.5, 0}},
		{tensor.Vector{0.2, 0.6}, tensor.Vector{0.1, 0.6}, WeightError{1, 1. / 3}},
		{tensor.Vector{0, 0.6}, tensor.Vector{0, 0.6}, WeightError{1, 1}},
	} {
		got := ResidualError(c.chance, c.estimated)
		tolerance{1e-15, 1e-15}.all(t, "error", tensor.Vector{got.Epsilon, got.ScaleFree},
			tensor.Vector{c.want.Epsilon, c.want.ScaleFree})
	}
}

func TestTruncate(t *testing.T) {
	w := tensor.Vector{5, 1, 100, 2, 3, 4, 6, 7, 8, 9}
	room := make(tensor.Vector, len(w))
	all := w.Clone()
	if got := Truncate(all, room, 1); got != (Truncation{100, 0}) {
		t.Errorf("%+v", got)
	}
	tolerance{}.all(t, "all", all, w)
	got := Truncate(w, room, 0.8)
	tolerance{1e-15, 0}.all(t, "cut", tensor.Vector{got.Cap, got.Share}, tensor.Vector{8, 0.2})
	tolerance{}.all(t, "truncated", w, tensor.Vector{5, 1, 8, 2, 3, 4, 6, 7, 8, 8})
	if got := Truncate(nil, nil, 0.5); got != (Truncation{}) {
		t.Errorf("nothing: %+v", got)
	}
}

func TestInverseAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 4))
	p := Propensities{Enrolled: chances(rng, 100), Came: chances(rng, 100), Floor: 0.1}
	dst, share, room := make(tensor.Vector, 100), chances(rng, 100), make(tensor.Vector, 100)
	if n := testing.AllocsPerRun(10, func() {
		p.Hajek(dst, share)
		Truncate(dst, room, 0.9)
		ResidualError(p.Came, p.Enrolled)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
