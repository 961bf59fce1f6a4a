package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// sequenceNets are a decoder with dropout, and an LSTM whose last output is scored.
func sequenceNets(t testing.TB) map[string]*Net {
	return map[string]*Net{
		"decoder": mustNew(t, Shape{5, 1, 1}, append([]Layer{Embedding(7, 4, 0.5), Position(0.5),
			Dropout(0.25), Residual(LayerNorm(), Positions(12), Attention(2), Positions(4),
				Dropout(0.25))}, LayerNorm(), Tied())...),
		"lstm": mustNew(t, Shape{5, 1, 1}, Embedding(7, 3, 1), LSTM(4), LSTM(5), Last(), Dense(7)),
		"gru":  mustNew(t, Shape{5, 1, 1}, Embedding(7, 3, 1), GRU(4), GRU(5), Last(), Dense(7)),
		"encoder": mustNew(t, Shape{5, 1, 1}, Embedding(7, 4, 0.5), Token(0.5), Residual(LayerNorm(),
			Positions(12), SelfAttention(2), Positions(4)), First(), LayerNorm(), Dense(7)),
	}
}

// tokenBatch returns tokens of n samples, and a label for each row of scores.
func tokenBatch(rng *rand.Rand, net *Net, n int) (x []float32, y []int) {
	for range n * net.in.Len() {
		x = append(x, float32(rng.IntN(7)))
	}
	for range n * net.out.H {
		y = append(y, rng.IntN(7))
	}
	return x, y
}

func TestSequencesAllocateNothing(t *testing.T) {
	for name, net := range sequenceNets(t) {
		tape, rng := net.Tape(3), newRand(1)
		x, y := tokenBatch(rng, net, 3)
		params := net.Init(rng)
		tape.Mask(rand.NewPCG(1, 2))
		step := func() {
			tape.CrossEntropy(tape.Train(params, x, 3), y)
			tape.Descend(params, 0.1)
		}
		step()
		if n := testing.AllocsPerRun(5, step); n > 0 {
			t.Errorf("%s: %v allocations a step", name, n)
		}
	}
}

func TestScoresOfASequenceDoNotDependOnTheOthers(t *testing.T) {
	for name, net := range sequenceNets(t) {
		rng := newRand(2)
		params := net.Init(rng)
		x, _ := tokenBatch(rng, net, 40)
		all := slices.Clone(net.Tape(40).Forward(params, x, 40))
		size := net.out.Len()
		for b := range 40 {
			one := net.Tape(1).Forward(params, x[b*5:(b+1)*5], 1)
			if !slices.Equal(one, all[b*size:(b+1)*size]) {
				t.Fatalf("%s: sample %d has other scores alone", name, b)
			}
		}
	}
}

func TestScoresOfAPositionDoNotDependOnLaterOnes(t *testing.T) {
	net := sequenceNets(t)["decoder"]
	params, tape := net.Init(newRand(3)), net.Tape(1)
	x := []float32{1, 2, 3, 4, 5}
	first := slices.Clone(tape.Forward(params, x, 1)[:3*7])
	x[3], x[4] = 0, 6
	if !slices.Equal(first, tape.Forward(params, x, 1)[:3*7]) {
		t.Error("what comes later changes scores")
	}
}

func TestCorrectedStepsOfSequences(t *testing.T) {
	for name, net := range sequenceNets(t) {
		rng := newRand(4)
		params := net.Init(rng)
		n := len(params)
		shift, _ := normals(rng, n)
		anchor, _ := normals(rng, n)
		correction := kernel.Correction{Shift: shift, Pull: 0.5, Anchor: anchor}
		x, y := tokenBatch(rng, net, 3)
		tape, grad := net.Tape(3), make([]float32, n)
		tape.CrossEntropy(tape.Train(params, x, 3), y)
		tape.Backward(grad, params)
		correction.Add(grad, params, 1)
		want := wide(params)
		for i := range want {
			want[i] -= 0.25 * float64(grad[i])
		}
		tape.CrossEntropy(tape.Train(params, x, 3), y)
		tape.DescendCorrected(params, 0.25, correction)
		near(t, name, params, want, 2e-6)
	}
}

func TestDropout(t *testing.T) {
	const n, size, rate = 50, 400, 0.3
	net := mustNew(t, Shape{size, 1, 1}, Dropout(rate), Tanh())
	if !net.Masks() || mustNew(t, Shape{size, 1, 1}, Dropout(0), Tanh()).Masks() {
		t.Error("a net does not know whether it drops")
	}
	x := make([]float32, n*size)
	for i := range x {
		x[i] = 0.5
	}
	tape := net.Tape(n)
	kept := func() (count int) {
		for _, v := range tape.Train(nil, x, n) {
			want := float32(math.Tanh(0.5 / (1 - rate)))
			if v != 0 && math.Abs(float64(v-want)) > 1e-6 {
				t.Fatalf("0.5 became %v", v)
			}
			if v != 0 {
				count++
			}
		}
		return count
	}
	tape.Mask(rand.NewPCG(1, 2))
	first := slices.Clone(tape.Train(nil, x, n))
	if slices.Equal(first, tape.Train(nil, x, n)) {
		t.Error("two batches have the same mask")
	}
	tape.Mask(rand.NewPCG(1, 2))
	if !slices.Equal(first, tape.Train(nil, x, n)) {
		t.Error("the same stream makes other masks")
	}
	mean, deviation := n*size*(1-rate), math.Sqrt(n*size*rate*(1-rate))
	if got := float64(kept()); math.Abs(got-mean) > 4*deviation {
		t.Errorf("%v kept, want about %v", got, mean)
	}
	tape.CrossEntropy(tape.Train(nil, x, n), make([]int, n*size)) // of one class each: no slope
	for i := range tape.slopes {
		tape.slopes[i] = 1
	}
	for i, d := range tape.chain.backward(&tape.pass, tape.slopes, true) {
		if (d == 0) != (tape.chain[0].(*dropoutStage).y[i] == 0) {
			t.Fatal("a gradient passes where nothing was kept")
		}
	}
	if y := tape.Forward(nil, x, n); slices.Contains(y, 0) {
		t.Error("an evaluation drops")
	}
	tape.Mask(nil)
	if slices.Contains(tape.Train(nil, x, n), 0) {
		t.Error("without a stream something is dropped")
	}
}

func TestSequenceLayersSayWhatTheyNeed(t *testing.T) {
	image, sequence := Shape{3, 2, 1}, Shape{3, 1, 2}
	for _, c := range []struct {
		in     Shape
		layers []Layer
	}{
		{image, []Layer{Positions(2)}}, {image, []Layer{Embedding(3, 2, 1)}},
		{sequence, []Layer{Embedding(3, 2, 1)}}, {image, []Layer{LSTM(2)}},
		{image, []Layer{LayerNorm()}}, {sequence, []Layer{Attention(1)}}, {image, []Layer{Last()}},
		{sequence, []Layer{Tied()}}, {image, []Layer{Position(1)}}, {sequence, []Layer{Dropout(1)}},
		{Shape{3, 1, 6}, []Layer{Attention(4)}}, {sequence, []Layer{LSTM(0)}},
		{image, []Layer{GRU(2)}}, {sequence, []Layer{GRU(0)}}, {sequence, []Layer{SelfAttention(1)}},
		{image, []Layer{Token(1)}}, {image, []Layer{First()}},
		{Shape{3, 1, 1}, []Layer{Positions(1), Embedding(3, 2, 1)}},
	} {
		if _, err := New(c.in, c.layers...); err == nil {
			t.Errorf("%T fits %v", c.layers[0], c.in)
		}
	}
}
