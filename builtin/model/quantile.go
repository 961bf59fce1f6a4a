// Quantile — linear quantile regression: ŷ = ⟨w, x⟩ (+ b) by the pinball loss. At level ½ it is
// half the mean absolute deviation.
//
//	R. Koenker, G. Bassett. Regression Quantiles. Econometrica 46, 1978, equation (3.1).
//
// Notation: θ = w (length d), followed by b where there is an intercept; n samples, τ the level.
// The loss of a sample is ρ(y − ŷ) with ρ(r) = max(τr, (τ − 1)r): convex and not smooth.
// Departures: Gradient returns a subgradient. Where y = ŷ, that of a sample is 0, which every level
// allows.

package model

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Quantile describes the model to the registry.
var Quantile = fl.ModelEntry{
	Name:    "quantile",
	Summary: "linear quantile regression with pinball loss, which is not smooth",
	Paper:   "koenker1978",
	New:     newQuantile,
	Traits: fl.ModelTraits{Loss: func(params map[string]any) fl.Loss {
		level, _ := params["level"].(float64)
		return fl.Loss{Name: fmt.Sprintf("pinball, level %v", level)}
	}},
	Fits: func(s fl.Setting) error {
		if s.Shape.Classes > 0 {
			return errors.New("needs a regression target; these data have classes")
		}
		return nil
	},
}

type quantile struct {
	line  linear
	level float64 // τ in (0, 1)
}

var _ fl.Model = (*quantile)(nil)

func newQuantile(p *fl.Params) (fl.Model, error) {
	m := &quantile{level: p.Float("level", 0.5, fl.Open(0, 1),
		"τ, share of the targets below the prediction; 0.5 halves the absolute deviation")}
	m.line.intercept = p.Bool("intercept", false, "add a constant b to ⟨w, x⟩")
	return m, nil
}

// For implements fl.Model.
func (m *quantile) For(in fl.Shape) (fl.Model, error) {
	sized := *m
	sized.line.features = in.Features
	return &sized, nil
}

// Layout implements fl.Model.
func (m *quantile) Layout() fl.Layout { return m.line.Layout() }

// Init starts at zero.
func (m *quantile) Init(rng *rand.Rand) fl.Vector { return m.line.Init(rng) }

// Worker implements fl.Model.
func (m *quantile) Worker() fl.Worker {
	return &quantileWorker{level: m.level, line: linearWorker{model: &m.line}}
}

// Facts implements fl.Model.
func (m *quantile) Facts() fl.ModelFacts {
	return fl.ModelFacts{Solve: m.solve, Nonsmooth: true, Packed: true}
}

// pinball returns ρ(r) at a level.
func pinball(level, r float64) float64 { return max(level*r, (level-1)*r) }

// A quantileWorker keeps the scratch space of a linear one.
type quantileWorker struct {
	level float64
	line  linearWorker
}

var _ fl.PackedWorker = (*quantileWorker)(nil)

// Scores implements fl.Worker: one column, ŷ.
func (k *quantileWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	k.line.Scores(dst, params, x)
}

// PackedScores implements fl.PackedWorker.
func (k *quantileWorker) PackedScores(dst fl.Matrix, params fl.Vector, rows fl.Packed) {
	k.line.PackedScores(dst, params, rows)
}

// Loss implements fl.Worker.
func (k *quantileWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	sum := 0.0
	for _, over := range k.line.residuals(params, d) { // ŷ − y
		sum += pinball(k.level, -over)
	}
	return overflown(sum / float64(d.Len()))
}

// Gradient implements fl.Worker: Σ(1{ŷ > y} − τ)x/n over the samples with ŷ ≠ y.
func (k *quantileWorker) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	n := d.Len()
	if rows != nil {
		n = len(rows)
	}
	w, b := k.line.model.split(params)
	own, slopes, room := grad[:len(w)], 0.0, fl.Vector(k.line.wide.of(1, len(w)).Data)
	for i := range n {
		r := i
		if rows != nil {
			r = rows[i]
		}
		x := d.Row(r, room)
		slope := 0.0
		switch over := w.Dot(x) + b - d.Target[r]; {
		case over > 0:
			slope = (1 - k.level) / float64(n)
		case over < 0:
			slope = -k.level / float64(n)
		}
		own.AddScaled(slope, x)
		slopes += slope
	}
	if k.line.model.intercept {
		grad[len(w)] += slopes
	}
}

// Descend implements fl.Worker.
func (k *quantileWorker) Descend(d *fl.Descent) { d.Follow(k) }
