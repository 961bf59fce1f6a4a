package compressor

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// vectors are those of testdata/compressor.py.
type vectors struct {
	Rows, Cols int
	Updates    []fl.Vector
	Draws      [][]uint64
	Kept       [][]int
	First      []fl.Vector // Q of the first update, by column
	Cases      map[string][]struct {
		Out  fl.Vector
		Bits int
	}
}

func golden(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/compressor.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// layout is a weight and a bias.
func (v *vectors) layout() fl.Layout {
	return fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: v.Rows, Cols: v.Cols},
		{Name: fl.Bias, Rows: v.Rows, Cols: 1, Offset: v.Rows * v.Cols}}}
}

// listed is a source of draws in a list.
type listed struct {
	draws []uint64
	at    int
}

func (s *listed) Uint64() uint64 {
	s.at++
	return s.draws[s.at-1]
}

// built is a compressor with parameters.
func built(t testing.TB, e fl.CompressorEntry, given map[string]any) fl.Compressor {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v", e.Name, err, problems)
	}
	return c
}

// sent encodes and decodes an update, and returns what arrives and how many bits that takes.
func sent(t testing.TB, c fl.Compressor, k *fl.Coding) (fl.Vector, int) {
	t.Helper()
	k.Code, k.Out = new(fl.Bits), make(fl.Vector, len(k.In))
	if err := c.Encode(k); err != nil {
		t.Fatal(err)
	}
	d := &fl.Coding{Code: k.Code, Out: k.Out, Layout: k.Layout, Shared: rand.New(rand.NewPCG(3, 4))}
	if err := c.Decode(d); err != nil || k.Code.Unread() > 0 {
		t.Fatal(err, k.Code.Unread())
	}
	return k.Out, k.Code.Len()
}

// coded returns the coding of the t-th golden update.
func (v *vectors) coded(t int) *fl.Coding {
	return &fl.Coding{T: t, In: v.Updates[t], Layout: v.layout(), State: fl.NewStore(),
		RNG: rand.New(&listed{draws: v.Draws[t]}), Shared: rand.New(rand.NewPCG(3, 4))}
}

// agrees compares what arrives with what is wanted, to 1e-12.
func (v *vectors) agrees(t *testing.T, name string, k int, out fl.Vector, bits int) {
	t.Helper()
	want := v.Cases[name][k]
	if d := out.Distance(want.Out); !(d <= 1e-12*max(1, math.Sqrt(want.Out.Dot(want.Out)))) {
		t.Errorf("%s: update %d is %v away", name, k, d)
	}
	if bits != want.Bits {
		t.Errorf("%s: update %d takes %d bits, want %d", name, k, bits, want.Bits)
	}
}

// Five updates of 24 numbers agree with the formulas as NumPy computes them, to 1e-12, and take as
// many bits as are counted by hand, for the same draws.
//
//hansa:verifies golden compressor/top-k compressor/sign compressor/qsgd compressor/terngrad
//hansa:verifies golden compressor/int8 compressor/float16 compressor/bfloat16
func TestGoldenCompressors(t *testing.T) {
	v := golden(t)
	for name, c := range map[string]fl.Compressor{
		"top-k":           built(t, TopK, map[string]any{"k": int64(3)}),
		"sign":            built(t, Sign, nil),
		"qsgd":            built(t, QSGD, map[string]any{"levels": int64(4), "bucket": int64(0)}),
		"qsgd bucket":     built(t, QSGD, map[string]any{"levels": int64(7), "bucket": int64(10)}),
		"terngrad":        built(t, TernGrad, nil),
		"int8":            built(t, Int8, map[string]any{"block": int64(16), "rounding": "nearest"}),
		"int8 stochastic": built(t, Int8, map[string]any{"block": int64(16)}),
		"float16":         built(t, Float16, nil), "bfloat16": built(t, BFloat16, nil),
	} {
		if len(v.Updates) != 5 || len(v.Cases[name]) != 5 {
			t.Fatalf("%s: %d of %d updates", name, len(v.Cases[name]), len(v.Updates))
		}
		for k := range v.Updates {
			out, bits := sent(t, c, v.coded(k))
			v.agrees(t, name, k, out, bits)
		}
	}
}

// Five updates of random-k agree with NumPy for the places that are drawn here.
//
//hansa:verifies golden compressor/random-k
func TestGoldenRandomK(t *testing.T) {
	v := golden(t)
	for name, unbiased := range map[string]bool{"random-k": true, "random-k biased": false} {
		for k := range v.Updates {
			c, in := &randomK{unbiased: unbiased}, v.coded(k)
			in.Code, in.Out = new(fl.Bits), make(fl.Vector, len(in.In))
			c.write(in, v.Kept[k])
			bits := in.Code.Len()
			c.read(in, v.Kept[k])
			v.agrees(t, name, k, in.Out, bits)
		}
	}
}

// Five rounds of PowerSGD, which goes on from the Q of the round before, agree with NumPy.
//
//hansa:verifies golden compressor/power-sgd
func TestGoldenPowerSGD(t *testing.T) {
	v, c, state := golden(t), built(t, PowerSGD, nil), fl.NewStore()
	q := state.Vector("q", 2*v.Cols)
	copy(q[copy(q, v.First[0]):], v.First[1])
	for k := range v.Updates {
		on := v.coded(k)
		on.State = state
		out, bits := sent(t, c, on)
		v.agrees(t, "power-sgd", k, out, bits)
	}
}

// Five rounds of error feedback and of EF21 agree with NumPy, to 1e-12.
//
//hansa:verifies golden compressor/top-k compressor/sign
func TestGoldenFeedback(t *testing.T) {
	v := golden(t)
	top := built(t, TopK, map[string]any{"k": int64(3)})
	for name, c := range map[string]struct {
		by       fl.Compressor
		feedback fl.Feedback
	}{"ef top-k": {top, fl.FeedbackEF}, "ef21 top-k": {top, fl.FeedbackEF21},
		"ef sign": {built(t, Sign, nil), fl.FeedbackEF}} {
		kept := make(fl.Vector, len(v.Updates[0]))
		for k := range v.Updates {
			on, next := v.coded(k), make(fl.Vector, len(kept))
			on.In = on.In.Clone()
			c.feedback.Before(on.In, kept)
			out, bits := sent(t, c.by, on)
			c.feedback.After(next, kept, on.In, out)
			kept = next
			v.agrees(t, name, k, out, bits)
		}
	}
}
