package contract

import "github.com/hansa-fl/hansa/framework/fl"

// blind is a worker whose gradient at rows is replaced.
type blind struct {
	fl.Worker
	gradient func(dst fl.Matrix, params fl.Vector, slopes fl.Matrix)
}

func (b blind) InputGradient(dst fl.Matrix, params fl.Vector, _, slopes fl.Matrix,
	_ float64) (distance float64) {
	b.gradient(dst, params, slopes)
	return 0
}

// blinding is a line with such a worker.
func blinding(found string, gradient func(dst fl.Matrix, params fl.Vector,
	slopes fl.Matrix)) citizen[fl.Model] {
	return bending("inputs", found, bent{worker: func(w fl.Worker) fl.Worker {
		return blind{w, gradient}
	}})
}

// blindModels are lines whose scores have other gradients at rows than they say.
func blindModels() []citizen[fl.Model] {
	right := func(dst fl.Matrix, params fl.Vector, slopes fl.Matrix) {
		w := fl.Matrix{Rows: slopes.Cols, Cols: dst.Cols, Data: params[:slopes.Cols*dst.Cols]}
		for r := range dst.Rows {
			for c, s := range slopes.Row(r) {
				dst.Row(r).AddScaled(s, w.Row(c))
			}
		}
	}
	return []citizen[fl.Model]{
		blinding("point 1: off by", func(dst fl.Matrix, params fl.Vector, slopes fl.Matrix) {
			right(dst, params, slopes)
			dst.Row(3)[0] += 1
		}),
		blinding("point 1: off by", func(dst fl.Matrix, params fl.Vector, slopes fl.Matrix) {
			clear(dst.Data)
			right(dst, params, slopes)
		}),
	}
}
