// Dirichlet — three ways to skew labels that the literature all calls "Dir(α)".
//
//	per-class: the rows of each class are cut by a draw from Dir(α·1) over clients.
//	M. Yurochkin et al. Bayesian Nonparametric Federated Learning of Neural Networks.
//	ICML 2019, Section 4.
//
//	per-class-balanced: the same, but a client that has its share of the data, n/N rows,
//	gets nothing of the classes that follow.
//	Q. Li et al. Federated Learning on Non-IID Data Silos. ICDE 2022, authors' code.
//
//	per-client: every client draws its own distribution of classes, and then as many rows
//	as any other client, without replacement.
//	T.-M. H. Hsu, H. Qi, M. Brown. Measuring the Effects of Non-Identical Data
//	Distribution for Federated Visual Classification. 2019, Section 3.
//
// Notation: n rows, N clients, C classes that occur in the data, p their frequencies.
//
// Departures: per-client draws from Dir(αC·p) where Hsu et al. write Dir(α·p): with equal classes
// that is Dir(α·1), so that α means the same for all three kinds. Its clients choose in random
// order: the last take what is left, and no index should mean that. The other kinds are drawn again
// until every client has min_size rows, as in the authors' code, but not for ever: the last of 100
// draws is repaired, by moving rows from the largest clients. A split in which a client has exactly
// min_size rows may be such a one; its heterogeneity is the realised one that a run records, not
// that of α.

package partition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Dirichlet describes the partition to the registry.
var Dirichlet = fl.PartitionerEntry{
	Name:    "dirichlet",
	Summary: "skews labels by draws from a Dirichlet distribution",
	Paper:   "yurochkin2019",
	Deviations: "per-client draws from Dir(αC·p), so that α means the same for all kinds, and " +
		"clients choose in random order; after 100 draws min_size is met by moving rows from " +
		"the largest clients",
	OneLabel: true,
	New:      newDirichlet,
	Traits:   fl.PartitionTraits{Packed: true},
	Fits:     classified,
}

const (
	perClass         = "per-class"
	perClassBalanced = "per-class-balanced"
	perClient        = "per-client"

	draws = 100 // after which a split is repaired
)

type dirichlet struct {
	kind    string
	alpha   float64 // α, [1e-6, 1e6]
	minSize int     // rows of every client, [1, ∞); not of the kind per-client
}

var _ fl.Partitioner = (*dirichlet)(nil)

func newDirichlet(p *fl.Params) (fl.Partitioner, error) {
	return &dirichlet{
		kind: p.Choice("kind", "", "cuts classes among clients, the same with equal sizes, "+
			"or mixes classes for each client", perClass, perClassBalanced, perClient),
		alpha: p.Float("alpha", 0.5, fl.Closed(1e-6, 1e6),
			"concentration; the smaller, the more skewed"),
		minSize: p.Int("min_size", 10, fl.AtLeast(1),
			"least rows of a client; per-client ignores it, its sizes are equal"),
	}, nil
}

// Split decides how many rows of each class every client has, then assigns them.
func (p *dirichlet) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	classes, err := rowsByClass(d, n)
	if err != nil {
		return nil, err
	}
	table := newCounts(len(classes), n)
	switch {
	case p.kind == perClient:
		p.mix(table, classes, d.Len(), rng)
	case p.minSize > d.Len()/n:
		return nil, fmt.Errorf("min_size: %d rows for each of %d clients are more than all %d",
			p.minSize, n, d.Len())
	default:
		for range draws {
			p.cut(table, classes, d.Len(), rng)
			if slices.Min(table.sizes()) >= p.minSize {
				break
			}
		}
		table.repair(p.minSize)
	}
	return table.deal(classes, d.Len(), rng), nil
}

// cut divides each class among the clients in proportions drawn from Dir(α·1).
func (p *dirichlet) cut(table counts, classes [][]int, total int, rng *rand.Rand) {
	n := len(table[0])
	sizes, shares := make([]int, n), make([]float64, n)
	for k, rows := range classes {
		if len(rows) == 0 {
			continue
		}
		for i := range shares {
			shares[i] = p.alpha
			if p.kind == perClassBalanced && sizes[i]*n >= total {
				shares[i] = 0 // a Dirichlet draw without some of its parts is one of the others
			}
		}
		drawLogs(shares, shares, rng)
		proportions(shares, shares)
		divide(table[k], len(rows), shares)
		for i, m := range table[k] {
			sizes[i] += m
		}
	}
}

// divide cuts m rows in proportion to shares, rounding the cuts down.
func divide(parts []int, m int, shares []float64) {
	// The cut after the last share that is not 0 must be m exactly: the same additions in
	// the same order.
	whole, upTo, before := 0.0, 0.0, 0
	for _, s := range shares {
		whole += s
	}
	for i, s := range shares {
		upTo += s
		end := int(upTo / whole * float64(m))
		parts[i], before = end-before, end
	}
}

// mix draws a distribution of classes for each client from Dir(αC·p), then the class of
// each of its rows. A class that has run out is left out of the distribution.
func (p *dirichlet) mix(table counts, classes [][]int, total int, rng *rand.Rand) {
	left, concentration := make([]int, len(classes)), make([]float64, len(classes))
	occur := 0
	for k, rows := range classes {
		left[k] = len(rows)
		occur += min(1, len(rows))
	}
	for k := range classes {
		concentration[k] = p.alpha * float64(occur) * float64(left[k]) / float64(total)
	}
	logs, shares := make([]float64, len(classes)), make([]float64, len(classes))
	n := len(table[0])
	for _, i := range rng.Perm(n) {
		drawLogs(logs, concentration, rng)
		proportions(shares, logs)
		class := distuv.NewCategorical(shares, rng)
		for size := (i+1)*total/n - i*total/n; size > 0; {
			k := int(class.Rand())
			if left[k] == 0 {
				logs[k] = math.Inf(-1)
				proportions(shares, logs)
				class = distuv.NewCategorical(shares, rng)
				continue
			}
			table[k][i]++
			left[k]--
			size--
		}
	}
}

// drawLogs fills logs with the logarithms of a draw from the Dirichlet distribution of the
// given concentrations, up to a constant. A concentration of 0 gives a share of 0.
func drawLogs(logs, concentration []float64, rng *rand.Rand) {
	for i, a := range concentration {
		if a == 0 {
			logs[i] = math.Inf(-1)
			continue
		}
		// Γ(a) is distributed as Γ(a+1)·U^{1/a}. Its logarithm cannot underflow, as Γ(a) does
		// for small a (Marsaglia, Tsang 2000, Section 6).
		g := distuv.Gamma{Alpha: a + 1, Beta: 1, Src: rng}.Rand()
		logs[i] = math.Log(g) - rng.ExpFloat64()/a
	}
}

// proportions fills shares with what has the given logarithms, up to a factor that makes
// the largest share 1. Some logarithm must be finite.
func proportions(shares, logs []float64) {
	top := floats.Max(logs)
	for i, l := range logs {
		shares[i] = math.Exp(l - top)
	}
}
