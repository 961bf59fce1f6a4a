package aggregator

import (
	"cmp"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// meanShift finds clusters of points as scikit-learn's MeanShift does, with a flat kernel and bins
// as seeds:
//
//	D. Comaniciu, P. Meer. Mean Shift: A Robust Approach Toward Feature Space Analysis. IEEE
//	Transactions on Pattern Analysis and Machine Intelligence 24, 2002.
type meanShift struct {
	x         fl.Matrix // a point in each row
	bandwidth float64
}

// bandwidth is the mean distance of points from the last of their nearest ones: half of all
// points, each itself among them.
func bandwidth(x fl.Matrix, room fl.Vector) float64 {
	near, sum := max(1, x.Rows/2), 0.0
	for k := range x.Rows {
		for l := range x.Rows {
			room[l] = x.Row(k).Distance(x.Row(l))
		}
		slices.Sort(room)
		sum += room[near-1]
	}
	return sum / float64(x.Rows)
}

// near reports whether a distance is within the bandwidth. A distance of just as much is,
// whichever way it is rounded.
func (m *meanShift) near(distance float64) bool { return distance <= m.bandwidth*(1+1e-9) }

// A peak is where a seed comes to, with how many points are near it.
type peak struct {
	at     fl.Vector
	points int
}

// centers returns the centers of clusters, those with most points near them first.
func (m *meanShift) centers(r *fl.Round) fl.Matrix {
	seeds := m.seeds(r)
	peaks := make([]peak, 0, seeds.Rows)
	for s := range seeds.Rows {
		at := r.Scratch(m.x.Cols)
		copy(at, seeds.Row(s))
		if points := m.climb(r, at); points > 0 {
			peaks = append(peaks, peak{at, points})
		}
	}
	slices.SortStableFunc(peaks, func(a, b peak) int {
		return cmp.Or(cmp.Compare(b.points, a.points), slices.Compare(b.at, a.at))
	})
	found := fl.Matrix{Cols: m.x.Cols, Data: r.Scratch(len(peaks) * m.x.Cols)}
	for _, p := range peaks {
		alone := true
		for c := range found.Rows {
			alone = alone && !m.near(p.at.Distance(found.Row(c)))
		}
		if alone {
			found.Rows++
			copy(found.Row(found.Rows-1), p.at)
		}
	}
	found.Data = found.Data[:found.Rows*found.Cols]
	return found
}

// seeds are the middles of the bins that have points, or all points where each has its own.
func (m *meanShift) seeds(r *fl.Round) fl.Matrix {
	bins := fl.Matrix{Cols: m.x.Cols, Data: r.Scratch(len(m.x.Data))}
	for k := range m.x.Rows {
		own := fl.Matrix{Cols: bins.Cols, Rows: bins.Rows + 1, Data: bins.Data}.Row(bins.Rows)
		for j, y := range m.x.Row(k) {
			own[j] = math.RoundToEven(y / m.bandwidth)
		}
		known := false
		for b := range bins.Rows {
			known = known || slices.Equal(bins.Row(b), own)
		}
		if !known {
			bins.Rows++
		}
	}
	if bins.Rows == m.x.Rows {
		return m.x
	}
	bins.Data = bins.Data[:bins.Rows*bins.Cols]
	fl.Vector(bins.Data).Scale(m.bandwidth)
	return bins
}

// climb moves a point to the mean of those near it until that changes nothing, and returns how
// many there are.
func (m *meanShift) climb(r *fl.Round, at fl.Vector) (points int) {
	before := r.Scratch(len(at))
	for range 301 {
		copy(before, at)
		at.Fill(0)
		points = 0
		for k := range m.x.Rows {
			if m.near(m.x.Row(k).Distance(before)) {
				at.Add(m.x.Row(k))
				points++
			}
		}
		if points == 0 {
			copy(at, before)
			return 0
		}
		at.Scale(1 / float64(points))
		if at.Distance(before) <= 1e-3*m.bandwidth {
			return points
		}
	}
	return points
}
