package fl

import "math/rand/v2"

// A Compressor says in which bits an update is sent, and what the server makes of these. It is
// called by several goroutines at once and keeps nothing but k.State.
//
// Encode appends the code of k.In to k.Code. Decode reads all of the code, and sets k.Out, which is
// zero before: it sees neither In nor State nor RNG, which are the client's.
//
// What an update costs is the length of its code. A component does not say it.
type Compressor interface {
	Encode(k *Coding) error
	Decode(k *Coding) error

	// Guarantee returns what holds of every vector of n numbers, or false where nothing does.
	Guarantee(n int) (g Guarantee, known bool)
}

// A Direct is a Compressor that can do without a code: Compress sets k.Out to what Decode makes of
// what Encode writes, to the bit, and returns how many bits these are. Before, k.Out is not zero
// but whatever was there: most write all of it.
type Direct interface {
	Compressor
	Compress(k *Coding) (bits int)
}

// A Sparse is a Compressor of whose numbers few arrive: Sparsify returns the indices of those that
// Decode sets, each once, what it sets them to, to the bit, and how many bits the code has. Both
// live as long as Scratch. So memory is cleared only where something arrived.
type Sparse interface {
	Compressor
	Sparsify(k *Coding) (at []int, values Vector, bits int)
}

// A Sized is a Compressor whose code of an update is as long whatever the update is: Bits returns
// how many bits it takes, of the blocks of a layout. So it is known before clients train, and
// virtual time counts it.
type Sized interface {
	Compressor
	Bits(l Layout) int
}

// A Guarantee is what is lost at most: E‖Out − In‖² ≤ Omega·‖In‖². A Compressor with an Omega below
// 1 contracts, with δ = 1 − Omega.
type Guarantee struct {
	Unbiased bool // E Out = In
	Omega    float64
}

// A NoCompressor is the Compressor of a method that sends updates as they are, in full.
type NoCompressor struct{}

var _ Sized = NoCompressor{}

// Encode implements Compressor: the engine does not call it.
func (NoCompressor) Encode(k *Coding) error {
	for _, x := range k.In {
		k.Code.AppendFloat32(x)
	}
	return nil
}

// Decode implements Compressor.
func (NoCompressor) Decode(k *Coding) error {
	for j := range k.Out {
		k.Out[j] = k.Code.ReadFloat32()
	}
	return nil
}

// Bits implements Sized.
func (NoCompressor) Bits(l Layout) int { return 32 * l.Len() }

// Guarantee implements Compressor.
func (NoCompressor) Guarantee(int) (Guarantee, bool) { return Guarantee{Omega: 0x1p-48}, true }

// A Coding is one update of one client on its way: what encodes it is shown In, and what decodes it
// Code.
type Coding struct {
	T, Client int    // Client is -1 where the server sends the same to all
	In        Vector // what is to be sent, of the blocks of Layout; read-only, nil to Decode
	Out       Vector // what arrives
	Code      *Bits
	Layout    Layout // of In and Out, without blocks that stay with the client

	RNG    *rand.Rand // the client's draws; nil to Decode
	Shared *rand.Rand // draws that both sides know: what depends on them alone need not be sent
	State  State      // what the client keeps; nil to Decode

	arena arena
}

// Scratch returns a zero vector of length n. It lives until Encode or Decode returns.
func (k *Coding) Scratch(n int) Vector { return k.arena.vector(n) }

// Room returns an empty slice with room for n ints. It lives as long as Scratch.
func (k *Coding) Room(n int) []int { return k.arena.ints(n)[:0] }

// Recycle makes room for the next update; the engine calls it between updates.
func (k *Coding) Recycle() { k.arena.reset() }

// A Feedback says what a client does about what compression lost.
type Feedback string

// What can be done, of the update Δ, of what the client keeps, zero at first, and of a compressor
// C:
//
//	none   C(Δ) is sent
//	ef     v = Δ + e, C(v) is sent, e ← v − C(v)      (Seide et al. 2014; Karimireddy et al. 2019)
//	ef21   C(Δ − g) is sent, g ← g + C(Δ − g), the server takes g     (Richtárik et al. 2021)
const (
	FeedbackNone Feedback = "none"
	FeedbackEF   Feedback = "ef"
	FeedbackEF21 Feedback = "ef21"
)

// NewFeedback declares the parameter that all compressors have.
func NewFeedback(p *Params) Feedback {
	return Feedback(p.Choice("feedback", string(FeedbackNone), "what a client does about what "+
		"was lost: nothing; adds it to its next update; or sends the difference to what the "+
		"server has of it", string(FeedbackNone), string(FeedbackEF), string(FeedbackEF21)))
}

// Before makes an update what is compressed, by what the client keeps.
func (f Feedback) Before(update, kept Vector) {
	switch f {
	case FeedbackEF:
		update.Add(kept)
	case FeedbackEF21:
		update.Sub(kept)
	}
}

// After makes what arrived the update that the server takes, and sets next to what the client keeps
// instead of kept. In is what Before made.
func (f Feedback) After(next, kept, in, out Vector) {
	switch f {
	case FeedbackEF:
		copy(next, in)
		next.Sub(out)
	case FeedbackEF21:
		out.Add(kept)
		copy(next, out)
	}
}
