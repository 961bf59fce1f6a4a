package kernel

// sinkhornFours does the pass for as many rows as there are in whole fours, if rows are made of
// whole registers of AVX-512, and returns how many it did.
func sinkhornFours(p path, u, ktu, k []float64, va [2][]float64) (done int) {
	v, a := va[0], va[1]
	done = len(u) &^ 3
	if p != avx512 || len(v) == 0 || len(v)%8 > 0 || done == 0 {
		return 0
	}
	sinkhorn64AVX512(u[:done], ktu, k, v, a)
	return done
}
