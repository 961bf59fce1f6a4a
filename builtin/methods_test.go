package builtin

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// A walk is what a client does in a round, in plain loops: steps with momentum, a proximal term, a
// shift of every gradient, and gradients taken at a distance.
type walk struct {
	steps          int
	rate, rho, mu  float64
	sam            float64
	shift          fl.Vector
	share          float64 // of the gradient, if that is not 1
	samplesPerStep int     // steps are so many for each sample; 0: steps
}

func (w walk) from(c fl.Client, m fl.Model, theta fl.Vector) fl.Vector {
	y, v := theta.Clone(), make(fl.Vector, len(theta))
	for range w.count(c) {
		g := gradient(c, m, y)
		if w.sam > 0 {
			z := y.Clone()
			z.AddScaled(w.sam/g.Norm(), g)
			g = gradient(c, m, z)
		}
		if w.share > 0 {
			g.Scale(w.share)
		}
		if w.shift != nil {
			g.Add(w.shift)
		}
		g.AddScaled(w.mu, y)
		g.AddScaled(-w.mu, theta)
		v.Scale(w.rho)
		v.Add(g)
		y.AddScaled(-w.rate, v)
	}
	return y
}

func (w walk) count(c fl.Client) int {
	if w.samplesPerStep > 0 {
		return w.samplesPerStep * c.Data.Len()
	}
	return w.steps
}

// gradient returns that of all samples of a client.
func gradient(c fl.Client, m fl.Model, theta fl.Vector) fl.Vector {
	g := make(fl.Vector, len(theta))
	m.Worker().Gradient(g, theta, &c.Data, nil)
	return g
}

// clientsOf returns the clients of a setup.
func clientsOf(t *testing.T, s *engine.Setup) (all []fl.Client) {
	t.Helper()
	world, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range world.Population.N() {
		all = append(all, world.Population.Client(i))
	}
	return all
}

// stays returns where an affine map of d numbers leaves them: its fixed point.
func stays(t *testing.T, d int, f func(fl.Vector) fl.Vector) fl.Vector {
	t.Helper()
	zero := f(make(fl.Vector, d))
	left := mat.NewDense(d, d, nil)
	for j := range d {
		unit := make(fl.Vector, d)
		unit[j] = 1
		column := f(unit)
		column.AddScaled(-1, zero)
		column.Scale(-1)
		column[j]++
		left.SetCol(j, column)
	}
	var theta mat.VecDense
	if err := theta.SolveVec(left, mat.NewVecDense(d, zero)); err != nil {
		t.Fatal(err)
	}
	return theta.RawVector().Data
}

// average returns Σ wᵢ θᵢ, where f makes θᵢ; without weights the plain mean.
func average(all []fl.Client, w fl.Vector, f func(c fl.Client) fl.Vector) (sum fl.Vector) {
	for k, c := range all {
		theta := f(c)
		if sum == nil {
			sum = make(fl.Vector, len(theta))
		}
		if w == nil {
			sum.AddScaled(1/float64(len(all)), theta)
		} else {
			sum.AddScaled(w[k], theta)
		}
	}
	return sum
}

// With momentum of clients FedCM ends where FedAvg with the rate αη does, and MimeLite where its
// steps, with the gradient of the objective as momentum, lead back.
//
//hansa:verifies fixed-point local/fedcm aggregator/fedcm local/mimelite aggregator/mimelite
func TestMomentumOfClientsEndsAtItsFixedPoint(t *testing.T) {
	all := pick("all")
	p, s, _ := ends(t, stepping(4000, descending("fedcm", "alpha", 0.3), pick("fedcm"), all))
	clients := clientsOf(t, s)
	want := stays(t, len(p.Global), func(x fl.Vector) fl.Vector {
		return average(clients, nil, func(c fl.Client) fl.Vector {
			return walk{steps: 6, rate: 0.3 * 0.02}.from(c, s.Model, x)
		})
	})
	if off := p.Global.Distance(want); !(off < 1e-10) {
		t.Errorf("FedCM ends %v from the fixed point", off)
	}
	p, s, _ = ends(t, stepping(4000, descending("mimelite", "beta", 0.8), pick("mimelite"), all))
	want = stays(t, len(p.Global), func(x fl.Vector) fl.Vector {
		m := average(clients, nil, func(c fl.Client) fl.Vector { return gradient(c, s.Model, x) })
		m.Scale(0.8)
		return average(clients, nil, func(c fl.Client) fl.Vector {
			return walk{steps: 6, rate: 0.02, share: 0.2, shift: m}.from(c, s.Model, x)
		})
	})
	if off := p.Global.Distance(want); !(off < 1e-10) {
		t.Errorf("MimeLite ends %v from the fixed point", off)
	}
}

// With one step in a round FedCM is gradient descent with momentum: Δ ← αg + (1 − α)Δ, x ← x − ηΔ.
// With one step Scaffnew, where every step is communicated, is gradient descent.
func TestMethodsOfOneStep(t *testing.T) {
	one := func(name string, params ...any) study.Pick {
		return pick(name, append([]any{"steps", int64(1), "lr", 0.02}, params...)...)
	}
	for name, c := range map[string]struct {
		local, server study.Pick
		alpha         float64
	}{
		"FedCM":    {one("fedcm", "alpha", 0.25), pick("fedcm"), 0.25},
		"Scaffnew": {one("scaffnew"), pick("scaffnew"), 1},
	} {
		const rounds = 20
		p, s, _ := ends(t, stepping(rounds, c.local, c.server, pick("all")))
		clients := clientsOf(t, s)
		x := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
		step := make(fl.Vector, len(x))
		for range rounds {
			g := average(clients, nil, func(i fl.Client) fl.Vector { return gradient(i, s.Model, x) })
			step.Scale(1 - c.alpha)
			step.AddScaled(c.alpha, g)
			x.AddScaled(-0.02, step)
		}
		if off := p.Global.Distance(x); !(off < 1e-12) {
			t.Errorf("%s ends %v from gradient descent", name, off)
		}
	}
}

// Each step of FedSAM is by the gradient at the sharpest point of a ball.
//
//hansa:verifies theorem local/fedsam
func TestFedSAMStepsByTheSharpestGradient(t *testing.T) {
	plain := pick("fedavg", "weights", "uniform")
	p, s, _ := ends(t, stepping(5, descending("fedsam", "rho", 0.4), plain, pick("all")))
	clients := clientsOf(t, s)
	x := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	for range 5 {
		x = average(clients, nil, func(c fl.Client) fl.Vector {
			return walk{steps: 6, rate: 0.02, sam: 0.4}.from(c, s.Model, x)
		})
	}
	if off := p.Global.Distance(x); !(off < 1e-12) {
		t.Errorf("FedSAM ends %v from plain loops", off)
	}
}

// repeated is a source whose client i has 1 + i copies of one row, so that a batch of one row has
// the gradient of all of them, and epochs of clients have different numbers of steps.
type repeated struct{ fl.Source }

func (r repeated) Load(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
	all, _, err := r.Source.Load(l)
	if err != nil {
		return nil, nil, err
	}
	first := map[int]int{}
	for row := len(all.Owner) - 1; row >= 0; row-- {
		first[all.Owner[row]] = row
	}
	var rows, owners []int
	for i := range l.Clients {
		for range 1 + i {
			rows, owners = append(rows, first[i]), append(owners, i)
		}
	}
	d := all.Pick(rows)
	d.Owner = owners
	return d, nil, nil
}

// The fixed point of FedNova solves Σ p̂ᵢ(θᵢ(θ) − θ)/‖aᵢ‖₁ = 0. Half the rate brings it to about
// half the distance from the optimum, whatever the numbers of steps; FedAvg stays where it is.
//
//hansa:verifies fixed-point local/fednova aggregator/fednova
func TestFedNovaConvergesToItsFixedPoint(t *testing.T) {
	for name, c := range map[string]struct {
		rho, mu float64
		length  func(tau, rate float64) float64
	}{
		"plain": {0, 0, func(tau, _ float64) float64 { return tau }},
		"momentum": {0.5, 0, func(tau, _ float64) float64 {
			return (tau - 0.5*(1-math.Pow(0.5, tau))/0.5) / 0.5
		}},
		"proximal": {0, 2, func(tau, rate float64) float64 {
			return (1 - math.Pow(1-rate*2, tau)) / (rate * 2)
		}},
	} {
		const rate = 0.04
		local := pick("fednova", "epochs", int64(2), "batch", int64(1), "lr", rate, "momentum",
			c.rho, "mu", c.mu)
		s, _, problems := menu(t).Compose(stepping(12000, local, pick("fednova"), pick("all")))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s.Source = repeated{s.Source}
		clients := clientsOf(t, &s)
		share, total := make(fl.Vector, len(clients)), 0.0
		for _, c := range clients {
			total += float64(c.Data.Len())
		}
		for k, c := range clients {
			share[k] = float64(c.Data.Len()) / total
		}
		d := s.Model.Layout().Len()
		end := func(rate float64, normal bool) fl.Vector {
			return stays(t, d, func(x fl.Vector) fl.Vector {
				next := x.Clone()
				for k, i := range clients {
					w := walk{samplesPerStep: 2, rate: rate, rho: c.rho, mu: c.mu}
					scale := share[k] / rate
					if normal {
						scale /= c.length(float64(w.count(i)), rate)
					}
					y := w.from(i, s.Model, x)
					next.AddScaled(scale, y)
					next.AddScaled(-scale, x)
				}
				return next
			})
		}
		if off := run(t, &s).Distance(end(rate, true)); !(off < 1e-10) {
			t.Errorf("%s: FedNova ends %v from the fixed point", name, off)
		}
		best := stays(t, d, func(x fl.Vector) fl.Vector {
			g := average(clients, share, func(c fl.Client) fl.Vector { return gradient(c, s.Model, x) })
			g.Scale(-1)
			g.Add(x)
			return g
		})
		near, nearer := end(2e-4, true).Distance(best), end(1e-4, true).Distance(best)
		if far := end(1e-4, false).Distance(best); !(math.Abs(nearer/near-0.5) < 0.02) ||
			!(far > 20*nearer) {
			t.Errorf("%s: at two rates FedNova is %v and %v from the optimum, FedAvg %v", name, near,
				nearer, far)
		}
	}
}

// run returns the parameters with which a setup ends.
func run(t *testing.T, s *engine.Setup) fl.Vector {
	t.Helper()
	cell, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range s.Rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return cell.Checkpoint().Global
}

// exP returns what FedExP makes of models of clients.
func exP(t *testing.T, global fl.Vector, models ...fl.Vector) fl.Outcome {
	t.Helper()
	a, err := aggregator.FedExP.New(fl.NewParams(map[string]any{"epsilon": 0.0}, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	r := &fl.Round{Global: global, Notes: new(fl.Notes), Roster: &fl.Roster{N: len(models)}}
	for i, m := range models {
		r.Updates = append(r.Updates, fl.Update{Client: i, Params: m})
	}
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Updates that are orthogonal and of the same norm are extrapolated M/2-fold; those that agree are
// not; without a move there is none. Where clients project on sets with a point in common no round
// leads away from it, and FedExP comes nearer than a mean.
//
//hansa:verifies theorem aggregator/fedexp
func TestFedExPExtrapolates(t *testing.T) {
	at := fl.Vector{1, 1, 1, 1, 1, 1}
	var orthogonal []fl.Vector
	for i := range at {
		m := at.Clone()
		m[i] += 2
		orthogonal = append(orthogonal, m)
	}
	if got := exP(t, at, orthogonal...).Params; got.Distance(fl.Vector{2, 2, 2, 2, 2, 2}) > 1e-14 {
		t.Errorf("orthogonal updates lead to %v", got)
	}
	if got := exP(t, at, orthogonal[0], orthogonal[0]).Params; got.Distance(orthogonal[0]) != 0 {
		t.Errorf("equal updates lead to %v", got)
	}
	if got := exP(t, at, at, at).Params; got.Distance(at) != 0 {
		t.Errorf("no updates lead to %v", got)
	}
	rng := fl.NewStream(1, "planes").Rand()
	common, x := fl.Vector{1, -2, 3, 0, 1, 2}, make(fl.Vector, 6)
	mean := x.Clone()
	planes := make([]fl.Vector, 12)
	for k := range planes {
		planes[k] = make(fl.Vector, 6)
		for j := range planes[k] {
			planes[k][j] = rng.NormFloat64()
		}
		planes[k].Scale(1 / planes[k].Norm())
	}
	project := func(from fl.Vector) (all []fl.Vector) {
		for _, n := range planes {
			y := from.Clone()
			y.AddScaled(n.Dot(common)-n.Dot(from), n)
			all = append(all, y)
		}
		return all
	}
	for range 60 {
		next := exP(t, x, project(x)...).Params.Clone()
		if next.Distance(common) > x.Distance(common)+1e-15 {
			t.Fatalf("from %v to %v of the common point", x.Distance(common), next.Distance(common))
		}
		x = next
		all := project(mean)
		mean = make(fl.Vector, 6)
		for _, y := range all {
			mean.AddScaled(1/float64(len(all)), y)
		}
	}
	if a, b := x.Distance(common), mean.Distance(common); !(a < b/10) {
		t.Errorf("FedExP is %v from the common point, a mean %v", a, b)
	}
}
