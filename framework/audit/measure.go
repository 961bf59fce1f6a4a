package audit

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// batches is how many stretches of rounds the error of a mean over dependent rounds is taken from.
const batches = 25

// A measure adds up the weights of cohorts. Rounds may depend on those before them: the error of
// their mean is computed from the means of batches of consecutive rounds.
type measure struct {
	sum, square      fl.Vector // Σ q·w and Σ q·w², by client
	visits           fl.Vector // Σ q·1{i ∈ S}
	mass             float64   // Σ q
	total, totalSq   float64
	scale, scaleSq   float64
	speaking, cohort float64

	length    int       // rounds of a batch
	filled    int       // of the current one
	given     fl.Vector // Σ w of the current batch, by client
	came      fl.Vector // Σ 1{i ∈ S} of it
	ww, wn, n fl.Vector // Σ over batches of given², given·came, came²
	taken     int       // batches
}

// newMeasure returns a measure of clients for so many rounds.
func newMeasure(clients, rounds int) *measure {
	v := func() fl.Vector { return make(fl.Vector, clients) }
	return &measure{sum: v(), square: v(), visits: v(), length: max(1, rounds/batches),
		given: v(), came: v(), ww: v(), wn: v(), n: v()}
}

func (m *measure) add(q float64, cohort []int, r reading) {
	total, square := 0.0, 0.0
	for k, w := range r.weights {
		i := cohort[k]
		m.sum[i] += q * w
		m.square[i] += q * w * w
		m.visits[i] += q
		m.given[i] += w
		m.came[i]++
		total += w
		square += w * w
	}
	m.mass += q
	m.total += q * total
	m.totalSq += q * total * total
	m.scale += q * (total + r.global)
	m.scaleSq += q * (total + r.global) * (total + r.global)
	m.cohort += q * float64(len(cohort))
	if square > 0 {
		m.speaking += q * total * total / square
	}
	if m.filled++; m.filled == m.length {
		m.close()
	}
}

// close ends a batch.
func (m *measure) close() {
	for i, w := range m.given {
		c := m.came[i]
		m.ww[i] += w * w
		m.wn[i] += w * c
		m.n[i] += c * c
	}
	clear(m.given)
	clear(m.came)
	m.taken++
	m.filled = 0
}

// mean returns the mean of what was added, as an exact one.
func (m *measure) mean() Effective {
	e := Effective{P: m.sum.Clone(), Exact: true,
		Speaking: m.speaking / m.mass, Cohort: m.cohort / m.mass}
	e.Total, e.TotalSD = meanSD(m.total/m.mass, m.totalSq/m.mass)
	e.Scale, e.ScaleSD = meanSD(m.scale/m.mass, m.scaleSq/m.mass)
	if sum := e.P.Sum(); sum != 0 {
		e.P.Scale(1 / sum)
		e.Variance = m.square.Sum() * m.mass / sq(m.total)
	}
	return e
}

// estimate returns the mean of what was added, as one over simulated rounds, with its error.
//
// The mean weight of a client is P(i ∈ S)·E[w | i ∈ S]. Where the law states the former exactly,
// only the latter is estimated, without any error where weights do not depend on the other
// participants. Of that and the plain mean, the one with the smaller error is returned.
func (m *measure) estimate(law *fl.Law, independent bool) Effective {
	e := m.mean()
	e.Exact, e.Rounds = false, int(m.mass)
	plain, p := m.errors(independent, false), e.P
	best := plain
	if law.Marginals && m.met(law) {
		if ratio := m.errors(independent, true); ratio.noise < plain.noise {
			best, p = ratio, make(fl.Vector, len(e.P))
			for i, pi := range law.Inclusion {
				if pi > 0 {
					p[i] = pi * m.sum[i] / m.visits[i]
				}
			}
			if sum := p.Sum(); sum != 0 {
				p.Scale(1 / sum)
			}
		}
	}
	e.P, e.Noise, e.Worth = p, best.noise, best.worth
	e.Margin = best.noise + 2*best.deviation
	if e.Noise < 1e-12 { // nothing but rounding
		e.Exact, e.Rounds, e.Worth, e.Noise, e.Margin = true, 0, 0, 0, 0
	}
	return e
}

// met reports whether every client that can participate has participated.
func (m *measure) met(law *fl.Law) bool {
	for i, pi := range law.Inclusion {
		if pi > 0 && m.visits[i] == 0 {
			return false
		}
	}
	return true
}

// An inaccuracy is the distance of an estimated p̃ from the true one in total variation.
type inaccuracy struct {
	noise     float64 // in the mean
	deviation float64 // standard deviation of that
	worth     float64 // independent rounds with the same error
}

// errors returns the inaccuracy of the plain mean of weights, or of the mean given that a client
// participates. That of independent rounds is known from single rounds, any other from batches.
func (m *measure) errors(independent, given bool) (x inaccuracy) {
	var single, batched, spread float64
	independent = independent || m.taken < 2
	for i, sum := range m.sum {
		mean, square := sum/m.mass, m.square[i]/m.mass
		one, several := square-mean*mean, m.ww[i]-float64(m.taken)*sq(mean*float64(m.length))
		if given {
			if m.visits[i] == 0 {
				continue
			}
			c := sum / m.visits[i]
			one = square - c*c*m.visits[i]/m.mass
			several = m.ww[i] - 2*c*m.wn[i] + c*c*m.n[i]
		}
		if one < 1e-12*square { // rounding
			one = 0
		}
		if several < 1e-12*m.ww[i] {
			several = 0
		}
		one /= m.mass
		several /= max(1, float64(m.taken-1)*float64(m.taken)) * sq(float64(m.length))
		single += one
		batched += several
		if !independent {
			one = several
		}
		// The mean size of a normal deviation is √(2/π) of its standard deviation.
		x.noise += math.Sqrt(one*2/math.Pi) / 2
		spread += one * (1 - 2/math.Pi) / 4
	}
	scale := m.mass / math.Abs(m.sum.Sum())
	x.noise *= scale
	x.deviation = math.Sqrt(spread) * scale
	x.worth = m.mass
	if !independent && batched > single {
		x.worth *= single / batched
	}
	return x
}

func sq(x float64) float64 { return x * x }
