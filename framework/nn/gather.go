package nn

// Gather makes a batch of the given rows of x, all rows when nil: float32, NHWC. The rows of
// x hold a sample each, in the order of data sets: channels one after another. The batch
// belongs to the tape and lives until the next Gather.
func Gather[F float32 | float64](t *Tape, x []F, rows []int) []float32 {
	in := t.net.in
	size := in.Len()
	n := len(rows)
	if rows == nil {
		n = len(x) / size
	}
	if len(t.input) < n*size {
		t.input = make([]float32, n*size)
	}
	batch := t.input[:n*size]
	for k := range n {
		row := k
		if rows != nil {
			row = rows[k]
		}
		interleave(batch[k*size:(k+1)*size], x[row*size:(row+1)*size], in.C)
	}
	return batch
}

// interleave turns one image from channels first to channels last.
func interleave[F float32 | float64](dst []float32, src []F, channels int) {
	pixels := len(src) / channels
	if channels == 1 || pixels == 1 {
		for i, v := range src {
			dst[i] = float32(v)
		}
		return
	}
	for c := range channels {
		for i, v := range src[c*pixels : (c+1)*pixels] {
			dst[i*channels+c] = float32(v)
		}
	}
}
