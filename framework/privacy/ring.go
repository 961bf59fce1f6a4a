// Secure aggregation as arithmetic: sums of fixed-point numbers in a finite ring.
//
// Bonawitz et al. (2017) "Practical Secure Aggregation for Privacy-Preserving Machine Learning",
// CCS: masks that cancel in pairs; Bonawitz et al. (2019) "Federated Learning with Autotuned
// Communication-Efficient Secure Aggregation": fixed point. No cryptography: what a server could
// learn from a message is not the question here, only what it can compute from the sum.
//
// Notation: R integers from 0 to R − 1, added modulo R: a prime, or a power of two; C the bound of
// a coordinate, s integers to a unit, n the clients.
//
//	encode   k = round(s · min(max(x, −C), C)) mod R, the nearest integer or one of the two
//	         neighbours, with the mean x
//	sum      Σ k mod R
//	decode   the representative in (−R/2, R/2), divided by s
//
// The sum is that of the integers, exactly, if n · ⌈s·C⌉ < R/2. Against the sum of clipped numbers
// it errs by at most n/2s with the nearest integer and by less than n/s otherwise, in every
// coordinate.
package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Ring is a finite ring with a fixed point: what Encode, Sum and Decode agree on.
type Ring struct {
	Modulus uint64  // R
	Bound   float64 // C
	Scale   float64 // s
	Clients int     // n, at most
}

const (
	mostModulus = 1 << 62 // keeps the sum of two elements within 64 bits
	mostInteger = 1 << 50 // of one coordinate: float64 holds its neighbours and a fraction of them
)

// NewRing returns a ring in which the numbers of clients, each at most bound in magnitude, are
// added with scale integers to a unit. It refuses one in which their sum could wrap around.
func NewRing(modulus uint64, bound, scale float64, clients int) (*Ring, error) {
	switch {
	case modulus < 3 || modulus > mostModulus:
		return nil, fmt.Errorf("the modulus is %d: it must lie between 3 and 2^62", modulus)
	case !(bound > 0) || math.IsInf(bound, 1):
		return nil, fmt.Errorf("the bound is %v: it must be positive and finite", bound)
	case !(scale > 0) || math.IsInf(scale, 1):
		return nil, fmt.Errorf("the scale is %v: it must be positive and finite", scale)
	case clients < 1:
		return nil, fmt.Errorf("%d clients: there must be at least 1", clients)
	}
	largest := math.Ceil(scale * bound)
	if largest > mostInteger {
		return nil, fmt.Errorf("the bound is %.3g integers: float64 rounds no more than 2^50 well",
			largest)
	}
	if reach := float64(clients) * largest; !(reach < float64(modulus)/2) {
		return nil, fmt.Errorf("the sum of %d clients can reach %.0f, and wraps around from %d "+
			"on: a larger modulus, a smaller scale or a smaller bound is needed",
			clients, reach, (modulus+1)/2)
	}
	return &Ring{Modulus: modulus, Bound: bound, Scale: scale, Clients: clients}, nil
}

// WrappingRing returns a ring in which the sum of clients may wrap around, where RingSum sees it,
// and no coordinate is clipped.
func WrappingRing(modulus uint64, scale float64, clients int) *Ring {
	return &Ring{Modulus: modulus, Bound: math.Inf(1), Scale: scale, Clients: clients}
}

// LargestScale returns the largest scale with which NewRing accepts the other numbers: the finest
// fixed point that cannot wrap around; 0 when there is none.
func LargestScale(modulus uint64, bound float64, clients int) float64 {
	most := ((max(modulus, 1)+1)/2 - 1) / uint64(max(clients, 1)) // of ⌈s·C⌉
	most = min(most, mostInteger)
	scale := float64(most) / bound
	for scale > 0 && math.Ceil(scale*bound) > float64(most) {
		scale = math.Nextafter(scale, 0)
	}
	return scale
}

// Quantise writes the integers of x to dst and returns how many coordinates were clipped. With a
// generator it rounds to one of the two neighbours such that the mean is x, without one to the
// nearest integer, halves to even.
func (r *Ring) Quantise(dst []int64, x tensor.Vector, rng *rand.Rand) (clipped int, err error) {
	if len(dst) != len(x) {
		return 0, fmt.Errorf("%d integers for %d coordinates", len(dst), len(x))
	}
	for i, v := range x {
		if math.IsNaN(v) {
			return 0, fmt.Errorf("coordinate %d is not a number", i)
		}
		if math.Abs(v) > r.Bound {
			clipped++
			v = math.Copysign(r.Bound, v)
		}
		v *= r.Scale
		if rng == nil {
			dst[i] = int64(math.RoundToEven(v))
			continue
		}
		low := math.Floor(v)
		dst[i] = int64(low)
		if rng.Float64() < v-low {
			dst[i]++
		}
	}
	return clipped, nil
}

// Error returns the largest error of a coordinate of the decoded sum of clients, against the sum of
// the clipped numbers.
func (r *Ring) Error(clients int, stochastic bool) float64 {
	if stochastic {
		return float64(clients) / r.Scale
	}
	return float64(clients) / (2 * r.Scale)
}

// Wrap writes integers as elements of the ring.
func (r *Ring) Wrap(dst []uint64, k []int64) error {
	if len(dst) != len(k) {
		return fmt.Errorf("%d elements for %d integers", len(dst), len(k))
	}
	m := int64(r.Modulus)
	for i, v := range k {
		if v %= m; v < 0 {
			v += m
		}
		dst[i] = uint64(v)
	}
	return nil
}

// Add adds elements to dst, modulo the modulus.
func (r *Ring) Add(dst, elements []uint64) error {
	if len(dst) != len(elements) {
		return fmt.Errorf("%d elements for a sum of %d", len(elements), len(dst))
	}
	for i, e := range elements {
		if e >= r.Modulus || dst[i] >= r.Modulus {
			return r.foreign(i)
		}
		if dst[i] += e; dst[i] >= r.Modulus {
			dst[i] -= r.Modulus
		}
	}
	return nil
}

// foreign is the error of a coordinate that holds no element.
func (r *Ring) foreign(i int) error {
	return fmt.Errorf("coordinate %d: an element must be less than the modulus %d", i, r.Modulus)
}

// Decode writes the numbers that elements stand for.
func (r *Ring) Decode(dst tensor.Vector, elements []uint64) error {
	if len(dst) != len(elements) {
		return fmt.Errorf("%d coordinates for %d elements", len(dst), len(elements))
	}
	for i, e := range elements {
		dst[i] = float64(r.centred(e)) / r.Scale
	}
	return nil
}

// centred returns the representative of an element in (−R/2, R/2].
func (r *Ring) centred(e uint64) int64 {
	if e > r.Modulus/2 {
		return int64(e) - int64(r.Modulus)
	}
	return int64(e)
}

// A RingSum adds the vectors of clients in a ring and, beside it, as integers: what a simulation
// can know and a server cannot. It tells when the two differ.
type RingSum struct {
	ring    *Ring
	element []uint64
	integer []int64
	buffer  []uint64
	clients int
}

// NewSum returns an empty sum of dim coordinates.
func (r *Ring) NewSum(dim int) *RingSum {
	return &RingSum{ring: r, element: make([]uint64, dim), integer: make([]int64, dim),
		buffer: make([]uint64, dim)}
}

// Reset empties the sum, of a ring that may be another one.
func (s *RingSum) Reset(of *Ring) {
	s.ring, s.clients = of, 0
	clear(s.element)
	clear(s.integer)
}

// ErrTooMany is the error of a sum that the ring was not made for.
var ErrTooMany = errors.New("more clients than the ring is made for: the sum may wrap around")

// Add adds the integers of a client, which may include noise.
func (s *RingSum) Add(k []int64) error {
	if s.clients >= s.ring.Clients {
		return ErrTooMany
	}
	if err := s.ring.Wrap(s.buffer, k); err != nil {
		return err
	}
	const most = math.MaxInt64 / 2
	for i, v := range k {
		if v > most || v < -most || s.integer[i] > most || s.integer[i] < -most {
			return fmt.Errorf("coordinate %d: the integer %d is too large to be added", i, v)
		}
	}
	for i, v := range k {
		s.integer[i] += v
	}
	s.clients++
	return s.ring.Add(s.element, s.buffer)
}

// Wrapped returns how many coordinates of the sum left the range of the ring. Without noise there
// are none; unbounded noise, or integers larger than the bound, may cause some.
func (s *RingSum) Wrapped() int {
	count := 0
	for i, e := range s.element {
		if s.ring.centred(e) != s.integer[i] {
			count++
		}
	}
	return count
}

// Elements returns the sum in the ring.
func (s *RingSum) Elements() []uint64 { return s.element }

// Mask adds the masks of client me to elements: for every other client of the list a vector of
// uniform elements that both draw from the generator of their pair, which one of them adds and the
// other subtracts. The sum over all clients of the list is as if there were no masks, exactly.
// The generator is asked for with the smaller client first.
func (r *Ring) Mask(elements []uint64, me int, clients []int,
	pair func(small, large int) *rand.Rand,
) error {
	for i, e := range elements {
		if e >= r.Modulus {
			return r.foreign(i)
		}
	}
	for _, other := range clients {
		if other == me {
			continue
		}
		rng := pair(min(me, other), max(me, other))
		for i, e := range elements {
			mask := rng.Uint64N(r.Modulus)
			if me > other {
				mask = (r.Modulus - mask) % r.Modulus
			}
			elements[i] = (e + mask) % r.Modulus
		}
	}
	return nil
}
