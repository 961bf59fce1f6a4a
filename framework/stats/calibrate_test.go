package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// calibrators are the two ways to calibrate.
var calibrators = map[string]func(*Moments, tensor.Vector) Calibration{
	"quadratic": (*Moments).Quadratic,
	"entropy":   (*Moments).Entropy,
}

// matrix returns the matrix of these rows.
func matrix(rows []tensor.Vector) tensor.Matrix {
	m := tensor.Matrix{Rows: len(rows)}
	for _, r := range rows {
		m.Cols, m.Data = len(r), append(m.Data, r...)
	}
	return m
}

// A calibrationGolden is one case of testdata/calibration.json.
type calibrationGolden struct {
	Name   string
	Inputs struct {
		H      []tensor.Vector
		Target tensor.Vector
		Ridge  float64
	}
	Expected struct {
		Feasible         bool
		Quadratic        tensor.Vector `json:"qp_weights"`
		Objective        *float64      `json:"qp_objective"`
		Entropy          tensor.Vector `json:"entropy_weights"`
		Lambda           tensor.Vector `json:"entropy_lambda"`
		KL               *float64      `json:"entropy_kl_from_uniform"`
		EffectiveQP      float64       `json:"ess_qp"`
		EffectiveEntropy float64       `json:"ess_entropy"`
		Soft             tensor.Vector `json:"soft_entropy_weights"`
		SoftLambda       tensor.Vector `json:"soft_entropy_lambda"`
		Achieved         tensor.Vector `json:"achieved_moments"`
	}
	Tol tolerance
}

func TestCalibrationGolden(t *testing.T) {
	for _, g := range readGolden[calibrationGolden](t, "calibration", 6) {
		t.Run(g.Name, func(t *testing.T) { g.examine(t) })
	}
}

func (g *calibrationGolden) examine(t *testing.T) {
	m := Moments{X: matrix(g.Inputs.H), Target: g.Inputs.Target}
	if g.Inputs.Ridge > 0 { // ρ = σ²
		m.Noise = make(tensor.Vector, m.X.Cols)
		m.Noise.Fill(math.Sqrt(g.Inputs.Ridge))
	}
	q, e := make(tensor.Vector, m.X.Rows), make(tensor.Vector, m.X.Rows)
	quadratic, entropy := m.Quadratic(q), m.Entropy(e)
	for _, c := range []Calibration{quadratic, entropy} {
		if !c.Converged || c.Reach.Feasible != g.Expected.Feasible {
			t.Fatalf("%+v", c)
		}
		if g.Expected.Feasible && !(c.Missed <= 1e-11) {
			t.Errorf("moments are missed by %v", c.Missed)
		}
	}
	x := &g.Expected
	if x.Quadratic != nil {
		g.Tol.all(t, "quadratic", q, x.Quadratic)
	}
	if x.Entropy != nil {
		g.Tol.all(t, "entropy", e, x.Entropy)
	}
	if x.Objective != nil {
		g.Tol.one(t, "objective", quadratic.Divergence, *x.Objective)
		g.Tol.one(t, "KL", entropy.Divergence, *x.KL)
		g.Tol.all(t, "λ", entropy.Lambda, x.Lambda)
		g.Tol.one(t, "effective size", Weigh(q).Effective, x.EffectiveQP)
		g.Tol.one(t, "effective size", Weigh(e).Effective, x.EffectiveEntropy)
	}
	if x.Soft != nil {
		g.Tol.all(t, "softened", e, x.Soft)
		g.Tol.all(t, "λ", entropy.Lambda, x.SoftLambda)
		g.Tol.all(t, "moments", entropy.Met, x.Achieved)
	}
}

// someMoments returns moments that positive weights meet.
func someMoments(rng *rand.Rand, n, k int) *Moments {
	m := &Moments{X: tensor.NewMatrix(n, k), Target: make(tensor.Vector, k)}
	copy(m.X.Data, normals(rng, n*k, 1))
	share := chances(rng, n)
	for i := range share {
		share[i] = math.Pow(share[i], 6)
	}
	share.Scale(1 / share.Sum())
	for j := range k { // units from 1e-3 to 1e6, far from zero
		unit := math.Pow(10, float64(9*j)/float64(max(k-1, 1))-3)
		for i := range n {
			m.X.Row(i)[j] = unit * (m.X.Row(i)[j] + 20*float64(j))
		}
	}
	m.X.AddMulTVec(m.Target, share)
	return m
}

// TestCalibrationMeetsItsMoments, and the weights are the best by the conditions of Karush,
// Kuhn and Tucker, for which one sees to λ only.
func TestCalibrationMeetsItsMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	for range 150 {
		k := 1 + rng.IntN(6)
		n := 2*k + 2 + rng.IntN(300)
		m := someMoments(rng, n, k)
		if rng.IntN(2) == 0 {
			m.Base = chances(rng, n)
			m.Base.AddConst(0.1)
		}
		for name, calibrate := range calibrators {
			w := make(tensor.Vector, n)
			c := calibrate(m, w)
			if !c.Converged || !c.Reach.Feasible || !(c.Missed <= 1e-11) ||
				math.Abs(w.Sum()-1) > 1e-14 || !(c.Divergence >= 0) {
				t.Fatalf("%s of %d for %d moments: Σw = %v, %+v", name, n, k, w.Sum(), c)
			}
			if !c.isBest(m, w, name) {
				t.Errorf("%s of %d for %d moments: not the best: %+v", name, n, k, c)
			}
		}
	}
}

// isBest checks that w has the form that the multipliers give it.
func (c *Calibration) isBest(m *Moments, w tensor.Vector, name string) bool {
	base := m.normalBase()
	score, level := make(tensor.Vector, len(w)), 0
	m.X.MulVec(score, c.Lambda)
	for i, x := range w { // the largest weight gives the number a
		if x > w[level] {
			level = i
		}
	}
	for i, x := range w {
		if x < 0 {
			return false
		}
		want := base[i] + (w[level] - base[level]) + score[i] - score[level]
		if name == "entropy" {
			want = w[level] * base[i] / base[level] * math.Exp(score[i]-score[level])
		}
		if math.Abs(x-max(0, want)) > 1e-7*w[level] {
			return false
		}
	}
	return true
}

// TestCalibrationToTheBaseIsTheBase, of redundant, constant and no moments.
func TestCalibrationToTheBaseIsTheBase(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 3))
	const n = 20
	x := tensor.NewMatrix(n, 4)
	base := chances(rng, n)
	base.AddConst(0.1)
	share := base.Clone()
	share.Scale(1 / base.Sum())
	for i := range n {
		v := rng.NormFloat64()
		copy(x.Row(i), []float64{v, 3 - 2*v, 1e5, 0})
	}
	target := make(tensor.Vector, 4)
	x.AddMulTVec(target, share)
	for _, m := range []*Moments{
		{X: x, Target: target, Base: base},
		{X: x, Target: target, Base: base, Noise: tensor.Vector{1, 1, 1, 1}},
		{X: tensor.Matrix{Rows: n}, Base: base},
	} {
		for name, calibrate := range calibrators {
			w := make(tensor.Vector, n)
			c := calibrate(m, w)
			tolerance{1e-12, 0}.all(t, name, w, share)
			if !c.Converged || !c.Reach.Feasible || math.Abs(c.Divergence) > 1e-15 {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
	wrong := Moments{X: x, Target: target.Clone()}
	wrong.Target[2]++
	if r := wrong.Reach(); r.Feasible || !(r.Margin > 0) {
		t.Errorf("a constant covariate of another mean: %+v", r)
	}
}

// TestNoiseSoftens: the softened weights are a minimum, with more noise they miss more, and
// without end they are the base.
func TestNoiseSoftens(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 4))
	const n, k = 60, 3
	for range 20 {
		m := someMoments(rng, n, k)
		m.Target[0] += 5 * (m.X.Row(0)[0] - m.Target[0])
		for name, calibrate := range calibrators {
			missed, w := 0.0, make(tensor.Vector, n)
			for _, level := range []float64{1e-3, 0.03, 1, 1e6} {
				m.Noise = m.ranges()
				m.Noise.Scale(level)
				c := calibrate(m, w)
				away := c.Met.Clone() // in units of the noise, of which this is the penalty
				away.Sub(m.Target)
				away.Div(m.ranges())
				if !c.Converged || away.Norm() < missed {
					t.Fatalf("%s at noise %v: %+v after %v", name, level, c, missed)
				}
				missed = away.Norm()
				best := softened(m, w, name)
				for range 20 { // along the simplex
					from, to, by := rng.IntN(n), rng.IntN(n), 1e-4*rng.Float64()
					near := w.Clone()
					by = min(by, near[from])
					near[from] -= by
					near[to] += by
					if at := softened(m, near, name); at < best-1e-12*(1+best) {
						t.Fatalf("%s at noise %v: %v is below %v", name, level, at, best)
					}
				}
			}
			tolerance{1e-9, 0}.one(t, "largest", Weigh(w).Largest, 1./n)
		}
	}
}

// TestNoiseShrinksTheShift: where no bound holds it back, a quadratic calibration meets h̄₀ + S(S +
// Σ)⁻¹(h̄ − h̄₀), the mean of the shift given the target when S is its prior variance. Vanishing
// noise meets the moments, boundless noise leaves the base, for entropy as well.
func TestNoiseShrinksTheShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 7))
	const n = 400
	for range 50 {
		m := &Moments{X: tensor.NewMatrix(n, 2), Target: make(tensor.Vector, 2)}
		copy(m.X.Data, normals(rng, 2*n, 1))
		mean, s := make(tensor.Vector, 2), [3]float64{} // of the base: h̄₀, and S₁₁, S₁₂, S₂₂
		for i := range n {
			m.X.Row(i)[1] += 0.7 * m.X.Row(i)[0]
			mean.AddScaled(1./n, m.X.Row(i))
		}
		for i := range n {
			x, y := m.X.Row(i)[0]-mean[0], m.X.Row(i)[1]-mean[1]
			s[0], s[1], s[2] = s[0]+x*x/n, s[1]+x*y/n, s[2]+y*y/n
		}
		shift := tensor.Vector{0.2 * rng.NormFloat64(), 0.2 * rng.NormFloat64()}
		copy(m.Target, mean)
		m.Target.Add(shift)
		v := tensor.Vector{rng.ExpFloat64(), rng.ExpFloat64()} // σ²
		m.Noise = v.Clone()
		m.Noise.Sqrt()
		a, b, d := s[0]+v[0], s[1], s[2]+v[1]
		x := (d*shift[0] - b*shift[1]) / (a*d - b*b)
		y := (a*shift[1] - b*shift[0]) / (a*d - b*b)
		want := tensor.Vector{mean[0] + s[0]*x + s[1]*y, mean[1] + s[1]*x + s[2]*y}
		w := make(tensor.Vector, n)
		c := m.Quadratic(w)
		if least := slices.Min(w); least > 0 { // no bound holds it back
			tolerance{1e-10, 0}.all(t, "moments", c.Met, want)
		}
		for name, calibrate := range calibrators {
			m.Noise = tensor.Vector{1e-7, 1e-7}
			c := calibrate(m, w)
			tolerance{1e-11, 0}.all(t, name+" with negligible noise", c.Met, m.Target)
			m.Noise = tensor.Vector{1e7, 1e7}
			c = calibrate(m, w)
			tolerance{1e-11, 0}.all(t, name+" of boundless noise", c.Met, mean)
		}
	}
}

// TestNoiseOfAnySize is about moments known to many digits beside others hardly known, within
// reach and out of it.
func TestNoiseOfAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 6))
	for k := range 400 {
		m := someMoments(rng, 12+rng.IntN(200), 1+rng.IntN(5))
		if k%2 == 0 {
			m.Target[0] += (m.X.Row(0)[0] - m.Target[0]) * 10 * rng.NormFloat64()
		}
		m.Noise = m.ranges()
		for j := range m.Noise {
			m.Noise[j] *= math.Pow(10, 3-8*rng.Float64())
		}
		for name, calibrate := range calibrators {
			w, missed := make(tensor.Vector, m.X.Rows), m.Target.Clone()
			c := calibrate(m, w)
			if !c.Converged || !c.isBest(m, w, name) {
				t.Fatalf("%s with noise %v: %+v", name, m.Noise, c)
			}
			scale := 1.0 // of λ, by which moments are missed: h̄ − Σwh = σ²λ
			if name == "quadratic" {
				scale = float64(len(w))
			}
			missed.Sub(c.Met)
			for j, unit := range m.ranges() {
				want := m.Noise[j] * m.Noise[j] * c.Lambda[j] * scale
				tolerance{1e-9, 1e-6}.one(t, "missed", missed[j]/unit, want/unit)
			}
		}
	}
}

// softened returns D(w) + Σⱼ (Σᵢ wᵢhᵢⱼ − h̄ⱼ)² / (2σⱼ²).
func softened(m *Moments, w tensor.Vector, name string) float64 {
	n, sum := float64(len(w)), 0.0
	for _, x := range w {
		if name == "entropy" && x > 0 {
			sum += x * math.Log(n*x)
		} else if name == "quadratic" {
			sum += n / 2 * (x - 1/n) * (x - 1/n)
		}
	}
	met := make(tensor.Vector, len(m.Target))
	m.X.AddMulTVec(met, w)
	for j, sigma := range m.Noise {
		sum += math.Pow((met[j]-m.Target[j])/sigma, 2) / 2
	}
	return sum
}

func TestCalibrationOfBadNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for what, spoil := range map[string]func(m *Moments){
		"covariate NaN":      func(m *Moments) { m.X.Data[1] = nan },
		"covariate infinite": func(m *Moments) { m.X.Data[1] = inf },
		"target NaN":         func(m *Moments) { m.Target[0] = nan },
		"target infinite":    func(m *Moments) { m.Target[0] = -inf },
		"base zero":          func(m *Moments) { m.Base = tensor.Vector{1, 0, 1} },
		"base infinite":      func(m *Moments) { m.Base = tensor.Vector{1, inf, 1} },
		"noise zero":         func(m *Moments) { m.Noise = tensor.Vector{0} },
		"noise NaN":          func(m *Moments) { m.Noise = tensor.Vector{nan} },
	} {
		m := Moments{X: matrix([]tensor.Vector{{1}, {2}, {3}}), Target: tensor.Vector{2}}
		spoil(&m)
		for name, calibrate := range calibrators {
			w := make(tensor.Vector, 3)
			if c := calibrate(&m, w); c.Converged || c.Reach.Feasible || c.Missed == c.Missed ||
				c.Residual == c.Residual || w[0] == w[0] || w[2] == w[2] {
				t.Errorf("%s: %s: %v, %+v", what, name, w, c)
			}
		}
	}
	for name, calibrate := range calibrators {
		if c := calibrate(&Moments{}, nil); c.Converged || c.Reach.Feasible {
			t.Errorf("%s of no clients: %+v", name, c)
		}
		one := tensor.Vector{0}
		m := Moments{X: matrix([]tensor.Vector{{4}}), Target: tensor.Vector{4}}
		if c := calibrate(&m, one); !c.Converged || !c.Reach.Feasible || math.Abs(one[0]-1) > 1e-12 {
			t.Errorf("%s of one: %v, %+v", name, one, c)
		}
	}
}
