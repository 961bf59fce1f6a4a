// Speeds — seconds by the speed of each client's device and network.
//
//	F. Lai et al. FedScale: Benchmarking Model and System Performance of Federated Learning at
//	Scale. ICML 2022: a client needs the time of its steps and that of what it receives and sends,
//	each by a speed of its own.
//
// Notation: Hᵢ local steps of client i, Dᵢ and Uᵢ bits that it receives and sends; τ the seconds of
// a step, β↓ and β↑ the bits per second, of the median client. Client i needs in round t
//
//	dᵢᵗ = (Hᵢ·τ·sᵢ + (Dᵢ/β↓ + Uᵢ/β↑)·e^{ςyᵢ})·e^{ρzᵢᵗ},   sᵢ = e^{σxᵢ},
//
// with independent standard normal xᵢ, yᵢ, drawn once, and zᵢᵗ, of every round. With distribution =
// "zipf" it is sᵢ = (2kᵢ/(N + 1))^{−a}, with kᵢ uniform in 1 … N, drawn once: seconds follow Zipf's
// law by rank, few clients are much slower than the median one, and 1 is that of the median rank.
// The probability to finish by a deadline T is Φ(ln(T/mᵢ)/ρ), with mᵢ the parentheses. The first of
// the two terms, times the last factor, are the seconds of steps, which partial work shortens.
//
// With no spread and no jitter all clients with as many steps finish at the same time.
//
// Departures: FedScale draws devices from measured ones, with one bandwidth in both directions, and
// counts τ by the sample, with a factor of 3 for the backward pass; speeds are here log-normal, as
// measured ones nearly are. Where seconds follow Zipf's law, Z. Jiang et al. (Pisces, SoCC 2022; by
// their code, SamuelGong/Pisces) shuffle ranks, so that each occurs once, and map k^{−a} to an
// interval; here ranks are independent. Dᵢ and Uᵢ are without messages beside the model and the
// update; Dᵢ is before compression, and Uᵢ where the compressor's codes have no fixed size.

package completion

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Speeds describes the completion model to the registry.
var Speeds = fl.CompletionEntry{
	Name:    "speeds",
	Summary: "seconds by local steps and bits, at log-normal or Zipf speeds of each client",
	Paper:   "lai2022",
	Deviations: "speeds are log-normal, or of independent Zipf ranks, instead of measured; time " +
		"is counted by the step; downloads before compression",
	New: newSpeeds,
	Traits: fl.CompletionTraits{Works: func(params map[string]any) bool {
		step, _ := params["step"].(float64)
		return step > 0
	}},
}

// usualExponent is a where none is given.
const usualExponent = 1.2

// speeds keeps nothing in State: what is drawn once is drawn again.
type speeds struct {
	step     float64 // τ, s
	spread   float64 // σ
	zipf     bool
	exponent float64 // a
	down, up float64 // β, Mbit/s; 0: nothing takes time
	network  float64 // ς
	jitter   jitter
}

var _ fl.Completion = (*speeds)(nil)

func newSpeeds(p *fl.Params) (fl.Completion, error) {
	s := &speeds{
		step: p.Float("step", 0.1, fl.AtLeast(0), "virtual seconds of a local step of the median "+
			"client"),
		spread: p.Float("spread", 1, fl.Closed(0, 10), "standard deviation of the logarithm of a "+
			"step's seconds between clients, drawn once"),
		zipf: p.Choice("distribution", "log-normal", "of the seconds of a step between clients: "+
			"log-normal, or by Zipf's law of ranks", "log-normal", "zipf") == "zipf",
		exponent: p.Float("exponent", usualExponent, fl.Closed(0, 10), "a of Zipf's law: the "+
			"seconds of the client of rank k are proportional to k^−a"),
		down: p.Float("download", 20, fl.AtLeast(0), "Mbit/s that the median client receives; 0: "+
			"receiving takes no time"),
		up: p.Float("upload", 5, fl.AtLeast(0), "Mbit/s that the median client sends; 0: sending "+
			"takes no time"),
		network: p.Float("network_spread", 1, fl.Closed(0, 10), "standard deviation of the "+
			"logarithm of the seconds of both between clients, drawn once"),
		jitter: newJitter(p, 0.25),
	}
	if s.zipf && p.Given("spread") {
		p.Clash("spread", "distribution", "is of log-normal seconds; zipf has an exponent")
	}
	if !s.zipf && s.exponent != usualExponent {
		p.Clash("exponent", "distribution", "is of zipf; log-normal seconds have a spread")
	}
	return s, nil
}

// Finish implements fl.Completion.
func (s *speeds) Finish(f *fl.Finishing) error {
	for k, i := range f.Asked {
		work, sent := s.own(f, i, f.Steps[k], k)
		now := s.jitter.draw(1, f.Draw(i))
		f.After[k], f.Work[k] = (work+sent)*now, work*now
	}
	return nil
}

// Chances implements fl.Completion.
func (s *speeds) Chances(f *fl.Finishing, seconds float64) (fl.Vector, bool) {
	p := f.Scratch(len(f.Asked))
	for k, i := range f.Asked {
		steps := f.Steps[k]
		if f.Partial {
			steps = min(1, steps)
		}
		work, sent := s.own(f, i, steps, k)
		p[k] = s.jitter.within(work+sent, seconds)
	}
	return p, true
}

// own returns the two terms of mᵢ of so many steps of a client, the k-th that is asked.
func (s *speeds) own(f *fl.Finishing, client, steps, k int) (work, sent float64) {
	rng, slow := f.Fixed(client), 0.0
	if s.zipf {
		slow = s.ofRank(1+rng.IntN(f.Roster.N), f.Roster.N)
	} else {
		slow = math.Exp(s.spread * rng.NormFloat64())
	}
	return s.median(steps, f.Down[k], f.Up[k], slow, rng.NormFloat64())
}

// ofRank returns s of the k-th slowest of n clients.
func (s *speeds) ofRank(k, n int) float64 {
	return math.Pow(2*float64(k)/float64(n+1), -s.exponent)
}

// median returns the two terms of m of so many steps and bits, and of s and y.
func (s *speeds) median(steps int, down, up int64, slow, y float64) (work, sent float64) {
	sent = transfer(down, s.down) + transfer(up, s.up)
	return float64(steps) * s.step * slow, sent * math.Exp(s.network*y)
}

// transfer returns the seconds of so many bits at a rate in Mbit/s.
func transfer(bits int64, rate float64) float64 {
	if rate == 0 {
		return 0
	}
	return float64(bits) / (1e6 * rate)
}
