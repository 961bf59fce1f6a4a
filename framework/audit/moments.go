package audit

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// mostMoments bounds the multiplications that the exact recursion takes.
const mostMoments = 1_000_000_000

// exact reports whether mean and covariance of θ are had by recursion: where the law lists its
// cohorts, their weights are fixed, rounds are independent, and it does not take too long.
func (c *linearised) exact() bool {
	law := c.rounds.law
	d, n := len(c.step), len(c.work)/max(1, len(c.step))
	pairs := d * (d + 1) / 2
	return c.rounds.list != nil && c.rounds.fixed && law.Exact && law.Memoryless &&
		n*n <= 4_000_000 && (c.setup.Rounds+2*n)*pairs <= mostMoments/pairs &&
		n*n <= mostMoments/(d*d)
}

// A covariance is how the covariance V of e changes in a round. With A = I + Σ wₖJₖ, c = Σ wₖbₖ,
// and the mean m of e before the round,
//
//	V ← E[A V Aᵀ] + Cov(Am + c),
//
// expectations being over the cohorts of a round. All that is needed of these is E[wᵢwₖ].
// Symmetric matrices are kept as their upper halves, d(d+1)/2 numbers.
type covariance struct {
	*linearised
	twice fl.Matrix // X ↦ Σ E[wᵢwₖ] JᵢXJₖᵀ
	cross fl.Matrix // m ↦ Σ E[wᵢwₖ] (Jᵢm bₖᵀ + bₖmᵀJᵢᵀ)
	own   fl.Vector // Σ E[wᵢwₖ] bᵢbₖᵀ
	row   []int     // of an element of the upper half
	col   []int
}

// newCovariance computes the sums over pairs of clients.
func (c *linearised) newCovariance() *covariance {
	d := len(c.step)
	v := &covariance{linearised: c}
	for a := range d {
		for b := a; b < d; b++ {
			v.row, v.col = append(v.row, a), append(v.col, b)
		}
	}
	n, pairs := len(c.work)/d, len(v.row)
	v.twice, v.cross = fl.NewMatrix(pairs, pairs), fl.NewMatrix(pairs, d)
	v.own = make(fl.Vector, pairs)
	second := c.second(n)
	g, h := fl.NewMatrix(d, d), make(fl.Vector, d)
	for i := range n {
		clear(g.Data)
		clear(h)
		for k, w := range second.Row(i) {
			if w != 0 {
				fl.Vector(g.Data).AddScaled(w, c.slopes[k*d*d:(k+1)*d*d])
				h.AddScaled(w, c.work[k*d:(k+1)*d])
			}
		}
		v.add(fl.Matrix{Rows: d, Cols: d, Data: c.slopes[i*d*d : (i+1)*d*d]}, g,
			c.work[i*d:(i+1)*d], h)
	}
	return v
}

// second returns E[wᵢwₖ] over the cohorts of a law.
func (c *linearised) second(n int) fl.Matrix {
	m, list := fl.NewMatrix(n, n), c.rounds.list
	from := 0
	for j, to := range list.end {
		for k := from; k < to; k++ {
			i := c.place[list.members[k]]
			if i < 0 {
				continue
			}
			for l := from; l < to; l++ {
				if o := c.place[list.members[l]]; o >= 0 {
					m.Row(i)[o] += list.q[j] * list.weights[k] * list.weights[l]
				}
			}
		}
		from = to
	}
	return m
}

// add adds what client i brings, with J and b, and G and h the sums of E[wᵢwₖ] times those of
// all k.
func (v *covariance) add(j, g fl.Matrix, b, h fl.Vector) {
	for p, a := range v.row {
		z := v.col[p]
		ja, gz, row := j.Row(a), g.Row(z), v.twice.Row(p)
		for q, x := range v.row {
			y := v.col[q]
			row[q] += ja[x] * gz[y]
			if x != y {
				row[q] += ja[y] * gz[x]
			}
		}
		jz, cross := j.Row(z), v.cross.Row(p)
		for x := range cross {
			cross[x] += ja[x]*h[z] + h[a]*jz[x]
		}
		v.own[p] += b[a] * h[z]
	}
}

// spread returns what the covariance of θ adds to F in the mean over the window.
func (c *linearised) spread(f *quadratic, m fl.Vector, window []int) (noise float64) {
	d := len(m)
	v := c.newCovariance()
	full, pushed := fl.NewMatrix(d, d), fl.NewMatrix(d, d)
	pairs := len(v.row)
	x, step, mixed := make(fl.Vector, pairs), make(fl.Vector, pairs), make(fl.Vector, pairs)
	mean, moved := m.Clone(), make(fl.Vector, d)
	next, last, half := 0, window[len(window)-1], 0.0
	for t := 0; ; t++ {
		if t == last/2 {
			half = f.spread(full)
		}
		for ; next < len(window) && window[next] == t; next++ {
			noise += f.spread(full) / float64(len(window))
		}
		if next == len(window) {
			break
		}
		c.slope.MulVec(moved, mean)
		moved.AddScaled(1, c.step)
		for p, a := range v.row {
			x[p] = full.Row(a)[v.col[p]] + mean[a]*mean[v.col[p]]
		}
		v.twice.MulVec(step, x)
		v.cross.MulVec(mixed, mean)
		multiply(pushed, c.slope, full)
		for p, a := range v.row {
			b := v.col[p]
			y := full.Row(a)[b] + c.present*(pushed.Row(a)[b]+pushed.Row(b)[a]+step[p]+mixed[p]+
				v.own[p]-c.present*moved[a]*moved[b])
			x[p] = y
		}
		for p, a := range v.row {
			full.Row(a)[v.col[p]], full.Row(v.col[p])[a] = x[p], x[p]
		}
		mean.AddScaled(c.present, moved)
	}
	if end := f.spread(full); end > 0 {
		c.growing = max(0, 1-half/end)
	}
	if math.IsNaN(noise) {
		return math.Inf(1)
	}
	return noise
}
