package fast

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// DnC describes the aggregator.
var DnC = fl.AggregatorEntry{
	Name:    "dnc",
	Summary: "the mean of updates that do not stick out along the direction of most variance",
	Paper:   "V. Shejwalkar, A. Houmansadr, NDSS 2021: divide and conquer",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &dnc{
			faulty: declareFaulty(p),
			times:  p.Int("iterations", 1, fl.AtLeast(1), "how often coordinates are drawn"),
			width:  p.Int("b", 1000, fl.AtLeast(1), "b, coordinates that are drawn"),
		}, nil
	},
}

type dnc struct{ faulty, times, width int }

// Aggregate returns the mean of the models that were never among the f farthest.
func (a *dnc) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	f := min(a.faulty, (n-1)/2)
	w, share := equal(r), equal(r)
	some, few := make([]int, 0, a.width), min(a.width, len(r.Global))
	part, gram, scores := tensor.NewMatrix(n, few), tensor.NewMatrix(n, n), r.Scratch(n)
	var e tensor.Eigen
	for range a.times {
		some = stats.DrawUniform(some[:0], len(r.Global), few, r.RNG)
		var rows [][]float64
		mean := r.Scratch(few)
		for k, u := range r.Updates {
			tensor.Gather(part.Row(k), u.Params, some)
			rows = append(rows, part.Row(k))
		}
		mean.AddWeighted(share, rows)
		for k := range n {
			part.Row(k).Sub(mean)
		}
		tensor.Gram(gram, rows)
		// Along v, the first right singular vector, model k lies at σuₖ.
		_, left, err := e.Factor(gram)
		if err != nil {
			return fl.Outcome{}, err
		}
		copy(scores, left.Row(n-1))
		scores.Abs()
		for _, k := range tensor.ArgSortDescending(nil, scores)[:f] {
			w[k] = 0
		}
	}
	if w.Sum() == 0 {
		return fl.Outcome{}, errAllFar
	}
	w.Scale(1 / w.Sum())
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

var errAllFar = errors.New("every update was among the farthest once")
