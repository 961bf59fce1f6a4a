package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A luce is the cohort distribution of a block as a choice: the mean over its cohorts of Luce's
// rule, (1) of the package comment, and the derivative of that.
type luce struct {
	block
	from   []int         // pairs that begin with client i are cohorts from[i] to from[i+1]
	u      tensor.Vector // scratch of marginal: e^a
	shares tensor.Vector // Y of the cohorts that are not pairs, as members; nil until needed
	bonds  tensor.Vector // q_A Yᵢ Yₖ of the pairs A = {i, k} at the last bend; nil until needed
}

// linearRange is the largest spread of log u at which e^a and its inverse, summed over
// cohorts, stay far inside the range of a float64.
const linearRange = 600

// newLuce rearranges the cohorts of b: pairs first, sorted by their first member, so
// that what they add to it adds up in a register. All other cohorts keep their order.
func newLuce(b *block) *luce {
	n := len(b.ids)
	sorted := newBlock(0, len(b.q), len(b.members))
	sorted.ids, sorted.p = b.ids, b.p
	next := make([]int, n+2)
	for j := range b.q {
		next[b.first(j)+1]++
	}
	for i := range n {
		next[i+1] += next[i]
	}
	from := append([]int(nil), next[:n+1]...)
	order := make([]int, len(b.q))
	for j := range b.q {
		i := b.first(j)
		order[next[i]] = j
		next[i]++
	}
	for _, j := range order {
		sorted.members = append(sorted.members, b.set(j)...)
		sorted.seal(b.q[j])
	}
	return &luce{block: *sorted, from: from, u: make(tensor.Vector, n)}
}

// first returns the first member of cohort j if it is a pair, and the number of clients
// otherwise.
func (b *block) first(j int) int {
	if set := b.set(j); len(set) == 2 {
		return int(set[0])
	}
	return len(b.ids)
}

// marginal sets dst to P(a): Pᵢ(a) = Σ_{A∋i} q_A e^aᵢ / Σ_{k∈A} e^aₖ.
//
// Written as uᵢ·Σ_{A∋i} q_A/u(A), it takes one exponential per client and one division
// per cohort.
func (l *luce) marginal(dst, a tensor.Vector) {
	if len(a) == 0 {
		return
	}
	top := floats.Max(a)
	if top-floats.Min(a) > linearRange {
		l.exact(dst, a)
		return
	}
	for i, v := range a {
		l.u[i] = math.Exp(v - top)
	}
	clear(dst)
	l.addPairs(dst)
	for j := l.from[len(dst)]; j < len(l.q); j++ {
		set := l.set(j)
		var sum float64
		for _, i := range set {
			sum += l.u[i]
		}
		r := l.q[j] / sum
		for _, i := range set {
			dst[i] += r
		}
	}
	floats.Mul(dst, l.u)
}

// addPairs adds q_A/u(A) to the members of every pair A.
func (l *luce) addPairs(dst tensor.Vector) {
	u := l.u[:len(dst)]
	for i := range dst {
		lo, hi := l.from[i], l.from[i+1]
		q, pairs := l.q[lo:hi], l.members[2*lo:2*hi]
		var sum float64
		for j, qj := range q {
			k := pairs[2*j+1]
			r := qj / (u[i] + u[k])
			sum += r
			dst[k] += r
		}
		dst[i] += sum
	}
}

// exact is marginal at any spread of a, with one exponential per member.
func (l *luce) exact(dst, a tensor.Vector) {
	clear(dst)
	for i := range dst {
		for j := l.from[i]; j < l.from[i+1]; j++ {
			k := l.members[2*j+1]
			less := math.Exp(-math.Abs(a[i] - a[k]))
			more := l.q[j] / (1 + less)
			less *= more
			if a[i] < a[k] {
				more, less = less, more
			}
			dst[i] += more
			dst[k] += less
		}
	}
	pairs := l.from[len(dst)]
	l.share(a, pairs)
	for j := pairs; j < len(l.q); j++ {
		y := l.shares[l.start[j]:]
		for k, i := range l.set(j) {
			dst[i] += l.q[j] * y[k]
		}
	}
}

// share sets the shares of all cohorts from number first on to Y(a).
func (l *luce) share(a tensor.Vector, first int) {
	if l.shares == nil {
		l.shares = make(tensor.Vector, len(l.members))
	}
	for j := first; j < len(l.q); j++ {
		y := l.shares[l.start[j]:l.start[j+1]]
		for k, i := range l.set(j) {
			y[k] = a[i]
		}
		softmax(y)
	}
}

// bend fixes the point a at which curve is taken, and sets diag to the diagonal of the
// Jacobian of P there: Σ_{A∋i} q_A Yᵢ(1 − Yᵢ).
func (l *luce) bend(diag, a tensor.Vector) {
	pairs := l.from[len(a)]
	if l.bonds == nil {
		l.bonds = make(tensor.Vector, pairs)
	}
	clear(diag)
	for i := range a {
		for j := l.from[i]; j < l.from[i+1]; j++ {
			k := l.members[2*j+1]
			less := math.Exp(-math.Abs(a[i] - a[k]))
			l.bonds[j] = l.q[j] * less / ((1 + less) * (1 + less))
			diag[i] += l.bonds[j]
			diag[k] += l.bonds[j]
		}
	}
	l.share(a, pairs)
	for j := pairs; j < len(l.q); j++ {
		y := l.shares[l.start[j]:]
		for k, i := range l.set(j) {
			diag[i] += l.q[j] * y[k] * (1 - y[k])
		}
	}
}

// curve sets dst to the product of x and the Jacobian Σ_A q_A (diag(Y_A) − Y_A Y_Aᵀ) of
// P at the point of the last bend.
func (l *luce) curve(dst, x tensor.Vector) {
	clear(dst)
	for i, xi := range x {
		lo, hi := l.from[i], l.from[i+1]
		bonds, pairs := l.bonds[lo:hi], l.members[2*lo:2*hi]
		var sum float64
		for j, bond := range bonds {
			k := pairs[2*j+1]
			push := bond * (xi - x[k])
			sum += push
			dst[k] -= push
		}
		dst[i] += sum
	}
	for j := l.from[len(x)]; j < len(l.q); j++ {
		set := l.set(j)
		y := l.shares[l.start[j]:l.start[j+1]]
		var mean float64
		for k, i := range set {
			mean += y[k] * x[i]
		}
		for k, i := range set {
			dst[i] += l.q[j] * y[k] * (x[i] - mean)
		}
	}
}
