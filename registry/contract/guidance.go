package contract

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// away is a penalty on the distance of features from those beside, a twentieth of its square: steps
// along it are not much longer than those along the loss.
type away struct{}

func (away) Penalise(in *fl.PenaltyInput) float64 {
	sum := 0.0
	for j, z := range in.Features {
		d := z - in.Beside[0].Row(in.Row)[j]
		in.Grad[j] = d / 10
		sum += d * d / 20
	}
	return sum
}

// taught is guidance by random targets at a temperature and by random features, for models that
// take it; nil for others.
func taught(b *bench) *fl.Guidance {
	w, ok := b.model.Worker().(fl.GuidedWorker)
	if !ok || b.data.Y == nil || b.data.Shape.PerRow() > 1 { // guidance is of rows
		return nil
	}
	rng := rand.New(rand.NewPCG(7, 8))
	rows, classes := b.data.Len(), b.toy.setting.Shape.Classes
	g := &fl.Guidance{Penalty: away{}, Targets: fl.SoftTargets{
		Prob: fl.NewMatrix(rows, classes), Temperature: 2.5, Weight: 0.7}}
	for r := range rows {
		p := fl.Vector(g.Targets.Prob.Row(r))
		for c := range p {
			p[c] = math.Exp(rng.NormFloat64())
		}
		p.Scale(1 / p.Sum())
	}
	g.Beside[0] = fl.Matrix{Rows: rows, Cols: w.FeatureLen(),
		Data: normals(rng, rows*w.FeatureLen(), 1)}
	return g
}

// guided are descents with each kind of guidance, and with that at weight 0.
func guided(b *bench) []variant {
	g := taught(b)
	if g == nil {
		return nil
	}
	return []variant{
		{"soft targets", func(d *fl.Descent) { d.Guide.Targets = g.Targets }, false},
		{"feature penalty", func(d *fl.Descent) { d.Guide = *g; d.Guide.Targets.Weight = 0 },
			false},
		{"guided and corrected", func(d *fl.Descent) {
			d.Guide, d.Pull, d.Ascent = *g, 0.5, 0.01
		}, true},
	}
}

// derivesGuided compares slopes of the guided loss along random lines.
func derivesGuided(b *bench) string {
	g := taught(b)
	if g == nil {
		return ""
	}
	w := b.model.Worker().(fl.GuidedWorker)
	rng, some := rand.New(rand.NewPCG(3, 5)), []int{3, 17, 8, 30, 5}
	for k, theta := range b.points[:2] {
		for _, rows := range [][]int{nil, some} {
			grad, trash := make(fl.Vector, len(theta)), make(fl.Vector, len(theta))
			w.GuidedGradient(grad, theta, b.data, rows, g)
			w.Gradient(trash, theta, b.data, rows) // of the loss that is not guided
			off, size := 0.0, 0.0
			const lines = 12
			for range lines {
				v := normals(rng, len(theta), 1/math.Sqrt(float64(len(theta))))
				v.AddScaled(1/grad.Norm(), grad) // else slopes drown in rounding
				const h = 1e-3
				up, down := theta.Clone(), theta.Clone()
				up.AddScaled(h, v)
				down.AddScaled(-h, v)
				slope := (w.GuidedGradient(trash, up, b.data, rows, g) -
					w.GuidedGradient(trash, down, b.data, rows, g)) / (2 * h)
				off += math.Abs(slope-grad.Dot(v)) / lines
				size += math.Abs(slope) / lines
			}
			if !(off <= 1e-2*size+1e-5) {
				return fmt.Sprintf("guided, %d rows, point %d: off by %.2g where slopes are %.2g",
					len(rows), k+1, off, size)
			}
		}
	}
	return ""
}
