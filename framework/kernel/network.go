package kernel

// A Network orders many columns side by side: it moves the numbers of each of them to the rows of
// their ranks. It is a list of comparators of rows, each of which does what Exchange does.
type Network struct {
	rows, width int
	pairs       []int32 // of rows, by the bytes at which they begin in a block
}

// NewNetwork returns a network for blocks of so many rows, as wide as a multiple of 8, that puts
// the numbers of rank lo to hi, without hi, into the rows lo to hi. Smaller ones are in the rows
// before them afterwards and larger ones after them, in no order. The network is kept in room, and
// is allocated if there is not enough.
//
// It is Batcher's merge exchange (Knuth, TAOCP vol. 3, 5.2.2, Algorithm M) without the comparators
// that none of these ranks depends on.
func NewNetwork(room []int32, rows, width, lo, hi int) Network {
	fit(width%8 == 0 && lo >= 0 && lo < hi && hi <= rows && rows*width <= 1<<28)
	pairs, top := room[:0], 1
	for 2*top < rows {
		top *= 2
	}
	for p := top; p > 0; p /= 2 {
		q, r, d := top, 0, p
		for {
			for i := 0; i+d < rows; i++ {
				if i&p == r {
					pairs = append(pairs, int32(i), int32(i+d))
				}
			}
			if q == p {
				break
			}
			d, q, r = q-p, q/2, p
		}
	}
	return Network{rows, width, prune(pairs, rows, 8*width, lo, hi)}
}

// fewRows is up to how many rows prune needs no room but the stack.
const fewRows = 512

// prune keeps those of a list of comparators that the rows lo to hi depend on, and replaces rows by
// the bytes at which they begin.
func prune(pairs []int32, rows, bytes, lo, hi int) []int32 {
	var room [fewRows]bool
	wanted := room[:]
	if rows > fewRows {
		wanted = make([]bool, rows)
	}
	for k := lo; k < hi; k++ {
		wanted[k] = true
	}
	first := len(pairs)
	for k := len(pairs) - 2; k >= 0; k -= 2 {
		if i, j := pairs[k], pairs[k+1]; wanted[i] || wanted[j] {
			wanted[i], wanted[j] = true, true
			first -= 2
			pairs[first], pairs[first+1] = i*int32(bytes), j*int32(bytes)
		}
	}
	return pairs[first:]
}

// Sort applies the network to a block, row after row.
func (n Network) Sort(block []float64) {
	fit(len(block) >= n.rows*n.width)
	n.sort(active, block)
}

func (n Network) sort(p path, block []float64) {
	if n.width > 0 && len(n.pairs) > 0 {
		network64(p, block, n.width, n.pairs)
	}
}

// networkGeneric exchanges the rows that begin at bytes pairs[2k] and pairs[2k+1].
func networkGeneric(room []float64, width int, pairs []int32) {
	for k := 0; k < len(pairs); k += 2 {
		exchangeGeneric(room[pairs[k]/8:][:width], room[pairs[k+1]/8:][:width])
	}
}

// AddBetween adds to sum[i] the number x[i] if it is nearer to c[i] than below[i] is, and not
// farther from it than above[i]: if c[i] − below[i] > x[i] − c[i] and not c[i] − x[i] > above[i] −
// c[i]. Of numbers that ascend, below and above are as many ranks away from x as are nearest to c
// and are added.
func AddBetween(sum, below, x, above, c []float64) {
	n := len(sum)
	fit(len(below) == n && len(x) == n && len(above) == n && len(c) == n)
	between64(active, sum, below, x, above, c)
}

// betweenGeneric is AddBetween. A sum that began as +0 is never −0, so that it does not matter that
// the other paths add +0 or nothing.
func betweenGeneric(sum, below, x, above, c []float64) {
	n := len(sum)
	below, x, above, c = below[:n], x[:n], above[:n], c[:n]
	for i, number := range x {
		center := c[i]
		if center-below[i] > number-center && !(center-number > above[i]-center) {
			sum[i] += number
		}
	}
}
