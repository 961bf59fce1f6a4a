package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A logisticGolden is one case of testdata/logistic.json.
type logisticGolden struct {
	Name   string
	Inputs struct {
		X        []tensor.Vector
		Y        tensor.Vector
		L2       float64
		Weights  tensor.Vector     `json:"sample_weight"`
		Enrolled []tensor.Vector   `json:"X_enrolled"`
		Context  [][]tensor.Vector `json:"Z_by_round"`
		Came     []tensor.Vector   `json:"S_by_round"`
	}
	Expected struct {
		Coef      tensor.Vector
		Pooled    tensor.Vector `json:"coef_x_then_z"`
		Intercept float64
		Objective float64
		First     tensor.Vector `json:"probabilities_first5"`
		Last      tensor.Vector `json:"propensities_last_round"`
	}
	Tol tolerance
}

func TestLogisticGolden(t *testing.T) {
	var l Logistic // sizes come and go in one workspace
	for _, g := range readGolden[logisticGolden](t, "logistic", 6) {
		t.Run(g.Name, func(t *testing.T) {
			rows, y, coef := g.Inputs.X, g.Inputs.Y, g.Expected.Coef
			if g.Inputs.Enrolled != nil {
				coef = g.Expected.Pooled
				for round, z := range g.Inputs.Context {
					for i, x := range g.Inputs.Enrolled {
						rows = append(rows, append(x.Clone(), z[i]...))
					}
					y = append(y, g.Inputs.Came[round]...)
				}
			}
			x := matrix(rows)
			fit := l.Fit(x, y, g.Inputs.Weights, g.Inputs.L2)
			if !fit.Converged || fit.Separable != (g.Name == "separable_needs_l2") || fit.Free > 0 {
				t.Errorf("%+v", fit)
			}
			g.Tol.all(t, "coef", fit.Coef, coef)
			g.Tol.one(t, "intercept", fit.Intercept, g.Expected.Intercept)
			g.Tol.one(t, "objective", fit.Objective, g.Expected.Objective)
			p := make(tensor.Vector, x.Rows)
			fit.Chances(p, x)
			g.Tol.all(t, "first", p[:len(g.Expected.First)], g.Expected.First)
			g.Tol.all(t, "last", p[len(p)-len(g.Expected.Last):], g.Expected.Last)
		})
	}
}

// labelled returns covariates of many units and labels of a logistic model.
func labelled(rng *rand.Rand, n, d int) (x tensor.Matrix, y tensor.Vector) {
	x, y = tensor.NewMatrix(n, d), make(tensor.Vector, n)
	beta := normals(rng, d, 1)
	for i := range n {
		row := x.Row(i)
		copy(row, normals(rng, d, 1))
		if rng.Float64() < 1/(1+math.Exp(-row.Dot(beta))) {
			y[i] = 1
		}
		for j := range row {
			row[j] = math.Pow(10, float64(3*j-3)) * (row[j] + 10*float64(j))
		}
	}
	return x, y
}

// gradient returns Σᵢ wᵢ(σᵢ − yᵢ)(xᵢ, 1) + l2·(β, 0), and by what to measure it.
func (f *LogisticFit) gradient(x tensor.Matrix, y, w tensor.Vector, l2 float64) (g, size tensor.Vector) {
	d := x.Cols
	g, size = make(tensor.Vector, d+1), make(tensor.Vector, d+1)
	for i := range x.Rows {
		row := append(x.Row(i).Clone(), 1)
		s := f.Intercept
		for j := range d {
			s += f.Coef[j] * row[j]
		}
		for j, v := range row {
			g[j] += w[i] * (1/(1+math.Exp(-s)) - y[i]) * v
			size[j] += w[i] * math.Abs(v)
		}
	}
	for j := range d {
		g[j] += l2 * f.Coef[j]
	}
	return g, size
}

// TestLogisticIsStationary: the gradient vanishes, for any units, shares as labels and weights.
func TestLogisticIsStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	var l Logistic
	for k := range 60 {
		d := rng.IntN(4)
		x, y := labelled(rng, 300+rng.IntN(400), d)
		w, l2 := chances(rng, x.Rows), []float64{0, 1e-3, 10}[k%3]
		if k%2 == 0 {
			for i := range y {
				y[i] += (0.5 - y[i]) * rng.Float64()
			}
		}
		fit := l.Fit(x, y, w, l2)
		if !fit.Converged || fit.Separable || fit.Free > 0 {
			t.Fatalf("%d covariates, l2 = %v: %+v", d, l2, fit)
		}
		g, size := fit.gradient(x, y, w, l2)
		for j := range g {
			if math.Abs(g[j]) > 1e-11*size[j] {
				t.Errorf("∂f/∂β of %d is %v of %v: %+v", j, g[j], size[j], fit)
			}
		}
	}
}

// TestLogisticWeightsRepeatRows: a weight of 3 is a row three times, a weight of 0 none, and a
// share of 1/3 is a success in three trials.
func TestLogisticWeightsRepeatRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 2))
	x, y := labelled(rng, 90, 2)
	shares, three := y.Clone(), make(tensor.Vector, x.Rows)
	var rows []tensor.Vector
	var labels tensor.Vector
	for i := range x.Rows {
		times := i % 4
		three[i] = float64(times)
		for k := range times {
			label := y[i]
			if times == 3 && k < 2 {
				label = 0
			}
			rows, labels = append(rows, x.Row(i)), append(labels, label)
		}
		if times == 3 {
			shares[i] /= 3
		}
	}
	var l, m Logistic
	a, b := l.Fit(x, shares, three, 0.3), m.Fit(matrix(rows), labels, nil, 0.3)
	tolerance{1e-13, 1e-10}.all(t, "coef", a.Coef, b.Coef)
	tolerance{1e-13, 1e-10}.one(t, "objective", a.Objective, b.Objective)
}

// TestLogisticSeparable: labels that can be parted are found out, and no others. The hull of the
// labelled rows says the same.
func TestLogisticSeparable(t *testing.T) {
	line := func(x ...float64) tensor.Matrix { return tensor.Matrix{Rows: len(x), Cols: 1, Data: x} }
	var l Logistic
	for name, c := range map[string]struct {
		x         tensor.Matrix
		y         tensor.Vector
		separable bool
	}{
		"apart":               {line(-2, -1, 1, 2), tensor.Vector{0, 0, 1, 1}, true},
		"far off":             {line(1001, 1002, 1003), tensor.Vector{0, 0, 1}, true},
		"meet at a point":     {line(-2, -1, 0, 0, 3), tensor.Vector{0, 0, 0, 1, 1}, true},
		"a share in the way":  {line(-1, 0, 1), tensor.Vector{0, 0.5, 1}, true},
		"overlap":             {line(-2, 1, 0, 3), tensor.Vector{0, 0, 1, 1}, false},
		"overlap barely":      {line(-2, 1e-7, 0, 3), tensor.Vector{0, 0, 1, 1}, false},
		"shares":              {line(-2, 3), tensor.Vector{0.01, 0.99}, false},
		"one of each, equal":  {line(5, 5), tensor.Vector{0, 1}, false},
		"a tail without ones": {line(0, 0, 1, 1), tensor.Vector{0, 1, 0, 0}, true},
	} {
		if fit := l.Fit(c.x, c.y, nil, 0); fit.Separable != c.separable || fit.Converged == c.separable {
			t.Errorf("%s: %+v", name, fit)
		}
		if fit := l.Fit(c.x, c.y, nil, 1e-3); !fit.Converged {
			t.Errorf("%s with a penalty: %+v", name, fit)
		}
	}
	// A row without weight changes nothing.
	overlap, y := line(-2, -1, 1, 2, 5), tensor.Vector{0, 0, 1, 1, 0}
	for _, l2 := range []float64{0, 1e-3} {
		if fit := l.Fit(overlap, y, tensor.Vector{1, 1, 1, 1, 0}, l2); !fit.Separable {
			t.Errorf("without the last row, l2 = %v: %+v", l2, fit)
		}
	}
	// In general, labels overlap if and only if weights ≥ 0 make Σ wᵢ±(xᵢ, 1) = 0.
	rng := rand.New(rand.NewPCG(52, 3))
	separable := 0
	for range 300 {
		d := 1 + rng.IntN(3)
		n := d + 2 + rng.IntN(4*d)
		x, y := tensor.NewMatrix(n, d), make(tensor.Vector, n)
		copy(x.Data, normals(rng, n*d, 1))
		signed := tensor.NewMatrix(n, d+1)
		for i := range n {
			y[i] = float64(rng.IntN(2))
			copy(signed.Row(i), append(x.Row(i).Clone(), 1))
			signed.Row(i).Scale(2*y[i] - 1)
		}
		fit := l.Fit(x, y, nil, 0)
		if apart := (&Moments{X: signed, Target: make(tensor.Vector, d+1)}).Reach(); apart.Feasible == fit.Separable {
			t.Fatalf("labels %v of %v: %+v, %+v", y, x, fit, apart)
		} else if !apart.Feasible {
			separable++
		}
	}
	if separable < 50 || separable > 250 {
		t.Errorf("%d of 300 separable", separable)
	}
}

func TestLogisticOfOneLabel(t *testing.T) {
	var l Logistic
	x, p := tensor.Matrix{Rows: 3, Cols: 1, Data: []float64{1, 2, 7}}, make(tensor.Vector, 3)
	for label, want := range map[float64]tensor.Vector{0: {0, 0, 0}, 1: {1, 1, 1}} {
		y := tensor.Vector{label, label, label}
		fit := l.Fit(x, y, nil, 1)
		fit.Chances(p, x)
		tolerance{}.all(t, "chances", p, want)
		if !fit.Separable || !fit.Converged || fit.Objective != 0 {
			t.Errorf("%+v", fit)
		}
		y[1] = 1 - label
		if fit := l.Fit(x, y, tensor.Vector{1, 0, 2}, 1); !math.IsInf(fit.Intercept, 0) {
			t.Errorf("a label without weight counts: %+v", fit)
		}
	}
}

// TestLogisticConstantCovariates: without a penalty they are reported as free, and with one they
// are zero; the probabilities are those without them.
func TestLogisticConstantCovariates(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 4))
	x, y := labelled(rng, 200, 2)
	more := tensor.NewMatrix(200, 5)
	for i := range 200 {
		row := x.Row(i)
		copy(more.Row(i), []float64{row[0], 7, row[1], 0, row[1]})
	}
	var l Logistic
	p, q := make(tensor.Vector, 200), make(tensor.Vector, 200)
	for _, l2 := range []float64{0, 1e-2} {
		plain, fit := l.Fit(x, y, nil, l2), l.Fit(more, y, nil, l2)
		if !plain.Converged || !fit.Converged || fit.Separable || plain.Free != 0 {
			t.Errorf("%+v, %+v", plain, fit)
		}
		if l2 == 0 {
			plain.Chances(p, x)
			fit.Chances(q, more)
			tolerance{1e-9, 0}.all(t, "chances", q, p)
			if fit.Free != 3 {
				t.Errorf("%d free directions", fit.Free)
			}
			continue
		}
		tolerance{1e-9, 0}.all(t, "constants", tensor.Vector{fit.Coef[1], fit.Coef[3]}, tensor.Vector{0, 0})
		tolerance{1e-9, 0}.one(t, "shared", fit.Coef[2], fit.Coef[4])
		if fit.Free != 0 {
			t.Errorf("%d free directions", fit.Free)
		}
	}
}

func TestLogisticOfBadNumbers(t *testing.T) {
	var l Logistic
	x, y := labelled(rand.New(rand.NewPCG(52, 5)), 20, 1)
	for name, spoil := range map[string]func(x tensor.Matrix, y, w tensor.Vector){
		"covariate": func(x tensor.Matrix, _, _ tensor.Vector) { x.Data[3] = math.NaN() },
		"infinite":  func(x tensor.Matrix, _, _ tensor.Vector) { x.Data[3] = math.Inf(1) },
		"label":     func(_ tensor.Matrix, y, _ tensor.Vector) { y[3] = math.NaN() },
		"weight":    func(_ tensor.Matrix, _, w tensor.Vector) { w[3] = math.NaN() },
		"no weight": func(_ tensor.Matrix, _, w tensor.Vector) { clear(w) },
	} {
		x := tensor.Matrix{Rows: 20, Cols: 1, Data: tensor.Vector(x.Data).Clone()}
		y, w := y.Clone(), ones(20)
		spoil(x, y, w)
		if fit := l.Fit(x, y, w, 1); fit.Converged || fit.Coef[0] == fit.Coef[0] || fit.Residual == fit.Residual {
			t.Errorf("%s: %+v", name, fit)
		}
	}
	if fit := l.Fit(tensor.Matrix{}, nil, nil, 1); fit.Converged {
		t.Errorf("no rows: %+v", fit)
	}
	// Far tails neither overflow nor lose their digits.
	far := LogisticFit{Coef: tensor.Vector{1}}
	p := make(tensor.Vector, 3)
	far.Chances(p, tensor.Matrix{Rows: 3, Cols: 1, Data: []float64{-700, 800, -800}})
	tolerance{0, 1e-12}.all(t, "tails", p, tensor.Vector{math.Exp(-700), 1, 0})
}

// TestLogLossKeepsDigits where a label is all but certain.
func TestLogLossKeepsDigits(t *testing.T) {
	loss := logLoss{y: tensor.Vector{1, 0, 1, 0.5}, w: ones(4)}
	slope, bend := make(tensor.Vector, 4), make(tensor.Vector, 4)
	e := math.Exp(-40)
	value := loss.at(slope, bend, tensor.Vector{40, -40, -40, 0})
	tolerance{0, 1e-15}.one(t, "value", value, 40+math.Ln2)
	tolerance{0, 1e-14}.all(t, "slope", slope, tensor.Vector{-e, e, -1, 0})
	tolerance{0, 1e-14}.all(t, "bend", bend, tensor.Vector{e, e, e, 0.25})
}

func TestLogisticAllocatesItsCoefficients(t *testing.T) {
	x, y := labelled(rand.New(rand.NewPCG(52, 6)), 1000, 3)
	var l Logistic
	fit, p := l.Fit(x, y, nil, 1e-3), make(tensor.Vector, x.Rows)
	if n := testing.AllocsPerRun(5, func() { l.Fit(x, y, nil, 1e-3) }); n != 1 {
		t.Errorf("a fit makes %v allocations", n)
	}
	if n := testing.AllocsPerRun(5, func() { fit.Chances(p, x) }); n != 0 {
		t.Errorf("a prediction makes %v allocations", n)
	}
}
