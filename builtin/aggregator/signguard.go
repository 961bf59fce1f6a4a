// SignGuard — updates of usual length and of the largest cluster by the signs of their elements.
//
//	J. Xu, S.-L. Huang, L. Song, T. Lan. Byzantine-robust Federated Learning through Collaborative
//	Malicious Gradient Filtering. ICDCS 2022, Algorithm 2 (SignGuard).
//
// Notation: Δₖ = θₖ − θᵗ⁻¹ the n updates, M the median of their norms, L < R bounds; of the signs
// of a random tenth of the elements of Δₖ, pₖ, zₖ and mₖ are the shares of +, 0 and −:
//
//	S₁ = {k: L·M < ‖Δₖ‖ < R·M},
//	S₂ = the largest cluster of the points (pₖ/max p, zₖ/max z, mₖ/max m) by mean shift,
//	θᵗ = θᵗ⁻¹ + η_g/|S|·Σ Δₖ·min(1, M/‖Δₖ‖) over S = S₁ ∩ S₂.
//
// So the model moves by at most η_g·M, which is no more than the longest honest update where less
// than half of the clients are faulty. With L = 0, equal norms and signs alike in numbers it is
// the plain mean.
//
// Departures: none of Algorithm 2 as the official code has it (JianXu95/SignGuard, signguard.py):
// the tenth is one stretch of elements, maxima have 1e-8 added, M of an even number is their mean
// in S₁ and the smaller one where updates are clipped. The bandwidth of mean shift is estimated
// from all clients, not from 50 of them. Where S is empty the model stays as it is, and where all
// points are the same they are one cluster; the official code makes NaN and an error of these.

package aggregator

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// SignGuard describes the aggregator to the registry.
var SignGuard = fl.AggregatorEntry{
	Name:    "signguard",
	Summary: "mean of clipped updates of usual norm, whose signs are like most clients'",
	Paper:   "xu2022signguard",
	Deviations: "the bandwidth is estimated from all clients; without any update left the model " +
		"stays as it is",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &signGuard{
			low:  p.Float("low", 0.1, fl.RightOpen(0, 1), "L, least norm of an update, in medians"),
			high: p.Float("high", 3, fl.Above(1), "R, largest norm of an update, in medians"),
			share: p.Float("share", 0.1, fl.LeftOpen(0, 1), "share of the elements, in one "+
				"stretch, whose signs are counted"),
			rate: newServerRate(p),
		}, nil
	},
}

// signGuard keeps nothing in State.
type signGuard struct {
	low, high float64 // L, R
	share     float64
	rate      *serverRate // η_g
}

var _ fl.Aggregator = (*signGuard)(nil)

// Aggregate implements fl.Aggregator.
func (a *signGuard) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	norms, sorted, w := r.Scratch(n), r.Scratch(n), r.Scratch(n)
	for k := range norms {
		norms[k] = r.Updates[k].Params.Distance(r.Global)
	}
	copy(sorted, norms)
	slices.Sort(sorted)
	middle, smaller := sorted[(n-1)/2]/2+sorted[n/2]/2, sorted[(n-1)/2]
	cluster, largest := largestCluster(r, a.signs(r))
	kept := 0
	for k, norm := range norms {
		if cluster[k] == largest && norm > a.low*middle && norm < a.high*middle {
			w[k] = clipped(norm, smaller)
			kept++
		}
	}
	r.Notes.Observe("share of clients that signguard keeps", float64(kept)/float64(n))
	if kept > 0 {
		w.Scale(a.rate.of(r) / float64(kept))
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// signs returns the shares of +, 0 and − of each update in a random stretch of elements, in the
// largest share that an update has.
func (a *signGuard) signs(r *fl.Round) fl.Matrix {
	d, n := len(r.Global), len(r.Updates)
	count := max(1, int(a.share*float64(d)))
	from := 0
	if count < d {
		from = r.RNG.IntN(d - count)
	}
	x := fl.Matrix{Rows: n, Cols: 3, Data: r.Scratch(3 * n)}
	var most [3]float64
	for k := range r.Updates {
		row := x.Row(k)
		for i, y := range r.Updates[k].Params[from : from+count] {
			switch before := r.Global[from+i]; {
			case y > before:
				row[0]++
			case y < before:
				row[2]++
			default:
				row[1]++
			}
		}
		row.Scale(1 / float64(count))
		for j := range most {
			most[j] = max(most[j], row[j])
		}
	}
	for k := range n {
		for j := range most {
			x.Row(k)[j] /= most[j] + 1e-8
		}
	}
	return x
}

// largestCluster returns the cluster of each point, −1 for none, and which one is the largest, of
// equally large ones the first by density.
func largestCluster(r *fl.Round, x fl.Matrix) (cluster []int, largest int) {
	m := meanShift{x: x, bandwidth: bandwidth(x, r.Scratch(x.Rows))}
	cluster = r.Room(x.Rows)[:x.Rows]
	if m.bandwidth == 0 || math.IsNaN(m.bandwidth) {
		clear(cluster)
		return cluster, 0
	}
	centers := m.centers(r)
	sizes := r.Room(centers.Rows)[:centers.Rows]
	clear(sizes)
	for k := range cluster {
		cluster[k] = -1
		least := math.Inf(1)
		for c := range centers.Rows {
			d := x.Row(k).Distance(centers.Row(c))
			if d < least-1e-9*m.bandwidth { // of two as near, the denser one

				least, cluster[k] = d, c
			}
		}
		if !m.near(least) {
			cluster[k] = -1
			continue
		}
		sizes[cluster[k]]++
	}
	return cluster, slices.Index(sizes, slices.Max(sizes))
}
