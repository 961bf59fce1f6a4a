package preprocess

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/builtin/importance"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/builtin/partition"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/store"
)

// public is a small encoder and the data that it is trained on, with more parameters.
func public(more ...any) map[string]any {
	given := map[string]any{"encoder": "cnn", "channels": []any{int64(3), int64(5)},
		"kernel": int64(3), "features": int64(16),
		"public": map[string]any{"name": "glyphs", "train": int64(20), "test": int64(10)}}
	for k := 0; k < len(more); k += 2 {
		given[more[k].(string)] = more[k+1]
	}
	return given
}

// The features are what lies before the scores of the network that is trained: by the definition
// of its layers, and such that a dense layer makes its scores of them.
func TestEncoderIsTheNetworkBeforeItsScores(t *testing.T) {
	in, x := digits(), noise(3, digits())
	e := fit(t, public(), in).(*trained)
	whole, err := model.Network(func(_ nn.Shape, scores int) []nn.Layer {
		return append(e.layers(), nn.Dense(scores))
	}).For(in)
	if err != nil {
		t.Fatal(err)
	}
	theta := whole.Init(rand.New(rand.NewPCG(7, 8)))
	net, err := onImages("", in, e.layers())
	if err != nil {
		t.Fatal(err)
	}
	n := net.Params()
	z := features(t, e, in, x, fl.Tensors{"encoder": {Rows: 1, Cols: n, Data: theta[:n]}})
	scores := fl.NewMatrix(3, 10)
	whole.Worker().Scores(scores, theta, x)
	var blocks [][]float32
	for _, b := range whole.Layout().Blocks {
		v := make([]float32, b.Rows*b.Cols)
		for i := range v {
			v[i] = float32(theta[b.Offset+i])
		}
		blocks = append(blocks, v)
	}
	for r := range x.Rows {
		p := unfold(x.Row(r), in.Image).convolved(blocks[0], blocks[1], 3).halved().
			convolved(blocks[2], blocks[3], 3).halved().list()
		want := product(p, blocks[4], blocks[5])
		for i := range want {
			want[i] = max(want[i], 0)
		}
		alike(t, "features", z.Row(r), want)
		alike(t, "scores", scores.Row(r), product(want, blocks[6], blocks[7]))
	}
}

// product returns what a dense layer makes of x.
func product(x []float64, weight, bias []float32) []float64 {
	y := make([]float64, len(bias))
	for o := range y {
		y[o] = float64(bias[o])
		for i, v := range x {
			y[o] += float64(weight[o*len(x)+i]) * v
		}
	}
	return y
}

// Training finds what tells the classes of public data apart; a note says how well, and clients
// are sent the encoder and nothing else.
func TestEncoderLearns(t *testing.T) {
	glyphs := map[string]any{"name": "glyphs", "train": int64(600), "test": int64(100)}
	e := fit(t, public("public", glyphs, "epochs", int64(8), "lr", 0.005, "batch", int64(20)), digits())
	c := &fl.CombineInput{Shape: digits(), Notes: new(fl.Notes)}
	reference, err := e.Combine(c)
	if err != nil {
		t.Fatal(err)
	}
	// 3 and 5 channels of 3×3, then 5×5×5 pixels to 16 features.
	if want := 3*9 + 3 + 5*27 + 5 + 125*16 + 16; reference.Floats() != want || len(reference) != 1 {
		t.Errorf("%d floats, want %d", reference.Floats(), want)
	}
	notes := c.Notes.List()
	var hash uint32
	var right float64
	if _, err := fmt.Sscanf(notes[0], "encoder cnn: 2186 parameters %x, trained on glyphs (600 samples), "+
		"which classifies %f %% of its 100 test samples correctly", &hash, &right); err != nil ||
		right < 60 || right > 100 || len(notes) != 1 {
		t.Errorf("%q: %v", notes, err)
	}
}

// A counted optimizer is plain gradient descent, and counts requests for its rule.
type counted struct {
	fl.Optimizer
	asked *atomic.Int32
}

func (c counted) Rule() fl.Rule {
	c.asked.Add(1)
	return c.Optimizer.Rule()
}

// An experiment is one with an encoder that counts how often it is trained.
type experiment struct {
	chain   []engine.Stage
	asked   atomic.Int32
	options engine.Options
}

func newExperiment(t *testing.T, dir string) *experiment {
	x := &experiment{options: engine.Options{Workers: 2, Memo: engine.NewMemo(9),
		DiskCache: &store.DiskCache{Dir: dir, Program: func() (string, bool) { return "this", true }}}}
	x.chain = []engine.Stage{{Name: "encode", Preprocessor: fit(t, public("optimizer", "counted"),
		digits(), fl.OptimizerEntry{Name: "counted", New: func(p *fl.Params) (fl.Optimizer, error) {
			plain, err := optimizer.SGD.New(p)
			return counted{plain, &x.asked}, err
		}})}}
	return x
}

// world prepares the data of a seed.
func (x *experiment) world(t *testing.T, seed uint64) *engine.World {
	t.Helper()
	p := fl.NewParams(map[string]any{"train": int64(12), "test": int64(5)}, fl.Setting{Clients: 3}, nil)
	source, err1 := dataset.Glyphs.New(p)
	deal, err2 := partition.IID.New(p)
	count, err3 := importance.Uniform.New(p)
	learn, err4 := model.Softmax.New(p)
	s := &engine.Setup{DataSeed: seed, Clients: 3, Source: source, Partition: deal, Importance: count,
		Model: learn, Preprocess: x.chain, DealtKey: fmt.Sprint(seed), DataKey: fmt.Sprint(seed, " x")}
	w, err := engine.Prepare(s, x.options)
	for _, err := range []error{err, err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// An encoder is trained once for all seeds of a run and for later runs, which get the same bits;
// whatever is wrong with what is kept, it is trained again, to the same bits.
func TestEncoderIsTrainedOnce(t *testing.T) {
	dir := t.TempDir()
	var first *engine.World
	for _, c := range []struct {
		before string
		spoil  func(file []byte) []byte // nil: leave it as it is
		want   int32
	}{
		{"nothing is kept", nil, 1},
		{"it is kept", nil, 0},
		{"a bit is flipped", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, 1},
		{"it is made again", nil, 0},
		{"it is cut", func(b []byte) []byte { return b[:len(b)-8] }, 1},
		{"it is empty", func([]byte) []byte { return nil }, 1},
		{"it is kept after all", nil, 0},
	} {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || first != nil && len(files) != 1 {
			t.Fatalf("%s: %v, %v", c.before, files, err)
		}
		if c.spoil != nil {
			content, err := os.ReadFile(files[0])
			if err == nil {
				err = os.WriteFile(files[0], c.spoil(content), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		x := newExperiment(t, dir)
		worlds := []*engine.World{x.world(t, 1), x.world(t, 2)}
		if first == nil {
			first = worlds[0]
		}
		if got := x.asked.Load(); got != c.want {
			t.Errorf("%s: trained %d times, want %d", c.before, got, c.want)
		}
		if !bitwise(worlds[0].Population.Train.X.Data, first.Population.Train.X.Data) ||
			!bitwise(worlds[0].Population.Test.X.Data, first.Population.Test.X.Data) {
			t.Errorf("%s: other features", c.before)
		}
		if notes := worlds[1].Prepared.List(); !slices.Equal(notes, first.Prepared.List()) {
			t.Errorf("%s: %q", c.before, notes)
		}
		if w := worlds[1]; w.Uploaded != 0 || w.Downloaded != 3*2186 {
			t.Errorf("%s: %d floats up, %d down", c.before, w.Uploaded, w.Downloaded)
		}
	}
}

// What an encoder is known by differs as soon as anything does that decides it.
func TestEncodersAreKnownByAllThatDecidesThem(t *testing.T) {
	keyOf := func(e fl.Preprocessor) (key string) {
		c := &fl.CombineInput{Shape: digits(), Notes: new(fl.Notes)}
		c.Recall = func(k string, _ func() (fl.Tensors, error)) (fl.Tensors, error) {
			key = k
			return fl.Tensors{"encoder": fl.NewMatrix(1, 1), "right": fl.NewMatrix(1, 1)}, nil
		}
		if _, err := e.Combine(c); err != nil {
			t.Fatal(err)
		}
		return key
	}
	key := func(given map[string]any) string { return keyOf(fit(t, given, digits())) }
	glyphs := func(more map[string]any) map[string]any {
		more["name"], more["train"] = "glyphs", int64(20)
		return more
	}
	keys := map[string]string{}
	for _, given := range []map[string]any{
		public(), public("seed", int64(1)), public("epochs", int64(2)), public("batch", int64(7)),
		public("lr", 0.1), public("optimizer", "sgd"), public("features", int64(17)),
		public("optimizer", map[string]any{"name": "sgd", "momentum": 0.5}),
		public("channels", []any{int64(3), int64(4)}), public("kernel", int64(2)),
		public("public", glyphs(map[string]any{"test": int64(20)})),
		public("public", glyphs(map[string]any{"test": int64(10), "noise": 0.1})),
	} {
		k := key(given)
		if k != key(given) {
			t.Errorf("%v: known by two keys", given)
		}
		if other, taken := keys[k]; taken {
			t.Errorf("%v is known by the key of %s", given, other)
		}
		keys[k] = fmt.Sprint(given)
	}
	// Even where nothing is stated that differs, as with files whose content has changed.
	stated := fit(t, public(), digits()).(*trained)
	stated.public = fit(t, public("public", glyphs(map[string]any{"noise": 0.2})), digits()).(*trained).public
	if other, taken := keys[keyOf(stated)]; taken {
		t.Errorf("other data are known by the key of %s", other)
	}
	a := &fl.Dataset{X: fl.Matrix{Rows: 1, Cols: 2, Data: fl.Vector{1, 2}}, Y: []int{1}}
	b := &fl.Dataset{X: fl.Matrix{Rows: 2, Cols: 1, Data: fl.Vector{1, 2}}, Y: []int{1}}
	c := &fl.Dataset{X: a.X, Y: []int{2}}
	d := &fl.Dataset{X: fl.Matrix{Rows: 1, Cols: 2, Data: fl.Vector{1, 3}}, Y: []int{1}}
	seen := map[string]bool{}
	for _, sets := range [][]*fl.Dataset{{a, nil}, {nil, a}, {a, a}, {b, nil}, {c, nil}, {d, nil}} {
		seen[string(digest(sets...))] = true
	}
	if len(seen) != 6 || string(digest(a, nil)) != string(digest(a, nil)) {
		t.Errorf("%d digests of 6 different data", len(seen))
	}
}

// Data without test samples say nothing of accuracy; training that diverges is an error.
func TestEncodersThatCannotBeJudged(t *testing.T) {
	bare := map[string]any{"name": "glyphs", "train": int64(20), "test": int64(0)}
	c := &fl.CombineInput{Shape: digits(), Notes: new(fl.Notes)}
	_, err := fit(t, public("public", bare), digits()).Combine(c)
	if list := c.Notes.List(); err != nil || len(list) != 1 || !strings.HasSuffix(list[0], "(20 samples)") {
		t.Errorf("%q, %v", list, err)
	}
	wild := public("public", bare, "lr", 1e30, "optimizer", "sgd")
	_, err = fit(t, wild, digits()).Combine(c)
	if want := "the encoder cnn has NaN or Inf after training at lr = 1e+30"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
