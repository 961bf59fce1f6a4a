package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// listed writes out the cohorts of s.
func listed(s ot.Independent) ot.Masked {
	m := ot.Masked{P: s.P}
	for bits := range 1 << len(s.Chance) {
		var set []int
		q := 1.0
		for i, b := range s.Chance {
			if bits>>i&1 == 1 {
				set, q = append(set, i), q*b
			} else {
				q *= 1 - b
			}
		}
		if len(set) > 0 && (s.Size == 0 || len(set) == s.Size) {
			m.Sets, m.Q = append(m.Sets, set), append(m.Q, q)
		}
	}
	m.Q.Scale(1 / m.Q.Sum())
	return m
}

// uniform returns the problem of importance p where any size clients come.
func uniform(p tensor.Vector, size int) ot.Independent {
	s := ot.Independent{P: p, Chance: make(tensor.Vector, len(p)), Size: size}
	for i := range s.Chance {
		s.Chance[i] = float64(size) / float64(len(p))
	}
	return s
}

// crowded returns a problem of n clients with any probabilities, some of which may be 0 or 1.
func crowded(rng *rand.Rand, n int) ot.Independent {
	for {
		b := make(tensor.Vector, n)
		for i := range b {
			b[i] = min(max(1.2*rng.Float64()-0.1, 0), 1)
		}
		s := ot.Independent{P: scatter(rng, n), Chance: b, Size: rng.IntN(n + 1)}
		if s.Check() == nil {
			return s
		}
	}
}

// A tolerance accepts |got − want| ≤ abs + rel·|want|.
type tolerance struct{ abs, rel float64 }

func (tol tolerance) all(t *testing.T, what string, got, want tensor.Vector) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tol.abs+tol.rel*math.Abs(w)) {
			t.Fatalf("%s: number %d of %d is %v, want %v", what, i, len(want), got[i], w)
		}
	}
}

func (tol tolerance) one(t *testing.T, what string, got, want float64) {
	t.Helper()
	tol.all(t, what, tensor.Vector{got}, tensor.Vector{want})
}

func TestIndependentScalesLikeMasked(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	feasible := 0
	for range 60 {
		s := crowded(rng, 2+rng.IntN(7))
		if rng.IntN(2) == 0 {
			s.Marginal(s.P, gauss(rng, len(s.P), 2))
			s.P.Scale(1 / s.P.Sum())
		}
		m := listed(s)
		// Where the limit is approached like 1/sweeps, the two stop in different places.
		if got, want := s.Scale(1e-11, 3000), m.Scale(1e-11, 3000); want.Converged {
			feasible++
			if !got.Converged {
				t.Errorf("%+v: residual %v after %d sweeps", s, got.Residual, got.Sweeps)
			}
			tolerance{1e-10, 0}.one(t, "residual", got.Residual, 0)
			tolerance{1e-10, 0}.all(t, "realised", realised(m, got.LogU), s.P)
		} else {
			tolerance{1e-6, 0}.one(t, "residual", got.Residual, want.Residual)
		}
		got, want := s.Soften(0.8, 1e-11, 3000), m.Soften(0.8, 1e-11, 3000)
		if !got.Converged || !want.Converged {
			t.Errorf("%+v: soft scaling converged = %t and %t", s, got.Converged, want.Converged)
		}
		tolerance{1e-9, 0}.all(t, "soft marginal", got.Marginal, want.Marginal)
		tolerance{1e-9, 0}.all(t, "soft weights", shares(got.LogU), shares(want.LogU))
	}
	if feasible < 15 {
		t.Errorf("only %d of the problems were feasible", feasible)
	}
}

// TestScaleOfPairsIsThatOfAllPairs is the same problem in its two forms, both infeasible
// and feasible.
func TestScaleOfPairsIsThatOfAllPairs(t *testing.T) {
	const n = 60
	for _, power := range []float64{3, 0.5} {
		p := unit(n, func(i float64) float64 { return math.Pow(n+1-i, power) })
		got, want := uniform(p, 2).Scale(1e-12, 500), pairs(p, even(n)).Scale(1e-12, 500)
		if got.Converged != want.Converged || got.Converged != (power < 1) {
			t.Fatalf("converged = %t and %t", got.Converged, want.Converged)
		}
		if got.Converged {
			tolerance{1e-9, 0}.all(t, "log u", got.LogU, want.LogU)
		}
		tolerance{1e-9, 0}.all(t, "marginal", got.Marginal, want.Marginal)
	}
}

// TestScaleBeyondEnumeration recovers log u from the importance that it realises.
func TestScaleBeyondEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 5))
	for _, size := range []int{0, 3, 20} {
		const n = 150
		s := ot.Independent{P: make(tensor.Vector, n), Chance: make(tensor.Vector, n), Size: size}
		for i := range s.Chance {
			s.Chance[i] = 0.3 * rng.Float64()
		}
		a := gauss(rng, n, 1)
		s.Marginal(s.P, a)
		plan := s.Scale(1e-12, 2000)
		if !plan.Converged {
			t.Fatalf("residual %v after %d sweeps", plan.Residual, plan.Sweeps)
		}
		tolerance{1e-10, 0}.all(t, "weights", shares(plan.LogU), shares(a))

		// Soft scaling is stationary where u ∝ (p/p̃)^λ.
		soft := s.Soften(0.75, 1e-12, 2000)
		for i, p := range s.P {
			a[i] = 3 * math.Log(p/soft.Marginal[i])
		}
		tolerance{1e-10, 0}.all(t, "soft weights", shares(soft.LogU), shares(a))
	}
}

func TestScaleWithoutImportanceOrReach(t *testing.T) {
	s := ot.Independent{
		P:      tensor.Vector{0.5, 0, 0.2, 0.3, 0},
		Chance: tensor.Vector{0.5, 0.5, 0.5, 0, 0.5},
		Size:   2,
	}
	plan := s.Scale(1e-9, 5000)
	// Client 3 never participates; 1 and 4 have weight only together, in one cohort of six.
	want := listed(s).Scale(1e-9, 5000)
	tolerance{1e-6, 0}.all(t, "marginal", plan.Marginal, want.Marginal)
	if plan.Converged || plan.LogU[3] != 0 || !math.IsInf(plan.LogU[1], -1) {
		t.Errorf("%+v", plan)
	}
	tolerance{0, 1e-12}.one(t, "idle client", plan.Marginal[1], 1./12)
	tolerance{0, 1e-12}.one(t, "idle client", plan.Marginal[4], 1./12)
	deficiency := s.Feasibility().Deficiency
	tolerance{1e-3, 0}.one(t, "residual", plan.Residual, 2*deficiency)
}

func sameCertificate(t *testing.T, s ot.Independent, got, want ot.Certificate) {
	t.Helper()
	if got.Feasible != want.Feasible || got.Bound != want.Bound ||
		!slices.Equal(got.Minimal, want.Minimal) || !slices.Equal(got.Maximal, want.Maximal) {
		t.Fatalf("%+v:\ngot  %+v\nwant %+v", s, got, want)
	}
	numbers := func(c ot.Certificate) tensor.Vector {
		return tensor.Vector{c.Flow, c.Deficiency, c.Mass, c.Reach}
	}
	tolerance{1e-10, 0}.all(t, "certificate", numbers(got), numbers(want))
}

// TestFeasibilityEqualsMaximalFlow compares prefixes with a flow through all cohorts, for
// probabilities of any kind.
func TestFeasibilityEqualsMaximalFlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 6))
	infeasible := 0
	for range 1000 {
		s := crowded(rng, 1+rng.IntN(8))
		switch rng.IntN(3) {
		case 0:
			s.Size = 0
		case 1: // equal probabilities, but for some of 0 or 1
			for i, b := range s.Chance {
				if b > 0 && b < 1 {
					s.Chance[i] = 0.3
				}
			}
		}
		if rng.IntN(3) == 0 { // p nearly in proportion to the odds
			for i, b := range s.Chance {
				s.P[i] = b / (1.001 - b) * math.Exp(0.5*rng.NormFloat64())
			}
			s.P[0] += 0.01
			s.P.Scale(1 / s.P.Sum())
		}
		if rng.IntN(3) == 0 { // ties
			for i := range s.P {
				s.P[i] = float64(rng.IntN(3))
			}
			s.P[0]++
			s.P.Scale(1 / s.P.Sum())
		}
		got, want := s.Feasibility(), listed(s).Feasibility()
		if !want.Feasible {
			infeasible++
		}
		sameCertificate(t, s, got, want)
	}
	if infeasible < 100 {
		t.Errorf("only %d of the problems were infeasible", infeasible)
	}
}

// TestFeasibilityWithoutRoom has clients that always participate and leave no places for others, or
// few.
func TestFeasibilityWithoutRoom(t *testing.T) {
	for _, s := range []ot.Independent{
		{P: tensor.Vector{0.2, 0.3, 0.1, 0.4}, Chance: tensor.Vector{1, 1, 0.4, 0.4}, Size: 2},
		{P: tensor.Vector{0.5, 0.4, 0.05, 0.05}, Chance: tensor.Vector{1, 0.3, 0.3, 0.3}, Size: 2},
		{P: tensor.Vector{0.1, 0.4, 0.3, 0.2}, Chance: tensor.Vector{1, 1, 1, 1}, Size: 4},
		{P: tensor.Vector{0.1, 0.4, 0.5, 0}, Chance: tensor.Vector{0.5, 0.5, 0, 0}},
	} {
		sameCertificate(t, s, s.Feasibility(), listed(s).Feasibility())
	}
}

// TestScaleCountsUnreachedClients has one client with p > 0 and a positive probability, whose share
// is exact, and yet p is not attained.
func TestScaleCountsUnreachedClients(t *testing.T) {
	s := ot.Independent{P: tensor.Vector{2. / 3, 0, 1. / 3}, Chance: tensor.Vector{0.5, 0.5, 0}}
	plan := s.Scale(1e-9, 100)
	if plan.Converged {
		t.Errorf("%+v has converged", plan)
	}
	tolerance{0, 1e-12}.one(t, "residual", plan.Residual, 2./3)
}

// TestFeasibilityOfTheTwoImageSettings has the numbers of masked_ot.json, n100_paper_coordinated
// and n100_power4_uniform.
func TestFeasibilityOfTheTwoImageSettings(t *testing.T) {
	for _, c := range []struct {
		f          func(i float64) float64
		deficiency float64
		clients    int
	}{
		{func(i float64) float64 { return math.Exp(-i / 10) }, 0.5056480997798738, 18},
		{func(i float64) float64 { return math.Pow(101-i, 4) }, 0.3218248216737425, 26},
	} {
		p := unit(100, c.f)
		hall := uniform(p, 2).Feasibility()
		if len(hall.Minimal) != c.clients || len(hall.Maximal) != c.clients {
			t.Fatalf("%+v, want %d clients", hall, c.clients)
		}
		tolerance{1e-12, 0}.one(t, "deficiency", hall.Deficiency, c.deficiency)
		sameCertificate(t, uniform(p, 2), hall, pairs(p, even(100)).Feasibility())
	}
}

// TestFeasibilityOfManyClients uses f(k) = 1 − C(N−k, K)/C(N, K), one factor at a time.
func TestFeasibilityOfManyClients(t *testing.T) {
	const n, size = 20_000, 100
	p := unit(n, func(i float64) float64 { return 1 / (i * i) })
	best, mass, missed := 0.0, 0.0, 1.0
	for k, x := range p {
		mass += x
		missed *= max(0, float64(n-k-size)/float64(n-k))
		best = max(best, mass-(1-missed))
	}
	hall := uniform(p, size).Feasibility()
	tolerance{1e-11, 0}.one(t, "deficiency", hall.Deficiency, best)
	if best < 0.1 {
		t.Errorf("a deficiency of %v tests nothing", best)
	}
}

func TestIndependentCheckNamesTheMistake(t *testing.T) {
	half := tensor.Vector{0.5, 0.5}
	for _, c := range []struct {
		s    ot.Independent
		want string
	}{
		{ot.Independent{P: half, Chance: half, Size: 1}, ""},
		{ot.Independent{P: half, Chance: tensor.Vector{1, 0}}, ""},
		{ot.Independent{P: half, Chance: tensor.Vector{1, 1}, Size: 2}, ""},
		{ot.Independent{P: tensor.Vector{0.5, 0.6}, Chance: half}, "p sums to 1.1"},
		{ot.Independent{P: half, Chance: tensor.Vector{0.5}}, "1 probabilities for the 2 clients"},
		{ot.Independent{P: half, Chance: tensor.Vector{0.5, 1.5}}, "chance[1] is 1.5"},
		{ot.Independent{P: half, Chance: tensor.Vector{math.NaN(), 1}}, "chance[0] is NaN"},
		{ot.Independent{P: half, Chance: tensor.Vector{0, 0}}, "no client can participate"},
		{ot.Independent{P: half, Chance: half, Size: 3}, "size 3 is outside [1, 2]"},
		{ot.Independent{P: half, Chance: half, Size: -1}, "size -1 is outside [1, 2]"},
		{ot.Independent{P: half, Chance: tensor.Vector{1, 1}, Size: 1}, "2 clients always participate"},
	} {
		if err := c.s.Check(); (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

func TestAffordableGrowsWithClientsAndSize(t *testing.T) {
	for _, c := range []struct {
		n, size int
		want    bool
	}{{1000, 100, true}, {100_000, 0, true}, {200_000, 0, false}, {50_000, 3, false}} {
		s := ot.Independent{P: make(tensor.Vector, c.n), Size: c.size}
		if s.Affordable() != c.want {
			t.Errorf("%d of %d clients: affordable = %t", c.size, c.n, !c.want)
		}
	}
}
