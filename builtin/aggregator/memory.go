package aggregator

import (
	"strconv"

	"github.com/hansa-fl/hansa/framework/fl"
)

// latest is a vector of each client that was seen, and their sum, in State: the memory of methods
// for which clients that are absent count by what they sent last. Of clients that were never seen
// nothing is kept, and their vectors are 0.
type latest struct {
	names map[int]string // what State calls a client's vector
}

func newLatest() latest { return latest{names: map[int]string{}} }

// sum returns Σⱼ yⱼ over all clients.
func (l latest) sum(r *fl.Round) fl.Vector { return r.State.Vector("sum", len(r.Global)) }

// of returns yᵢ.
func (l latest) of(r *fl.Round, client int) fl.Vector { return l.named(r, client, len(r.Global)) }

// named returns a client's vector of length n.
func (l latest) named(r *fl.Round, client, n int) fl.Vector {
	name, ok := l.names[client]
	if !ok {
		name = "client " + strconv.Itoa(client)
		l.names[client] = name
	}
	return r.State.Vector(name, n)
}

// renew makes yᵢ of client i scale·(θᵢ − θᵗ⁻¹), for the k-th update, and changes the sum as much.
func (l latest) renew(r *fl.Round, k int, scale float64) {
	y, sum := l.of(r, r.Updates[k].Client), l.sum(r)
	sum.Sub(y)
	copy(y, r.Updates[k].Params)
	y.Sub(r.Global)
	if scale != 1 {
		y.Scale(scale)
	}
	sum.Add(y)
}
