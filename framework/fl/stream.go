package fl

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// A Stream is the address of a random stream: a seed and the purpose of the
// randomness. Purposes are words — "data", "partition", "init", "availability",
// "selection", "client", "server" — so that methods compared at one seed share data,
// cohorts and initial model, and adding a method disturbs no other.
//
// A stream is counter-based: At addresses one of 2¹²⁸ generators directly, so nothing
// depends on the order in which rounds and clients are visited.
type Stream struct{ lo, hi uint64 }

// NewStream returns the stream with the given seed and purpose.
func NewStream(seed uint64, purpose string) Stream {
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	h.Write(b[:])
	h.Write([]byte(purpose))
	sum := h.Sum(nil)
	return Stream{binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])}
}

// At returns the address of the generator for round t and client i. Without a round or a client,
// pass 0.
func (s Stream) At(t, i int) Stream {
	// Two rounds of a 64-bit finaliser per counter: enough that neighbouring counters
	// share nothing, cheap enough to be free beside one gradient step.
	lo := mix(s.lo + mix(uint64(t)+0x9e3779b97f4a7c15))
	hi := mix(s.hi + mix(uint64(t)+0xd1b54a32d192ed03))
	return Stream{
		lo: mix(lo + mix(uint64(i)+0x8cb92ba72f3d8dd7)),
		hi: mix(hi + mix(uint64(i)+0xaef17502108ef2d9)),
	}
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014; variant 13 of
// Stafford): a bijection whose every output bit depends on every input bit.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Rand returns a new generator at this address.
func (s Stream) Rand() *rand.Rand { return rand.New(rand.NewPCG(s.lo, s.hi)) }

// A ReseedableRand is a generator that moves from one address to another without allocating.
// Opening it is free until the first draw.
type ReseedableRand struct {
	rng    *rand.Rand
	pcg    rand.PCG
	at     Stream
	seeded bool
}

// NewReseedableRand returns a generator; Open must be called before its first use.
func NewReseedableRand() *ReseedableRand {
	t := new(ReseedableRand)
	t.rng = rand.New(t)
	return t
}

// Open returns the generator, moved to the beginning of the stream at s. The
// generator returned by an earlier Open is the same one.
func (t *ReseedableRand) Open(s Stream) *rand.Rand {
	t.at, t.seeded = s, false
	return t.rng
}

// Uint64 is what the generator draws from.
func (t *ReseedableRand) Uint64() uint64 {
	if !t.seeded {
		t.pcg.Seed(t.at.lo, t.at.hi)
		t.seeded = true
	}
	return t.pcg.Uint64()
}
