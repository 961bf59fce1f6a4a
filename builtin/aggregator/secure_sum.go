package aggregator

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
)

// secureWaives are the checks that distributed noise fails on purpose.
var secureWaives = map[string]string{
	"consensus": "clients round at random and add noise to what they agree on",
	"numbering": "each client draws from a stream of its own",
}

// A secureSum is the aggregator of clients that send integers with noise of a law. It keeps nothing
// in State.
type secureSum struct {
	clippedSum
	shares fl.Shares
	rate   *serverRate // η_g

	rotation privacy.Rotation
	sum      *privacy.RingSum
	noise    *noiseShare
	integers []int64
	own      *fl.ReseedableRand
}

var _ fl.Aggregator = (*secureSum)(nil)

// newSecureSum declares the aggregator with the law of shares.
func newSecureSum(p *fl.Params, law string) *secureSum {
	a := &secureSum{
		clippedSum: newClippedSum(p, "z, standard deviation of the noise on the sum, in clipping "+
			"radii"),
		own: fl.NewReseedableRand(),
	}
	a.shares = fl.Shares{Law: law,
		Bits: p.Int("bits", 16, fl.Closed(2, 32), "b, of an element of the sum: clients send "+
			"integers modulo 2ᵇ"),
		Range: p.Float("range", 4, fl.Above(0), "k, how many standard deviations of a coordinate "+
			"of the sum the elements hold"),
		Bias: p.Float("bias", math.Exp(-0.5), fl.RightOpen(0, 1), "β, with which probability at "+
			"most rounding is repeated until its norm is short; 0: never"),
		Clients: p.Int("clients", 0, fl.AtLeast(0), "n, the largest cohort; 0: the denominator, "+
			"rounded up"),
	}
	a.rate = newServerRate(p)
	return a
}

// secureTraits returns the traits of a secureSum.
func secureTraits(law string) fl.AggregatorTraits {
	return fl.AggregatorTraits{
		Private: func(params fl.Resolved) fl.Release {
			n := params.Int("clients")
			if n == 0 {
				n = int(math.Ceil(params.Float("denominator")))
			}
			return fl.Release{Noise: params.Float("noise"), Shares: &fl.Shares{Law: law,
				Clients: n, Bits: params.Int("bits"), Range: params.Float("range"),
				Bias: params.Float("bias")}}
		},
		Coded: func(params fl.Resolved, numbers int) int {
			return params.Int("bits") * privacy.Padded(numbers)
		},
	}
}

// Aggregate implements fl.Aggregator.
func (a *secureSum) Aggregate(r *fl.Round) (fl.Outcome, error) {
	m, err := a.denominator(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	d, err := a.mechanism(m, len(r.Global))
	if err != nil {
		return fl.Outcome{}, err
	}
	if n := len(r.Updates); n > d.Clients {
		return fl.Outcome{}, fmt.Errorf("a cohort of %d clients, and shares are for %d at most: "+
			"give clients", n, d.Clients)
	}
	out, err := a.add(r, d, m)
	if err != nil {
		return fl.Outcome{}, err
	}
	weights := out.Weights
	out, err = a.rate.Step(r, out.Params)
	keepVariances(r, out.Params)
	out.Weights = weights
	return out, err
}

// mechanism returns how clients share the noise.
func (a *secureSum) mechanism(m float64, dim int) (privacy.Distributed, error) {
	d := privacy.Distributed{Skellam: a.shares.Law == fl.Skellam, Noise: a.clippedSum.noise,
		Clients: a.shares.Clients, Dim: privacy.Padded(dim), Bits: a.shares.Bits,
		Range: a.shares.Range, Bias: a.shares.Bias}
	if d.Clients == 0 {
		d.Clients = int(math.Ceil(m))
	}
	return d, d.Check()
}

// add returns θᵗ⁻¹ plus the sum of clients over m.
func (a *secureSum) add(r *fl.Round, d privacy.Distributed, m float64) (fl.Outcome, error) {
	n := len(r.Updates)
	ring := privacy.WrappingRing(1<<d.Bits, d.Scale()/a.clip, d.Clients)
	if a.sum == nil || len(a.integers) != d.Dim {
		a.sum, a.integers = ring.NewSum(d.Dim), make([]int64, d.Dim)
	}
	a.sum.Reset(ring)
	a.rotation.Draw(len(r.Global), r.RNG)
	clients := fl.NewStream(r.RNG.Uint64(), "shares")
	if err := a.share(d, n); err != nil {
		return fl.Outcome{}, err
	}
	x, weights, within := r.Scratch(d.Dim), r.Scratch(n), 0
	for k := range r.Updates {
		clear(x)
		factor, whole := a.take(x[:len(r.Global)], r, k)
		if weights[k] = factor / m; whole {
			within++
		}
		a.rotation.Apply(x)
		if err := a.send(ring, x, d, a.own.Open(clients.At(r.T, r.Updates[k].Client))); err != nil {
			return fl.Outcome{}, err
		}
	}
	if err := ring.Decode(x, a.sum.Elements()); err != nil {
		return fl.Outcome{}, err
	}
	a.rotation.Undo(x)
	next := x[:len(r.Global)]
	next.Scale(1 / m)
	next.Add(r.Global)
	if n > 0 {
		r.Notes.Observe("share of updates clipped", 1-float64(within)/float64(n))
		r.Notes.Observe("share of coordinates that wrapped around",
			float64(a.sum.Wrapped())/float64(d.Dim))
	}
	if a.blocks {
		weights = nil
	}
	return fl.Outcome{Params: next, Weights: weights}, nil
}

// send rounds what a client has to integers that are short enough, adds its share of the noise, and
// adds the result to the sum.
func (a *secureSum) send(ring *privacy.Ring, x fl.Vector, d privacy.Distributed,
	rng *rand.Rand,
) error {
	longest := d.Norm()
	for {
		if _, err := ring.Quantise(a.integers, x, rng); err != nil {
			return err
		}
		square := 0.0
		for _, v := range a.integers {
			square += float64(v) * float64(v)
		}
		if square <= longest*longest || d.Bias == 0 {
			break
		}
	}
	if err := a.noise.add(a.integers, rng); err != nil {
		return err
	}
	return a.sum.Add(a.integers)
}

// share readies the noise of each of so many clients.
func (a *secureSum) share(d privacy.Distributed, clients int) (err error) {
	variance := d.Variance() / float64(max(clients, 1))
	if a.noise == nil || a.noise.variance != variance {
		a.noise, err = newNoiseShare(d.Skellam, variance)
	}
	return err
}

// A noiseShare is the noise of one client.
type noiseShare struct {
	variance float64
	discrete *privacy.DiscreteGaussian // nil: Skellam, or none
}

// newNoiseShare returns noise of a variance, or of one that is more by a rounding.
func newNoiseShare(skellam bool, variance float64) (n *noiseShare, err error) {
	n = &noiseShare{variance: variance}
	if skellam || variance == 0 {
		return n, nil
	}
	for under := uint64(1 << 20); ; under /= 2 {
		n.discrete, err = privacy.NewDiscreteGaussian(
			uint64(math.Ceil(variance*float64(under))), under)
		if err == nil {
			return n, nil
		}
		if under == 1 {
			return n, fmt.Errorf("%w: fewer bits make it smaller", err)
		}
	}
}

// add adds noise to integers.
func (n *noiseShare) add(to []int64, rng *rand.Rand) error {
	switch {
	case n.variance == 0:
		return nil
	case n.discrete != nil:
		for i := range to {
			to[i] += n.discrete.Draw(rng)
		}
		return nil
	}
	for i := range to {
		x, err := privacy.Skellam(n.variance, rng)
		if err != nil {
			return err
		}
		to[i] += x
	}
	return nil
}
