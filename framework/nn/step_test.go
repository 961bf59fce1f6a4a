package nn

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// step is a batch of labelled samples for a net, with parameters.
type step struct {
	net       *Net
	params, x []float32
	y         []int
}

// newStep makes a random batch for a small net.
func newStep(t testing.TB, which, batch int) step {
	c := smallNets[which]
	rng := newRand(uint64(which))
	s := step{net: mustNew(t, c.in, c.layers...)}
	s.params = s.net.Init(rng)
	s.x, _ = normals(rng, batch*c.in.Len())
	s.y = labels(rng, batch)
	return s
}

// gradient returns the loss and the gradient on samples lo to hi.
func (s step) gradient(tape *Tape, lo, hi int) (loss float64, grad []float32) {
	grad = make([]float32, len(s.params))
	size := s.net.in.Len()
	loss = tape.CrossEntropy(tape.Train(s.params, s.x[lo*size:hi*size], hi-lo), s.y[lo:hi])
	tape.Backward(grad, s.params)
	return loss, grad
}

func TestDescendIsBackwardAndAStep(t *testing.T) {
	const batch, rate = 5, 0.3
	for k, c := range smallNets {
		s := newStep(t, k, batch)
		tape := s.net.Tape(batch)
		_, grad := s.gradient(tape, 0, batch)
		want := wide(s.params)
		for i := range want {
			want[i] -= rate * float64(grad[i])
		}
		tape.CrossEntropy(tape.Train(s.params, s.x, batch), s.y)
		tape.Descend(s.params, rate)
		near(t, c.name, s.params, want, 1e-6)
	}
}

// TestDescendByAPowerOfTwoIsExact: scaling by a power of two commutes with rounding, so
// where the sums of a product fit one block of its kernel, what remains is one addition to
// each parameter.
func TestDescendByAPowerOfTwoIsExact(t *testing.T) {
	const rate, block = 0.125, 256
	for k, c := range smallNets {
		batch := min(8, block/(c.in.H*c.in.W))
		s := newStep(t, k, batch)
		tape := s.net.Tape(batch)
		_, grad := s.gradient(tape, 0, batch)
		want := slices.Clone(s.params)
		for i := range want {
			want[i] -= rate * grad[i]
		}
		tape.CrossEntropy(tape.Train(s.params, s.x, batch), s.y)
		tape.Descend(s.params, rate)
		if !slices.Equal(s.params, want) {
			t.Errorf("%s: Descend and Backward with a step differ", c.name)
		}
	}
}

func TestABatchIsTheMeanOfItsSamples(t *testing.T) {
	const batch = 6
	for _, k := range []int{0, 1, 3} {
		s := newStep(t, k, batch)
		tape := s.net.Tape(batch)
		loss, grad := s.gradient(tape, 0, batch)
		mean, sum := 0.0, make([]float64, len(grad))
		for b := range batch {
			one, g := s.gradient(tape, b, b+1)
			mean += one / batch
			for i, v := range g {
				sum[i] += float64(v) / batch
			}
		}
		if math.Abs(mean-loss) > 1e-6*loss {
			t.Errorf("%s: loss %v, mean of samples %v", smallNets[k].name, loss, mean)
		}
		near(t, smallNets[k].name, grad, sum, 2e-6)
	}
}

func TestEvaluationOfASampleIsItsOwn(t *testing.T) {
	const batch = 67
	for k, c := range smallNets {
		s := newStep(t, k, batch)
		in, out := s.net.in.Len(), s.net.out.Len()
		all, one := s.net.Tape(batch), s.net.Tape(1)
		scores := all.Forward(s.params, s.x, batch)
		for b := range batch {
			alone := one.Forward(s.params, s.x[b*in:(b+1)*in], 1)
			if !slices.Equal(alone, scores[b*out:(b+1)*out]) {
				t.Fatalf("%s: sample %d has other scores alone", c.name, b)
			}
		}
	}
}

func TestConvolutionsInManyBlocksAreTheSame(t *testing.T) {
	net := mustNew(t, Shape{20, 18, 3}, Conv(5, 3, 1, 1), Conv(4, 5, 2, 2))
	const batch = 9
	rng := newRand(9)
	params := net.Init(rng)
	x, _ := normals(rng, batch*net.in.Len())
	up, _ := normals(rng, batch*net.out.Len())
	y, grad, dx := gradients(net, params, x, up, batch)
	sum := make([]float64, len(grad))
	for b := range batch {
		in, out := net.in.Len(), net.out.Len()
		y1, g1, dx1 := gradients(net, params, x[b*in:(b+1)*in], up[b*out:(b+1)*out], 1)
		near(t, "output", y1, wide(y[b*out:(b+1)*out]), 1e-6)
		near(t, "input", dx1, wide(dx[b*in:(b+1)*in]), 1e-6)
		for i, v := range g1 {
			sum[i] += float64(v)
		}
	}
	near(t, "gradient", grad, sum, 2e-6)
}

func TestATapeGrowsAndForgets(t *testing.T) {
	for k, c := range smallNets {
		s := newStep(t, k, 7)
		want, _ := s.gradient(s.net.Tape(7), 0, 7)
		tape := s.net.Tape(1)
		for _, n := range []int{1, 3, 7, 2, 7} {
			got, grad := s.gradient(tape, 0, n)
			if n == 7 && got != want {
				t.Errorf("%s: loss %v after other batches, want %v", c.name, got, want)
			}
			if _, again := s.gradient(s.net.Tape(n), 0, n); !slices.Equal(grad, again) {
				t.Errorf("%s: another gradient after other batches", c.name)
			}
		}
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	const batch = 4
	for k, c := range smallNets {
		s := newStep(t, k, batch)
		tape, grad := s.net.Tape(batch), make([]float32, len(s.params))
		data := wide(s.x)
		rows := []int{3, 0, 2, 1}
		train := func() {
			x := tape.Gather(data, rows)
			tape.CrossEntropy(tape.Train(s.params, x, batch), s.y)
			tape.Backward(grad, s.params)
			tape.CrossEntropy(tape.Train(s.params, x, batch), s.y)
			tape.Descend(s.params, 1e-3)
			tape.Track(s.params)
			tape.Forward(s.params, x, batch)
		}
		train()
		if n := testing.AllocsPerRun(3, train); n != 0 {
			t.Errorf("%s: %v allocations per step", c.name, n)
		}
	}
}

func TestRunningStatisticsFollowTheData(t *testing.T) {
	net := mustNew(t, vector(2), BatchNorm())
	params, tape, rng := net.Init(newRand(0)), net.Tape(64), newRand(5)
	for range 300 {
		x, _ := normals(rng, 128)
		for i := range x {
			x[i] = 3*x[i] + 5
		}
		tape.Train(params, x, 64)
		tape.Track(params)
	}
	// An average with momentum 0.1 remembers about twenty batches.
	near(t, "mean", params[4:6], []float64{5, 5}, 0.06)
	near(t, "variance", params[6:8], []float64{9, 9}, 0.12)
	tape.Train(params, []float32{1, 2}, 1)
	tape.Track(params)
	if v := params[6]; math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		t.Errorf("variance %v after a batch of one", v)
	}
}

func TestWhatIsNotANumberIsNotLost(t *testing.T) {
	for _, layers := range [][]Layer{
		{Dense(3), ReLU()}, {Flatten(), Dense(3)}, {Conv(2, 3, 1, 1), ReLU()}, {MaxPool(2, 2)},
		{MaxPool(3, 3)}, {averaging(2, 2)}, {GlobalAvgPool()}, {ReLU()}, {GroupNorm(1)}, {BatchNorm()},
		{Residual(ReLU()), ReLU()}, {Residual(Conv(3, 3, 1, 1), ReLU())},
	} {
		in := Shape{4, 4, 2}
		if _, ok := layers[0].(dense); ok {
			in = vector(4)
		}
		net := mustNew(t, in, layers...)
		x, _ := normals(newRand(2), in.Len())
		x[in.Len()/3] = float32(math.NaN())
		y := net.Tape(1).Train(net.Init(newRand(1)), x, 1)
		if !slices.ContainsFunc(y, func(v float32) bool { return v != v }) {
			t.Errorf("%v: a NaN was lost: %v", net.layout.Layers[0].Kind, y)
		}
	}
}

// TestNormsOfWhatHardlyVaries: rounding must not make a variance negative.
func TestNormsOfWhatHardlyVaries(t *testing.T) {
	for _, layer := range []Layer{GroupNorm(1), BatchNorm()} {
		net := mustNew(t, Shape{11, 11, 1}, layer)
		tape, params := net.Tape(1), net.Init(newRand(1))
		rng, x := newRand(1), make([]float32, 121)
		for range 200 {
			v := float32(1e7 * rng.Float64())
			for i := range x {
				x[i] = v
			}
			for _, y := range tape.Train(params, x, 1) {
				if !(math.Abs(float64(y)) <= 1e7) {
					t.Fatalf("%v everywhere became %v", v, y)
				}
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite the hash of a few steps")

// TestTheBitsOfAFewSteps holds on every path of the kernels: run it with HANSA_ISA set to
// avx512, avx2 and generic.
func TestTheBitsOfAFewSteps(t *testing.T) {
	h := sha256.New()
	for k := range smallNets {
		const batch = 19
		s := newStep(t, k, batch)
		tape := s.net.Tape(batch)
		for range 5 {
			tape.CrossEntropy(tape.Train(s.params, s.x, batch), s.y)
			tape.Descend(s.params, 0.05)
			tape.Track(s.params)
		}
		loss, grad := s.gradient(tape, 0, batch)
		for _, v := range [][]float32{s.params, grad} {
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		if err := binary.Write(h, binary.LittleEndian, loss); err != nil {
			t.Fatal(err)
		}
	}
	path, got := filepath.Join("testdata", "steps.sha256"), hex.EncodeToString(h.Sum(nil))
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(want)) != got {
		t.Errorf("the bits are %s, want %s", got, want)
	}
}

// averaging is pooling over windows of any size and stride, of which the exported layers are two
// cases.
func averaging(k, stride int) Layer {
	return pooling{kind: fl.KindAvgPool, window: window{kh: k, kw: k, stride: stride}}
}
