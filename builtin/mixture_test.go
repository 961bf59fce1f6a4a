package builtin

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// batched is a local rule of six steps on batches, for linear models, which compute in float64.
func batched(name string, params ...any) study.Pick {
	return descending(name, append([]any{"batch", int64(5)}, params...)...)
}

// Theorem: at their degenerate parameters methods are FedAvg with a plain mean, bit for bit, and on
// the same batches: pFedMe with ηλ = 1 and K = 1 for any β of the server, Per-FedAvg with α = 0,
// and APFL for any α. With λ = 0 the global model of pFedMe never moves.
//
//hansa:verifies equivalence local/pfedme local/per-fedavg local/apfl
func TestMixturesReduceToFedAvg(t *testing.T) {
	two, plain := pick("uniform-k", "k", int64(2)), pick("fedavg", "weights", "uniform")
	half := pick("naive", "server_rate", 0.5)
	moreau := batched("pfedme", "lambda", 4.0, "eta", 0.25, "inner_steps", int64(1))
	for name, c := range map[string][2]study.Pick{
		"pFedMe":        {moreau, plain},
		"pFedMe, β":     {moreau, half},
		"Per-FedAvg":    {batched("per-fedavg", "alpha", 0.0), plain},
		"APFL":          {batched("apfl", "alpha", 0.4), plain},
		"APFL, adapted": {batched("apfl", "adaptive", true), plain},
	} {
		a, _, _ := ends(t, stepping(9, c[0], c[1], two))
		b, _, _ := ends(t, stepping(9, batched("sgd"), c[1], two))
		if !slices.Equal(a.Global, b.Global) {
			t.Errorf("%s: %v beside FedAvg", name, a.Global.Distance(b.Global))
		}
	}
	p, s, _ := ends(t, stepping(9, batched("pfedme", "lambda", 0.0), plain, two))
	if first := s.Model.Init(fl.NewStream(s.Seed, "init").Rand()); !slices.Equal(p.Global, first) {
		t.Error("the global model of pFedMe moves with λ = 0")
	}
}

// deployed returns what each client predicts with at the end of a cell, and the global model.
func deployed(t *testing.T, c study.Cell, whose fl.Whose) (own []fl.Vector, global fl.Vector) {
	t.Helper()
	s := composed(t, c)
	s.Measures = []engine.Measure{{Key: "own", Metric: reader(func(shot *fl.Snapshot) {
		own, global = own[:0], shot.Params.Clone()
		for i := range s.Clients {
			v, err := shot.ParamsOf(whose, i)
			if err != nil {
				t.Error(err)
			}
			own = append(own, v.Clone())
		}
	})}}
	if _, err := engine.Run(t.Context(), s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	return own, global
}

// Theorem: a client of APFL predicts with the global model where α = 0, and with that of local
// training alone where α = 1, bit for bit.
func TestEndsOfAPFL(t *testing.T) {
	plain, all := pick("fedavg", "weights", "uniform"), pick("all")
	none, global := deployed(t, stepping(9, batched("apfl", "alpha", 0.0), plain, all), fl.DeployedModel)
	full, _ := deployed(t, stepping(9, batched("apfl", "alpha", 1.0), plain, all), fl.DeployedModel)
	alone, _ := deployed(t, stepping(9, batched("local-only"), plain, all), fl.PersonalModel)
	for i := range alone {
		if !slices.Equal(none[i], global) {
			t.Errorf("α = 0: client %d predicts with a model %v from the global one", i,
				none[i].Distance(global))
		}
		if !slices.Equal(full[i], alone[i]) {
			t.Errorf("α = 1: client %d ends %v from where it ends alone", i,
				full[i].Distance(alone[i]))
		}
	}
}

// solved returns θ of Aθ = b.
func solved(t *testing.T, a *mat.Dense, b *mat.VecDense) fl.Vector {
	t.Helper()
	var theta mat.VecDense
	if err := theta.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	return theta.RawVector().Data
}

// quadratics returns A and b of the gradients Aθ − b of all clients of a cell.
func quadratics(t *testing.T, c study.Cell) (a []*mat.Dense, b []*mat.VecDense) {
	t.Helper()
	s := composed(t, c)
	world, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range world.Population.N() {
		curvature, slope := quadratic(world.Population.Client(i), s.Model)
		a, b = append(a, curvature), append(b, slope)
	}
	return a, b
}

// Theorem: under full participation the global model of pFedMe, with personal models at their
// minima, ends where the mean of the Moreau envelopes is least: of quadratics where Σ λ(I − λ(Aᵢ +
// λI)⁻¹)w = Σ λ(Aᵢ + λI)⁻¹bᵢ. The personal models are (Aᵢ + λI)⁻¹(bᵢ + λw). The larger λ, the
// nearer are they to w, and w to the optimum of FedAvg's objective.
//
//hansa:verifies fixed-point local/pfedme
func TestPFedMeMinimisesMoreauEnvelopes(t *testing.T) {
	plain, all := pick("fedavg", "weights", "uniform"), pick("all")
	lastOff, lastApart := 1e9, 1e9
	for _, lambda := range []float64{0.3, 3, 30} {
		c := stepping(800, pick("pfedme", "steps", int64(1), "lr", min(0.05, 1/lambda), "lambda", lambda,
			"eta", 0.5/lambda, "inner_steps", int64(1500)), plain, all)
		own, w := deployed(t, c, fl.PersonalModel)
		as, bs := quadratics(t, c)
		d := len(w)
		left, right := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
		sum, moment := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
		apart := 0.0
		for i, a := range as {
			var held, inverse, part mat.Dense
			var slope, pulled, theta mat.VecDense
			held.Scale(lambda, identity(d))
			held.Add(&held, a)
			if err := inverse.Inverse(&held); err != nil {
				t.Fatal(err)
			}
			slope.MulVec(&inverse, bs[i])
			right.AddScaledVec(right, lambda, &slope)
			part.Scale(-lambda, &inverse)
			part.Add(&part, identity(d))
			part.Scale(lambda, &part)
			left.Add(left, &part)
			pulled.AddScaledVec(bs[i], lambda, mat.NewVecDense(d, w))
			theta.MulVec(&inverse, &pulled)
			if off := own[i].Distance(theta.RawVector().Data); !(off < 1e-9) {
				t.Errorf("λ = %v: the model of client %d ends %v from its minimum", lambda, i, off)
			}
			apart = max(apart, own[i].Distance(w))
			sum.Add(sum, a)
			moment.AddVec(moment, bs[i])
		}
		if off := w.Distance(solved(t, left, right)); !(off < 1e-8) {
			t.Errorf("λ = %v: the global model ends %v from the fixed point", lambda, off)
		}
		if off := w.Distance(solved(t, sum, moment)); !(off < lastOff && apart < lastApart) {
			t.Errorf("λ = %v: %v from the optimum, personal models %v from it; before %v and %v",
				lambda, off, apart, lastOff, lastApart)
		} else {
			lastOff, lastApart = off, apart
		}
	}
}

// Theorem: with one step a round and under full participation Per-FedAvg ends on quadratics where
// Σ (I − αAᵢ)²(Aᵢw − bᵢ) = 0 by differences of gradients, which are exact there, and where
// Σ (I − αAᵢ)(Aᵢw − bᵢ) = 0 without a Hessian. A client predicts with w − α(Aᵢw − bᵢ).
//
//hansa:verifies fixed-point local/per-fedavg
func TestPerFedAvgConvergesToItsFixedPoint(t *testing.T) {
	const alpha = 0.03
	plain, all := pick("fedavg", "weights", "uniform"), pick("all")
	var before fl.Vector
	for power, hessian := range map[int]string{1: "first-order", 2: "differences"} {
		c := stepping(6000, pick("per-fedavg", "steps", int64(1), "lr", 0.02, "alpha", alpha,
			"hessian", hessian), plain, all)
		own, w := deployed(t, c, fl.DeployedModel)
		as, bs := quadratics(t, c)
		d := len(w)
		left, right := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
		for i, a := range as {
			var shrunk, part mat.Dense
			var b, grad mat.VecDense
			shrunk.Scale(-alpha, a)
			shrunk.Add(&shrunk, identity(d))
			shrunk.Pow(&shrunk, power)
			part.Mul(&shrunk, a)
			left.Add(left, &part)
			b.MulVec(&shrunk, bs[i])
			right.AddVec(right, &b)
			grad.MulVec(a, mat.NewVecDense(d, w))
			grad.SubVec(&grad, bs[i])
			want := w.Clone()
			want.AddScaled(-alpha, grad.RawVector().Data)
			if off := own[i].Distance(want); !(off < 1e-12) {
				t.Errorf("%s: client %d predicts with a model %v from one step", hessian, i, off)
			}
		}
		if off := w.Distance(solved(t, left, right)); !(off < 1e-9) {
			t.Errorf("%s ends %v from its fixed point", hessian, off)
		}
		if before != nil && w.Distance(before) < 1e-3 {
			t.Error("the Hessian makes no difference: the clients are too similar")
		}
		before = w
	}
}

// Theorem: with one step a round and α > 0 that stays, every client of APFL ends at the minimum of
// its own loss, whatever the global model is: ∇fᵢ(v̄) = 0 there.
//
//hansa:verifies fixed-point local/apfl
func TestAPFLEndsAtLocalMinima(t *testing.T) {
	plain, all := pick("fedavg", "weights", "uniform"), pick("all")
	c := stepping(8000, pick("apfl", "steps", int64(1), "lr", 0.05, "alpha", 0.6), plain, all)
	own, w := deployed(t, c, fl.DeployedModel)
	as, bs := quadratics(t, c)
	for i := range own {
		if off := own[i].Distance(solved(t, as[i], bs[i])); !(off < 1e-8) {
			t.Errorf("client %d ends %v from the minimum of its loss", i, off)
		}
		if own[i].Distance(w) < 1e-3 {
			t.Errorf("client %d ends at the global model: clients are too similar", i)
		}
	}
}

// The adaptive share of APFL, step by step: α − η⟨v − w, ∇f(v̄)⟩, held in [0, 1], in the first of
// two steps of a round, and w and v as the paper has them.
func TestAPFLAdaptsItsShare(t *testing.T) {
	const rate, first = 0.1, 0.3
	local := pick("apfl", "steps", int64(2), "lr", rate, "alpha", first, "adaptive", true)
	c := stepping(12, local, pick("fedavg", "weights", "uniform"), pick("all"))
	own, _ := deployed(t, c, fl.DeployedModel)
	as, bs := quadratics(t, c)
	_, s, _ := ends(t, c)
	w := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	d := len(w)
	grad := func(i int, at fl.Vector) fl.Vector {
		var g mat.VecDense
		g.MulVec(as[i], mat.NewVecDense(d, at))
		g.SubVec(&g, bs[i])
		return g.RawVector().Data
	}
	between := func(alpha float64, v, w fl.Vector) fl.Vector {
		x := make(fl.Vector, d)
		x.AddScaled(alpha, v)
		x.AddScaled(1-alpha, w)
		return x
	}
	v, share := make([]fl.Vector, len(as)), make(fl.Vector, len(as))
	for i := range v {
		v[i], share[i] = w.Clone(), first
	}
	low, high := 1.0, 0.0
	for range c.Rounds {
		next := make(fl.Vector, d)
		for i := range v {
			x := w.Clone()
			for step := range 2 {
				alpha, mixed := share[i], between(share[i], v[i], x)
				g := grad(i, mixed)
				if step == 0 {
					apart := v[i].Clone()
					apart.Sub(x)
					share[i] = min(max(alpha-rate*apart.Dot(g), 0), 1)
				}
				x.AddScaled(-rate, grad(i, x))
				v[i].AddScaled(-rate*alpha, g)
			}
			next.AddScaled(1/float64(len(v)), x)
			low, high = min(low, share[i]), max(high, share[i])
		}
		w = next
	}
	for i := range v {
		if off := own[i].Distance(between(share[i], v[i], w)); !(off < 1e-10) {
			t.Errorf("client %d ends %v from what the formulas say, with α = %v", i, off, share[i])
		}
	}
	if high-low < 0.01 {
		t.Errorf("shares lie between %v and %v: none adapts", low, high)
	}
}
