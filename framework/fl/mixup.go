package fl

import (
	"math"
	"math/rand/v2"
)

// A mixer mixes rows and labels of a batch, as the paper's code does: a batch has one share λ from
// Beta(α, α), and one permutation, by which row i is mixed with row j:
//
//	x ← λxᵢ + (1 − λ)xⱼ,    y ← λyᵢ + (1 − λ)yⱼ.
//
//	H. Zhang, M. Cisse, Y. N. Dauphin, D. Lopez-Paz. mixup: Beyond Empirical Risk Minimization.
//	ICLR 2018, Section 2.
type mixer struct {
	order []int  // the permutation
	rows  Matrix // of the batch, before they are mixed
}

// mix mixes the rows of a batch of a descent, all when nil, after other augmentation. Their labels
// become soft targets.
func (d *Descent) mix(rows []int) {
	m, own, rng := &d.mixer, &d.task.augmented, d.task.RNG
	n, targets := len(rows), &d.Guide.Targets
	if rows == nil {
		n = own.X.Rows
	}
	if m.order == nil { // no batch is larger than the first one
		classes := own.Shape.Classes
		m.order = d.task.Ints(n)
		m.rows = Matrix{Rows: n, Cols: own.X.Cols, Data: d.task.Scratch(n * own.X.Cols)}
		*targets = SoftTargets{Temperature: 1, Weight: 1, Prob: Matrix{Rows: own.X.Rows,
			Cols: classes, Data: d.task.Scratch(own.X.Rows * classes)}}
	}
	at := func(i int) int {
		if rows == nil {
			return i
		}
		return rows[i]
	}
	for i := range n {
		copy(m.rows.Row(i), own.X.Row(at(i)))
		k := rng.IntN(i + 1)
		m.order[i], m.order[k] = m.order[k], i
	}
	share := symmetricBeta(rng, d.Augment.Mixup)
	for i, j := range m.order[:n] {
		row, prob := Vector(own.X.Row(at(i))), targets.Prob.Row(at(i))
		row.Scale(share)
		row.AddScaled(1-share, m.rows.Row(j))
		clear(prob)
		prob[own.Y[at(i)]] += share
		prob[own.Y[at(j)]] += 1 - share
	}
}

// symmetricBeta draws from Beta(α, α): of U and V uniform, U^(1/α) over its sum with V^(1/α), given
// that the sum is at most 1 (M. D. Jöhnk. Metrika 8, 1964). Powers are logarithms, as small α have
// them underflow.
func symmetricBeta(rng *rand.Rand, alpha float64) float64 {
	for {
		u := math.Log(1-rng.Float64()) / alpha
		v := math.Log(1-rng.Float64()) / alpha
		if most := max(u, v); most+math.Log1p(math.Exp(min(u, v)-most)) <= 0 {
			return 1 / (1 + math.Exp(v-u))
		}
	}
}
