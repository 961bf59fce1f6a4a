package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// newRand returns a generator for a test.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// normals returns n numbers as float32 and the same numbers as float64.
func normals(rng *rand.Rand, n int) ([]float32, []float64) {
	v, w := make([]float32, n), make([]float64, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		w[i] = float64(v[i])
	}
	return v, w
}

// wide returns v as float64.
func wide(v []float32) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = float64(v[i])
	}
	return w
}

// near fails unless all numbers agree, up to a share of the largest one wanted.
func near(t *testing.T, what string, got []float32, want []float64, share float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	top := 1e-3
	for _, v := range want {
		top = max(top, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(float64(got[i])-v) <= share*top) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], v)
		}
	}
}

// mustNew resolves an architecture.
func mustNew(t testing.TB, in Shape, layers ...Layer) *Net {
	t.Helper()
	net, err := New(in, layers...)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// randomParams returns parameters that leave nothing at zero or one; variances positive.
func randomParams(rng *rand.Rand, net *Net) ([]float32, []float64) {
	p := net.Init(rng)
	for _, b := range net.layout.Blocks {
		v := part(p, &b)
		for i := range v {
			switch b.Name {
			case fl.NormScale, fl.RunningVariance:
				v[i] = float32(0.5 + rng.Float64())
			case fl.NormOffset, fl.RunningMean:
				v[i] = float32(rng.NormFloat64() / 2)
			}
		}
	}
	return p, wide(p)
}

// gradients runs a net forward and backward with a given gradient at the scores, on a tape
// that has run before and whose scratch space holds anything.
func gradients(net *Net, params, x, upstream []float32, n int) (y, grad, dx []float32) {
	tape := net.Tape(n)
	other := slices.Clone(x)
	slices.Reverse(other)
	tape.Train(params, other, n)
	for _, v := range [][]float32{tape.pass.scratch, tape.pass.turns[0], tape.pass.turns[1]} {
		for i := range v {
			v[i] = float32(math.NaN())
		}
	}
	y = append(y, tape.Train(params, x, n)...)
	copy(tape.slopes, upstream)
	grad = make([]float32, len(params))
	for i := range grad {
		grad[i] = float32(math.NaN()) // Backward must set all of it
	}
	tape.pass.grad, tape.pass.descends = grad, false
	return y, grad, tape.chain.backward(&tape.pass, tape.slopes, true)
}

// layerCases are layers alone and in the neighbourhoods where they are fused.
var layerCases = []struct {
	in     Shape
	batch  int
	layers []Layer
}{
	{Shape{1, 1, 7}, 3, []Layer{Dense(5)}},
	{Shape{1, 1, 1}, 1, []Layer{Dense(1)}},
	{Shape{1, 1, 33}, 1, []Layer{Dense(17), ReLU()}},
	{Shape{2, 3, 2}, 2, []Layer{Flatten(), Dense(4), ReLU(), Dense(3)}},
	{Shape{5, 7, 2}, 2, []Layer{Conv(3, 3, 1, 1)}},
	{Shape{5, 7, 3}, 3, []Layer{Conv(2, 3, 2, 1)}},
	{Shape{6, 5, 2}, 1, []Layer{Conv(4, 5, 1, 0)}},
	{Shape{3, 4, 2}, 2, []Layer{Conv(2, 2, 3, 2)}},
	{Shape{4, 3, 2}, 2, []Layer{Conv(3, 3, 1, 3)}},
	{Shape{4, 3, 5}, 2, []Layer{Conv(3, 1, 1, 0)}},
	{Shape{5, 3, 4}, 2, []Layer{Conv(3, 1, 2, 0)}},
	{Shape{1, 1, 4}, 2, []Layer{Conv(3, 3, 1, 1), ReLU()}},
	{Shape{5, 4, 3}, 2, []Layer{convolution{out: 4, window: window{kh: 3, kw: 2, stride: 1}}}},
	{Shape{5, 7, 2}, 2, []Layer{MaxPool(2, 2)}},
	{Shape{7, 5, 3}, 2, []Layer{MaxPool(3, 2)}},
	{Shape{4, 5, 17}, 2, []Layer{MaxPool(2, 2)}},
	{Shape{6, 4, 3}, 2, []Layer{MaxPool(2, 2)}},
	{Shape{4, 4, 2}, 1, []Layer{MaxPool(4, 4)}},
	{Shape{5, 7, 2}, 2, []Layer{averaging(2, 2)}},
	{Shape{5, 6, 2}, 2, []Layer{averaging(3, 1)}},
	{Shape{6, 4, 3}, 2, []Layer{averaging(2, 2)}},
	{Shape{5, 3, 2}, 3, []Layer{GlobalAvgPool()}},
	{Shape{7, 9, 2}, 2, []Layer{AvgPoolTo(3)}},
	{Shape{4, 4, 2}, 2, []Layer{AvgPoolTo(2)}},
	{Shape{3, 3, 2}, 2, []Layer{ReLU()}},
	{Shape{3, 3, 2}, 2, []Layer{Flatten()}},
	{Shape{3, 4, 6}, 2, []Layer{GroupNorm(3)}},
	{Shape{3, 4, 6}, 1, []Layer{GroupNorm(1), ReLU()}},
	{Shape{3, 4, 3}, 2, []Layer{GroupNorm(3)}},
	{Shape{3, 2, 4}, 3, []Layer{BatchNorm()}},
	{Shape{1, 1, 4}, 5, []Layer{BatchNorm(), ReLU()}},
	{Shape{6, 5, 2}, 2, []Layer{Conv(3, 3, 1, 1), ReLU(), MaxPool(2, 2)}},
	{Shape{6, 5, 2}, 2, []Layer{Conv(3, 3, 1, 1), MaxPool(2, 2), ReLU()}},
	{Shape{7, 7, 1}, 2, []Layer{Conv(3, 2, 1, 0), ReLU(), MaxPool(3, 2), Conv(2, 2, 1, 0)}},
	{Shape{4, 4, 2}, 2, []Layer{Conv(4, 3, 1, 1), BatchNorm(), ReLU(), MaxPool(2, 2)}},
	{Shape{4, 3, 2}, 2, []Layer{Residual(Conv(2, 3, 1, 1))}},
	{Shape{4, 3, 2}, 2, []Layer{Residual(ReLU(), Conv(2, 3, 1, 1), ReLU()), ReLU()}},
	{Shape{5, 4, 2}, 2, []Layer{Residual(Conv(4, 3, 2, 1), GroupNorm(2), ReLU(), Conv(4, 3, 1, 1)), ReLU()}},
	{Shape{1, 1, 4}, 2, []Layer{Residual(Dense(6), ReLU(), Dense(3)), ReLU(), Dense(2)}},
	{Shape{4, 4, 2}, 2, []Layer{Residual(Residual(Conv(2, 3, 1, 1), ReLU()), Residual(Conv(3, 1, 1, 0)))}},
	{Shape{5, 4, 2}, 2, []Layer{ConvBare(4, 3, 2, 1), GroupNorm(2), ReLU()}},
	{Shape{6, 6, 2}, 2, []Layer{ConvBare(4, 3, 1, 1), ReLU(), ResidualBy(
		[]Layer{ConvBare(6, 1, 2, 0), BatchNorm()},
		ConvBare(6, 3, 2, 1), BatchNorm(), ReLU(), ConvBare(6, 3, 1, 1), BatchNorm()), ReLU()}},
	{Shape{5, 6, 2}, 2, []Layer{ConvBare(2, 3, 1, 1), ResidualBy([]Layer{Subsample(5, 2)},
		ConvBare(5, 3, 2, 1), GroupNorm(1), ReLU(), ConvBare(5, 3, 1, 1), GroupNorm(5)), ReLU()}},
	{Shape{3, 3, 2}, 2, []Layer{ConvBare(2, 1, 1, 0), Subsample(4, 3)}},
	{Shape{3, 4, 2}, 2, []Layer{Conv(3, 1, 1, 0), ReLU(), Concat(
		[]Layer{Conv(2, 1, 1, 0), ReLU()}, []Layer{Conv(3, 3, 1, 1), ReLU()}),
		Conv(2, 1, 1, 0), Concat([]Layer{Conv(1, 3, 1, 1)}, nil, []Layer{ReLU()})}},
	{Shape{6, 5, 2}, 2, []Layer{MaxPoolCeil(3, 2)}},
	{Shape{5, 7, 2}, 2, []Layer{Conv(3, 3, 1, 1), ReLU(), MaxPoolCeil(2, 2)}},
	{Shape{4, 4, 2}, 2, []Layer{MaxPoolCeil(2, 2)}},
	{Shape{7, 6, 2}, 2, []Layer{MaxPoolPadded(3, 2, 1)}},
	{Shape{4, 4, 2}, 2, []Layer{Conv(3, 3, 1, 1), Residual(MaxPool(2, 2), ReLU()), GlobalAvgPool()}},
	{Shape{5, 1, 3}, 2, []Layer{Positions(4)}},
	{Shape{5, 1, 3}, 2, []Layer{Positions(4), ReLU(), Positions(2)}},
	{Shape{4, 1, 3}, 3, []Layer{Position(1), Last()}},
	{Shape{4, 1, 3}, 3, []Layer{LayerNorm(), GELU()}},
	{Shape{4, 1, 3}, 3, []Layer{LayerNorm(), QuickGELU()}},
	{Shape{3, 2, 2}, 2, []Layer{Tanh(), Dropout(0.5), Sigmoid()}},
	{Shape{4, 1, 6}, 2, []Layer{Attention(2), Positions(3)}},
	{Shape{66, 1, 3}, 1, []Layer{Attention(1), Last()}},
	{Shape{4, 1, 3}, 2, []Layer{Residual(LayerNorm(), Positions(6), GELU(), Positions(3)), Last(), Dense(2)}},
	{Shape{5, 1, 2}, 3, []Layer{LSTM(3)}},
	{Shape{4, 1, 2}, 2, []Layer{LSTM(3), LSTM(2), Last(), Dense(4)}},
	{Shape{1, 1, 2}, 2, []Layer{LSTM(3), Dense(2)}},
	{Shape{5, 1, 3}, 2, []Layer{Positions(4), GELU(), Positions(2), GELU()}},
	{Shape{5, 1, 2}, 3, []Layer{GRU(3)}},
	{Shape{4, 1, 2}, 2, []Layer{GRU(3), GRU(2), Last(), Dense(4)}},
	{Shape{1, 1, 2}, 2, []Layer{GRU(3), LSTM(2), GRU(3), Dense(2)}},
	{Shape{3, 1, 2}, 2, []Layer{GRU(3), LSTM(2), GRU(3)}},
	{Shape{4, 1, 6}, 2, []Layer{SelfAttention(2), Positions(3)}},
	{Shape{66, 1, 3}, 1, []Layer{SelfAttention(1), First()}},
	{Shape{3, 1, 3}, 3, []Layer{Token(1), Position(1), LayerNorm()}},
	{Shape{4, 6, 2}, 2, []Layer{Conv(3, 2, 2, 0), Sequence(), Token(1), First(), Dense(2)}},
	{Shape{1, 1, 12}, 2, []Layer{Unflatten(2, 3), Conv(3, 3, 1, 1), LeakyReLU(), Upsample(5, 6)}},
	{Shape{2, 3, 2}, 2, []Layer{Upsample(4, 3), LeakyReLU()}},
	{Shape{1, 1, 3}, 3, []Layer{Dense(8), Unflatten(2, 2), BatchNorm(), Upsample(4, 4),
		ConvBare(3, 3, 1, 1), BatchNorm(), LeakyReLU(), Conv(1, 3, 1, 1), Sigmoid()}},
	{Shape{5, 7, 3}, 2, []Layer{Depthwise(3, 1, 1)}},
	{Shape{5, 6, 2}, 3, []Layer{Depthwise(3, 2, 1)}},
	{Shape{6, 5, 17}, 1, []Layer{Depthwise(2, 1, 0), ReLU6()}},
	{Shape{2, 1, 16}, 2, []Layer{Depthwise(3, 1, 2)}},
	{Shape{7, 4, 2}, 2, []Layer{Depthwise(3, 3, 2), ReLU6()}},
	{Shape{4, 5, 2}, 2, []Layer{Residual(ConvBare(4, 1, 1, 0), GroupNorm(2), ReLU6(),
		Depthwise(3, 1, 1), GroupNorm(1), ReLU6(), ConvBare(2, 1, 1, 0), BatchNorm())}},
	{Shape{4, 4, 1}, 2, []Layer{Conv(4, 2, 2, 0), Sequence(), Residual(LayerNorm(), Positions(12),
		SelfAttention(2), Positions(4)), LayerNorm(), GlobalAvgPool()}},
}

func TestGradientsAgainstFiniteDifferences(t *testing.T) {
	for k, c := range layerCases {
		net := mustNew(t, c.in, c.layers...)
		t.Run(fmt.Sprintf("%d-%s", k, net.layout.Layers[0].Kind), func(t *testing.T) {
			rng := newRand(uint64(k))
			params, params64 := randomParams(rng, net)
			x, x64 := normals(rng, c.batch*c.in.Len())
			up, up64 := normals(rng, c.batch*net.out.Len())
			ref := reference{net: net, trains: true}
			loss := func() (sum float64) {
				for i, v := range ref.forward(params64, x64, c.batch) {
					sum += v * up64[i]
				}
				return sum
			}
			y, grad, dx := gradients(net, params, x, up, c.batch)
			near(t, "output", y, ref.forward(params64, x64, c.batch), 2e-6)
			want := make([]float64, len(params))
			for i := range want[:net.Trained()] {
				want[i] = slope(loss, params64, i)
			}
			near(t, "gradient at parameters", grad, want, 1e-5)
			want = make([]float64, len(x))
			for i := range want {
				want[i] = slope(loss, x64, i)
			}
			near(t, "gradient at the input", dx, want, 1e-5)
		})
	}
}

func TestEvaluationUsesRunningStatistics(t *testing.T) {
	for _, c := range layerCases {
		net := mustNew(t, c.in, c.layers...)
		rng := newRand(3)
		params, params64 := randomParams(rng, net)
		x, x64 := normals(rng, c.batch*c.in.Len())
		y := net.Tape(c.batch).Forward(params, x, c.batch)
		near(t, "output", y, reference{net: net}.forward(params64, x64, c.batch), 3e-6)
	}
}

// A running variance below zero, which a server may make, counts as zero: scores stay numbers.
func TestVariancesBelowZeroCountAsZero(t *testing.T) {
	net := mustNew(t, Shape{1, 1, 2}, BatchNorm())
	x := []float32{1, -2, 3, 4}
	zero := []float32{1, 1, 0.5, 0.5, 0, 0, 0, 0}
	below := append(slices.Clone(zero[:6]), -0.3, -2)
	tape := net.Tape(2)
	want := slices.Clone(tape.Forward(zero, x, 2))
	if got := tape.Forward(below, x, 2); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Statistics that follow the k-th batch by 1/k are the mean of the moments of all, whatever they were.
func TestStatisticsOfAllBatches(t *testing.T) {
	tape := mustNew(t, Shape{1, 1, 1}, BatchNorm()).Tape(3)
	params := []float32{1, 0, 7, 9}
	for k, x := range [][]float32{{1, 2, 6}, {0, -3, 3}, {5, 5, 5}} {
		tape.Train(params, x, 3)
		tape.TrackBy(params, 1/float64(k+1))
	}
	near(t, "statistics", params[2:], []float64{(3. + 0 + 5) / 3, (7. + 9 + 0) / 3}, 1e-6)
}

// smallNets are the models of the experiments, narrow.
var smallNets = []struct {
	name   string
	in     Shape
	layers []Layer
}{
	{"mlp", Shape{1, 1, 23}, []Layer{Dense(17), ReLU(), Dense(11), ReLU(), Dense(9), ReLU(), Dense(10)}},
	{"cnn", Shape{16, 16, 1}, []Layer{
		Conv(4, 5, 1, 0), ReLU(), MaxPool(2, 2), Conv(6, 5, 1, 0), ReLU(), MaxPool(2, 2),
		Flatten(), Dense(12), ReLU(), Dense(8), ReLU(), Dense(10),
	}},
	{"resnet9", Shape{8, 8, 3}, []Layer{
		Conv(4, 3, 1, 1), GroupNorm(2), ReLU(),
		Conv(6, 3, 1, 1), GroupNorm(3), ReLU(), MaxPool(2, 2),
		Residual(Conv(6, 3, 1, 1), GroupNorm(2), ReLU(), Conv(6, 3, 1, 1), GroupNorm(2), ReLU()),
		Conv(8, 3, 1, 1), BatchNorm(), ReLU(), MaxPool(2, 2),
		Residual(Conv(10, 3, 2, 1), BatchNorm(), ReLU(), Conv(10, 3, 1, 1), BatchNorm()), ReLU(),
		GlobalAvgPool(), Dense(10),
	}},
	{"vgg", Shape{8, 8, 3}, []Layer{
		Conv(4, 3, 1, 1), ReLU(), MaxPool(2, 2), Conv(6, 3, 1, 1), ReLU(), MaxPool(2, 2),
		Conv(7, 3, 1, 1), ReLU(), Conv(7, 3, 1, 1), ReLU(), MaxPool(2, 2), Flatten(), Dense(10),
	}},
	{"deep", Shape{4, 4, 3}, []Layer{
		Conv(32, 1, 1, 0), GroupNorm(4), ReLU(), Conv(33, 3, 1, 1), ReLU(), MaxPool(2, 2),
		Conv(32, 3, 1, 1), Flatten(), Dense(10),
	}},
	{"resnet20", Shape{8, 8, 3}, []Layer{
		ConvBare(4, 3, 1, 1), BatchNorm(), ReLU(),
		Residual(ConvBare(4, 3, 1, 1), BatchNorm(), ReLU(), ConvBare(4, 3, 1, 1), BatchNorm()), ReLU(),
		ResidualBy([]Layer{Subsample(8, 2)}, ConvBare(8, 3, 2, 1), BatchNorm(), ReLU(),
			ConvBare(8, 3, 1, 1), BatchNorm()), ReLU(),
		GlobalAvgPool(), Flatten(), Dense(10),
	}},
	{"resnet18", Shape{8, 8, 3}, []Layer{
		ConvBare(4, 3, 1, 1), GroupNorm(2), ReLU(),
		ResidualBy([]Layer{ConvBare(8, 1, 2, 0), GroupNorm(4)}, ConvBare(8, 3, 2, 1), GroupNorm(4),
			ReLU(), ConvBare(8, 3, 1, 1), GroupNorm(4)), ReLU(),
		GlobalAvgPool(), Flatten(), Dense(10),
	}},
	{"mobilenet", Shape{8, 8, 3}, []Layer{
		ConvBare(16, 3, 1, 1), GroupNorm(4), ReLU6(),
		Residual(ConvBare(33, 1, 1, 0), GroupNorm(3), ReLU6(), Depthwise(3, 1, 1), GroupNorm(3),
			ReLU6(), ConvBare(16, 1, 1, 0), GroupNorm(4)),
		Depthwise(3, 2, 1), BatchNorm(), ReLU6(), GlobalAvgPool(), Flatten(), Dense(10),
	}},
}

// labels returns n classes of ten.
func labels(rng *rand.Rand, n int) []int {
	y := make([]int, n)
	for i := range y {
		y[i] = rng.IntN(10)
	}
	return y
}

func TestStepsOfModelsEqualTheReference(t *testing.T) {
	const batch, rate = 3, 0.1
	for k, c := range smallNets {
		net := mustNew(t, c.in, c.layers...)
		rng := newRand(uint64(40 + k))
		params, params64 := randomParams(rng, net)
		x, x64 := normals(rng, batch*c.in.Len())
		y := labels(rng, batch)
		ref := reference{net: net, trains: true}
		loss := func() float64 { return crossEntropy(ref.forward(params64, x64, batch), y) }

		tape := net.Tape(batch)
		got := tape.CrossEntropy(tape.Train(params, x, batch), y)
		if want := loss(); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: loss %v, want %v", c.name, got, want)
		}
		before := append([]float32(nil), params...)
		tape.Descend(params, rate)
		// A thousand parameters are enough: each has its own path through the net.
		for i := range net.Trained() {
			if net.Trained() > 1000 && rng.IntN(net.Trained()) > 1000 {
				continue
			}
			want := slope(loss, params64, i)
			moved := (float64(before[i]) - float64(params[i])) / rate
			if math.Abs(moved-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("%s: parameter %d: gradient %v, want %v", c.name, i, moved, want)
			}
		}
	}
}
