package fl

// A SampleWorker is a Worker that has a faster way to the losses of single samples than Loss of
// each.
type SampleWorker interface {
	Worker
	// SampleLosses sets dst to the loss of each row of d alone, regularisation included.
	SampleLosses(dst, params Vector, d *Dataset)
}

// SampleLosses sets dst, of a number for each row of d, to the losses of single rows, by a Worker
// of any model.
func SampleLosses(w Worker, dst, params Vector, d *Dataset) {
	if fast, ok := w.(SampleWorker); ok {
		fast.SampleLosses(dst, params, d)
		return
	}
	for row := range dst {
		one := d.Rows(row, row+1)
		dst[row] = w.Loss(params, &one)
	}
}
