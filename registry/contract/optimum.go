package contract

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// worksAtOnce lets two Workers evaluate different parameters, each again and again.
func worksAtOnce(b *bench) string {
	times := 500 // so many that they meet in what they share
	switch {
	case b.toy.setting.Shape.Image != (fl.Image{}):
		times = 20 // of images each takes so long that they meet anyway
	case len(b.points[0]) > large/10:
		times = 100
	}
	times = b.options.repeated(times)
	loop := func(theta fl.Vector) func() string {
		alone, w := b.evaluate(b.model.Worker(), theta), b.model.Worker()
		return func() string {
			for range times {
				if d := apart(alone, b.evaluate(w, theta), 0); d != "" {
					return at("beside another", d)
				}
			}
			return ""
		}
	}
	return together(loop(b.points[1]), loop(b.points[2]))
}

// evaluate returns all that a Worker computes at theta.
func (b *bench) evaluate(w fl.Worker, theta fl.Vector) fl.Vector {
	scores := fl.NewMatrix(b.data.Len(), b.width())
	w.Scores(scores, theta, b.data.X)
	grad := make(fl.Vector, len(theta))
	w.Gradient(grad, theta, b.data, nil)
	w.Gradient(grad, theta, b.data, []int{4, 1, 7})
	return append(append(grad, scores.Data...), w.Loss(theta, b.data))
}

// objective returns Σ wᵢ fᵢ and its gradient.
func (b *bench) objective(weights, theta fl.Vector) (value float64, grad fl.Vector) {
	grad = make(fl.Vector, len(theta))
	for i, w := range weights {
		d := b.toy.population.Client(i).Data
		value += w * b.loss(theta, &d)
		grad.AddScaled(w, b.gradient(theta, &d, nil))
	}
	return value, grad
}

// mixtures are weights to optimise for: the importance, and one that leaves clients out.
func (b *bench) mixtures() []fl.Vector {
	return []fl.Vector{b.toy.roster.Importance, {0, 0.5, 0, 0.25, 0, 0.25}}
}

func solves(b *bench) string {
	solve := b.model.Facts().Solve
	if solve == nil {
		return ""
	}
	for _, weights := range b.mixtures() {
		best, err := solve(b.toy.population, weights)
		if err != nil {
			return "error: " + err.Error()
		}
		if len(best.Params) != len(b.points[0]) {
			return fmt.Sprintf("%d parameters for %d", len(best.Params), len(b.points[0]))
		}
		value, grad := b.objective(weights, best.Params)
		if b.model.Facts().Nonsmooth {
			if d := b.lower(weights, best.Params, value); d != "" {
				return d
			}
		} else if norm := grad.Norm(); !(norm <= 1e-8) {
			return fmt.Sprintf("the gradient is %.2g", norm)
		}
		if d := differ(value, best.Value, 1e-8); d != "" {
			return at("value", d)
		}
	}
	return ""
}

// lower looks for a point about the optimum where the objective is lower. Of a convex one that is
// not at its minimum, half of all directions or so lead down at first.
func (b *bench) lower(weights, theta fl.Vector, value float64) string {
	rng := fl.NewStream(1, "lower").Rand()
	for k := range 1000 {
		away := []float64{1e-6, 1e-4, 1e-2, 1}[k%4]
		at := normals(rng, len(theta), away*(1+theta.Norm()))
		at.AddScaled(1, theta)
		if found, _ := b.objective(weights, at); !(found >= value-1e-12*(1+math.Abs(value))) {
			return fmt.Sprintf("the objective is %.17g there, and %.17g at a distance of %.2g",
				value, found, at.Distance(theta))
		}
	}
	return ""
}

func knowsGap(b *bench) string {
	solve := b.model.Facts().Solve
	if solve == nil {
		return ""
	}
	for _, weights := range b.mixtures() {
		best, err := solve(b.toy.population, weights)
		if err != nil {
			return "error: " + err.Error()
		}
		if best.Gap == nil {
			continue
		}
		for _, theta := range append(b.points, best.Params) {
			value, _ := b.objective(weights, theta)
			if d := differ(value-best.Value, best.Gap(theta), 1e-8); d != "" {
				return d
			}
		}
	}
	return ""
}
