// Quantity — clients differ in how many rows they have, and in nothing else.
//
//	dirichlet: shares of the rows are a draw from Dir(α·1).
//	Q. Li, Y. Diao, Q. Chen, B. He. Federated Learning on Non-IID Data Silos: An Experimental
//	Study. ICDE 2022, Section 4.3 (quantity skew).
//
//	log-normal: shares are in proportion to exp(σZ), Z normal.
//	power-law: the client that is r-th by size has a share in proportion to r^−e.
//	T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith. Federated Optimization
//	in Heterogeneous Networks. MLSys 2020, Section 5.1: sizes that follow a power law.
//
// Notation: N clients, n rows.
//
// Rows are shuffled before they are cut, so that labels differ by chance alone. Which client is the
// largest is drawn, too.
//
// Departures: shares are rounded down to rows; clients that would have fewer than min_size get the
// rest from the largest ones. The sizes of T. Li et al. are a number of rows plus a log-normal one;
// here the whole is given, and only shares are drawn.

package partition

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Quantity describes the partition to the registry.
var Quantity = fl.PartitionerEntry{
	Name:       "quantity",
	Summary:    "gives clients different numbers of rows, at random",
	Paper:      "li2022",
	Deviations: "shares are rounded, and min_size is met by moving rows from the largest clients",
	New:        newQuantity,
	Traits:     fl.PartitionTraits{Packed: true},
	Example:    map[string]any{"kind": "power-law"},
}

const (
	dirichletSizes = "dirichlet"
	logNormalSizes = "log-normal"
	powerLawSizes  = "power-law"
)

type quantity struct {
	kind    string
	shape   float64 // α, σ or e
	minSize int     // rows of every client, [1, ∞)
}

var _ fl.Partitioner = (*quantity)(nil)

func newQuantity(p *fl.Params) (fl.Partitioner, error) {
	q := &quantity{
		kind: p.Choice("kind", "", "of which distribution shares of the rows are",
			dirichletSizes, logNormalSizes, powerLawSizes),
		minSize: p.Int("min_size", 1, fl.AtLeast(1), "least rows of a client"),
	}
	alpha := p.Float("alpha", 0.5, fl.Closed(1e-6, 1e6), "α of dirichlet; the smaller, the more "+
		"skewed; other kinds ignore it")
	sigma := p.Float("sigma", 1, fl.Closed(0, 20), "σ of log-normal; 0: equal sizes; "+
		"other kinds ignore it")
	exponent := p.Float("exponent", 1, fl.Closed(0, 20), "e of power-law; 0: equal sizes; "+
		"other kinds ignore it")
	q.shape = map[string]float64{dirichletSizes: alpha, logNormalSizes: sigma,
		powerLawSizes: exponent}[q.kind]
	return q, nil
}

// Split draws the sizes of clients, and assigns shuffled rows.
func (q *quantity) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	if err := enough(d, n); err != nil {
		return nil, err
	}
	if q.minSize > d.Len()/n {
		return nil, fmt.Errorf("min_size: %d rows for each of %d clients are more than all %d",
			q.minSize, n, d.Len())
	}
	shares := make([]float64, n)
	q.draw(shares, rng)
	proportions(shares, shares)
	table, all := newCounts(1, n), make([]int, d.Len())
	divide(table[0], d.Len(), shares)
	table.repair(q.minSize)
	for r := range all {
		all[r] = r
	}
	return table.deal([][]int{all}, d.Len(), rng), nil
}

// draw fills logs with the logarithms of shares, up to a constant.
func (q *quantity) draw(logs []float64, rng *rand.Rand) {
	switch q.kind {
	case dirichletSizes:
		for i := range logs {
			logs[i] = q.shape
		}
		drawLogs(logs, logs, rng)
	case logNormalSizes:
		for i := range logs {
			logs[i] = q.shape * rng.NormFloat64()
		}
	case powerLawSizes:
		for rank, i := range rng.Perm(len(logs)) {
			logs[i] = -q.shape * math.Log(float64(rank+1))
		}
	}
}
