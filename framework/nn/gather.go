package nn

import "github.com/hansa-fl/hansa/framework/kernel"

// Gather makes a batch of the given rows of x, all rows when nil: float32, NHWC. The rows of
// x hold a sample each, in the order of data sets: channels one after another. The batch
// belongs to the tape and lives until the next Gather.
func (t *Tape) Gather(x []float64, rows []int) []float32 {
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
func interleave(dst []float32, src []float64, channels int) {
	pixels := len(src) / channels
	if channels == 1 || pixels == 1 {
		kernel.Narrow(dst, src)
		return
	}
	for c := range channels {
		for i, v := range src[c*pixels : (c+1)*pixels] {
			dst[i*channels+c] = float32(v)
		}
	}
}
