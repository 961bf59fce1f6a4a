package model

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

var (
	_ fl.InputWorker = (*netWorker)(nil)
	_ fl.InputWorker = (*softmaxWorker)(nil)
)

// InputGradient implements fl.InputWorker. All rows run at once, whatever there are, for batch
// norms compare all of them with their running statistics.
func (k *netWorker) InputGradient(dst fl.Matrix, params fl.Vector, x, slopes fl.Matrix,
	weight float64) (distance float64) {
	k.take(params)
	_, distance = k.tape.Match(k.params, k.tape.Gather(x.Data, nil), x.Rows, weight)
	kernel.Narrow(k.tape.ScoreSlopes(), slopes.Data)
	k.model.net.In().AddRows(dst.Data, k.tape.BackwardInput(nil, k.params))
	return distance
}

// InputGradient implements fl.InputWorker: slopes·W, or where scores are the softmax p of W·x + b,
// slopes·(Diag(p) − ppᵀ)·W. There are no batch norms.
func (k *softmaxWorker) InputGradient(dst fl.Matrix, params fl.Vector, x, slopes fl.Matrix,
	_ float64) (distance float64) {
	w, _ := k.model.split(params)
	for lo := 0; lo < x.Rows; lo += together {
		hi := min(lo+together, x.Rows)
		at := k.room(hi - lo)
		if copy(at, slopes.Slice(lo, hi).Data); k.model.double {
			k.prob = append(k.prob[:0], at...)
			k.block(k.prob, params, x.Slice(lo, hi))
			k.through(at)
		}
		kernel.Gemm64(&k.space, kernel.RowMajor(dst.Slice(lo, hi).Data, hi-lo, dst.Cols),
			kernel.RowMajor(at, hi-lo, w.Rows), kernel.RowMajor(w.Data, w.Rows, w.Cols), true)
	}
	return 0
}
