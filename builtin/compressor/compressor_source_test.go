package compressor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Facts of official and widely used implementations: the scaled sign of EF-signSGD is ‖x‖₁/n with a
// bit that says x ≥ 0 (grace_dl/dist/compressor/efsignsgd.py of sands-lab/grace); −1, 0 and 1 of
// TernGrad are the words 0, 1 and 2 of two bits (terngrad/inception/bingrad_common.py of
// wenwei202/terngrad).
//
//hansa:verifies source compressor/sign compressor/terngrad
func TestWordsOfOtherImplementations(t *testing.T) {
	x := fl.Vector{-2, 0, 2, 1}
	k := &fl.Coding{In: x, Out: make(fl.Vector, 4), Code: new(fl.Bits), Layout: flat(4)}
	if err := built(t, Sign, nil).Encode(k); err != nil {
		t.Fatal(err)
	}
	mean, signs := k.Code.ReadFloat32(), k.Code.Read(4)
	if mean != 5.0/4 || signs != 0b0001 { // a bit here says x < 0
		t.Errorf("mean %v, signs %04b", mean, signs)
	}
	k.In = fl.Vector{-2, 0, 2, 0} // none is left to chance
	k.RNG = rand.New(rand.NewPCG(1, 2))
	k.Code.Reset()
	if err := built(t, TernGrad, nil).Encode(k); err != nil {
		t.Fatal(err)
	}
	scale := k.Code.ReadFloat32()
	words := []uint64{k.Code.Read(2), k.Code.Read(2), k.Code.Read(2), k.Code.Read(2)}
	if scale != 2 || !slices.Equal(words, []uint64{0, 1, 2, 1}) {
		t.Errorf("scale %v, words %v", scale, words)
	}
}

// With clip, the scale is c·σ of the layer with the deviation of the population, and what is beyond
// is cut to it, as in terngrad/inception/bingrad_common.py of wenwei202/terngrad.
//
//hansa:verifies source compressor/terngrad
func TestTernGradCutsAsItsCode(t *testing.T) {
	x := fl.Vector{10, -1, 1, 0, 0, -10, 0, 0}
	sigma := math.Sqrt(202.0 / 8)
	k := &fl.Coding{In: x, Layout: flat(8), RNG: rand.New(rand.NewPCG(1, 2))}
	out, _ := sent(t, built(t, TernGrad, map[string]any{"clip": 1.5}), k)
	if want := 1.5 * sigma; math.Abs(out[0]-want) > 1e-6*want || out[5] != -out[0] {
		t.Errorf("%v, want ±%v", out, want)
	}
}

// As RankKReducer in paper-code/gradient_reducers.py of epfml/powersgd has it, the rank is at most
// that of a weight, biases are sent in full, and Q goes on as it was sent, without being made
// orthogonal.
//
//hansa:verifies source compressor/power-sgd
func TestPowerSGDIsRankKReducer(t *testing.T) {
	layout := fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 3, Cols: 40},
		{Name: fl.Bias, Rows: 3, Cols: 1, Offset: 120}}}
	x := make(fl.Vector, 123)
	rng := rand.New(rand.NewPCG(1, 2))
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	state := fl.NewStore()
	k := &fl.Coding{In: x, Layout: layout, RNG: rng, State: state}
	out, bits := sent(t, built(t, PowerSGD, map[string]any{"rank": int64(2)}), k)
	if bits != 32*(2*(3+40)+3) {
		t.Errorf("%d bits", bits)
	}
	for j := 120; j < 123; j++ {
		if out[j] != fl.RoundFloat32(x[j]) {
			t.Errorf("bias %d is %v, sent as %v", j, x[j], out[j])
		}
	}
	q := state.Vector("q", 80)
	if a, b := q[:40], q[40:]; a.Dot(a) == 1 || a.Dot(b) == 0 {
		t.Error("Q was made orthogonal")
	}
}
