package preprocess_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/importance"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/preprocess"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

const side = 16

// A gallery is a source of smooth images, so many for every client, each client with a cast.
type gallery struct {
	channels   int
	sizes      []int // of the clients
	tests      int   // of each client
	cast       func(client int, x float64) float64
	seed       uint64
	tested     uint64 // seed of the test images
	labels     int    // what is added to them
	shared     bool   // clients have the same images but for casts
	clientless bool   // test rows belong to no client
}

func (g gallery) Shape() fl.Shape {
	return fl.Shape{Features: g.channels * side * side, Classes: 4, Owned: !g.clientless, Tested: true,
		Image: fl.Image{C: g.channels, H: side, W: side}}
}

func (g gallery) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	train = g.images(g.seed, g.sizes)
	test = g.images(g.tested, slices.Repeat([]int{g.tests}, len(g.sizes)))
	if g.clientless {
		test.Owner = nil
	}
	return train, test, nil
}

func (g gallery) images(seed uint64, sizes []int) *fl.Dataset {
	d := &fl.Dataset{Shape: g.Shape()}
	for i, n := range sizes {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		if g.shared {
			rng = rand.New(rand.NewPCG(seed, 0))
		}
		for range n {
			for range g.channels {
				a, b, c := rng.Float64(), rng.Float64(), rng.Float64()
				for p := range side * side {
					x := 0.5 + 0.3*math.Sin(3*a+float64(p%side)/(2+3*b)) +
						0.15*math.Cos(3*c+float64(p/side)/3)
					if g.cast != nil {
						x = g.cast(i, x)
					}
					d.X.Data = append(d.X.Data, x)
				}
			}
			d.Owner = append(d.Owner, i)
			d.Y = append(d.Y, (rng.IntN(4)+g.labels)%4)
		}
	}
	d.X.Rows, d.X.Cols = len(d.Y), d.Shape.Features
	return d
}

// Split implements fl.Partitioner: clients have what is theirs.
func (g gallery) Split(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
	rows := make([][]int, n)
	for r, i := range d.Owner {
		rows[i] = append(rows[i], r)
	}
	return rows, nil
}

// prepared returns what a component makes of a gallery.
func (g gallery) prepared(t *testing.T, params map[string]any) *engine.World {
	t.Helper()
	w, err := g.prepare(params)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (g gallery) prepare(params map[string]any) (*engine.World, error) {
	of := fl.Setting{Clients: len(g.sizes), Shape: g.Shape(), Assigned: !g.clientless}
	p := fl.NewParams(params, of, nil)
	c, err := preprocess.ChannelBarycenter.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		return nil, fmt.Errorf("%w %v", err, problems)
	}
	softmax, err := model.Softmax.New(fl.NewParams(nil, of, nil))
	if err != nil {
		return nil, err
	}
	even, err := importance.Uniform.New(fl.NewParams(nil, of, nil))
	if err != nil {
		return nil, err
	}
	return engine.Prepare(&engine.Setup{Clients: len(g.sizes), Source: g, Partition: g,
		Importance: even, Model: softmax, Preprocess: []engine.Stage{{Name: "it", Preprocessor: c}},
	}, engine.Options{Workers: 2})
}

// variants are all there are, with few draws.
func variants() []map[string]any {
	return []map[string]any{
		{"variant": "histogram", "source": "image"},
		{"variant": "histogram", "source": "client"},
		{"variant": "histogram", "barycenter": "entropic", "regularization_barycenter": 0.01},
		{"variant": "cloud", "source": "image", "samples": int64(60)},
		{"variant": "cloud", "source": "client", "samples": int64(60)},
		{"variant": "published", "samples": int64(60), "batch": int64(4)},
	}
}

// with returns parameters with one more.
func with(params map[string]any, key string, value any) map[string]any {
	more := map[string]any{key: value}
	for k, v := range params {
		if k != key {
			more[k] = v
		}
	}
	return more
}

// Neither test images nor labels decide what becomes of training images, and labels nothing of
// test images either.
func TestChannelFitSeesTrainingImagesAlone(t *testing.T) {
	for _, params := range variants() {
		g := gallery{channels: 3, sizes: []int{5, 9, 3}, tests: 2, seed: 1, tested: 2}
		before := g.prepared(t, params).Population
		g.labels = 1
		relabelled := g.prepared(t, params).Population
		g.tested, g.cast = 3, nil
		others := g.prepared(t, params).Population
		if !slices.Equal(before.Train.X.Data, relabelled.Train.X.Data) ||
			!slices.Equal(before.Test.X.Data, relabelled.Test.X.Data) {
			t.Errorf("%v: labels have an influence", params)
		}
		if slices.Equal(relabelled.Test.X.Data, others.Test.X.Data) {
			t.Fatal("test images are the same")
		}
		if !slices.Equal(before.Train.X.Data, others.Train.X.Data) {
			t.Errorf("%v: test images have an influence", params)
		}
	}
}

// A test image goes where the reference sends it, for any client.
func TestChannelTestImages(t *testing.T) {
	g := gallery{channels: 3, sizes: []int{5, 9}, tests: 3, seed: 1, tested: 2}
	own := g.prepared(t, nil).Population.Test.X
	g.clientless = true
	if clientless := g.prepared(t, nil).Population.Test.X; !same(own, clientless, 0) {
		t.Error("test images depend on whose they are")
	}
}

// Where all clients have the same images, those stay what they are by the map of clients.
//
//hansa:verifies theorem preprocess/channel-barycenter
func TestChannelTheoremEqualClients(t *testing.T) {
	g := gallery{channels: 3, sizes: []int{6, 6, 6}, tests: 2, seed: 1, tested: 1, shared: true}
	g.cast = func(_ int, x float64) float64 { return math.Round(255*x) / 255 }
	train, _, _ := g.Load(nil)
	got := g.prepared(t, map[string]any{"source": "client"}).Population.Train.X
	if !same(got, train.X, 1e-10) {
		t.Errorf("images are %v away", fl.Vector(got.Data).Distance(train.X.Data))
	}
	g.sizes = []int{1, 1, 1} // so that all images are the same: their barycenter is that image
	train, _, _ = g.Load(nil)
	if got := g.prepared(t, nil).Population.Train.X; !same(got, train.X, 1e-10) {
		t.Errorf("the one image is %v away", fl.Vector(got.Data).Distance(train.X.Data))
	}
}

// By the map of its client, an image becomes the same whatever monotone cast the client has.
func TestChannelUndoesCasts(t *testing.T) {
	g := gallery{channels: 2, sizes: []int{8, 8, 8}, tests: 3, seed: 1, tested: 1, shared: true}
	g.cast = func(client int, x float64) float64 {
		return [3]float64{x, 0.6*x + 0.3, math.Pow(x, 2)}[client]
	}
	for _, c := range []struct {
		params map[string]any
		within float64 // mean distance of pixels
	}{
		{map[string]any{"source": "client"}, 0.01},
		{map[string]any{"source": "client", "bins": int64(64)}, 0.02},
		{map[string]any{"source": "image"}, 0.01},
		{map[string]any{"variant": "cloud", "source": "client", "samples": int64(300)}, 0.05},
	} {
		pop := g.prepared(t, c.params).Population
		for _, x := range []fl.Matrix{pop.Train.X, pop.Test.X} {
			n := x.Rows / 3
			for i := range 2 {
				a, b := x.Slice(0, n), x.Slice((i+1)*n, (i+2)*n)
				apart := 0.0
				for k, v := range a.Data {
					apart += math.Abs(v-b.Data[k]) / float64(len(a.Data))
				}
				if apart > c.within {
					t.Errorf("%v: images of clients 0 and %d are %v apart", c.params, i+1, apart)
				}
			}
		}
	}
}

// Of intensities that are normal, the barycenter is the normal one between them.
//
//hansa:verifies theorem preprocess/channel-barycenter
func TestChannelTheoremGaussians(t *testing.T) {
	d := func(mean, deviation float64) *fl.Dataset {
		x := fl.NewMatrix(40, side*side)
		rng := rand.New(rand.NewPCG(3, 4))
		for k := range x.Data {
			x.Data[k] = min(1, max(0, mean+deviation*rng.NormFloat64()))
		}
		return &fl.Dataset{Shape: gallery{channels: 1}.Shape(), X: x}
	}
	c := built(t, preprocess.ChannelBarycenter, map[string]any{"source": "client"})
	in := &fl.CombineInput{Shape: d(0, 0).Shape}
	for i, own := range []*fl.Dataset{d(0.3, 0.03), d(0.6, 0.09)} {
		payload, err := c.Summarize(&fl.SummaryInput{Data: own})
		if err != nil {
			t.Fatal(err)
		}
		in.Uploads = append(in.Uploads, fl.Update{Client: i, Samples: 100 - 50*i, Payload: payload})
	}
	target, err := c.Combine(in)
	if err != nil {
		t.Fatal(err)
	}
	mean, square := 0.0, 0.0
	for k, mass := range target["target"].Data {
		mean += mass * float64(k) / 255
		square += mass * math.Pow(float64(k)/255, 2)
	}
	// Weights of 2/3 and 1/3.
	if deviation := math.Sqrt(square - mean*mean); math.Abs(mean-0.4) > 1e-3 ||
		math.Abs(deviation-0.05) > 1e-3 {
		t.Errorf("mean %v, deviation %v, want 0.4 and 0.05", mean, deviation)
	}
}

// Constant channels and images without light go through every variant and stay colours; τ = 0
// leaves all as it is, and τ = ½ goes half the way.
func TestChannelEdges(t *testing.T) {
	for _, params := range variants() {
		g := gallery{channels: 3, sizes: []int{3, 1}, tests: 1, seed: 1, tested: 2}
		n := 0
		g.cast = func(_ int, x float64) float64 {
			n++
			switch image := n / (3 * side * side); {
			case image == 0:
				return 0
			case image == 1 && n%(3*side*side) < side*side:
				return 0.7
			}
			return x
		}
		whole := g.prepared(t, params).Population.Train.X
		for k, v := range whole.Data {
			if !(v > -0.5 && v < 1.5) || params["variant"] != "published" && !(v >= 0 && v <= 1) {
				t.Fatalf("%v: element %d is %v", params, k, v)
			}
		}
		n = 0
		train, _, _ := g.Load(nil)
		n = 0
		if still := g.prepared(t, with(params, "tau", 0.0)).Population.Train.X; !same(still, train.X, 0) {
			t.Errorf("%v: τ = 0 moves images", params)
		}
		n = 0
		half := g.prepared(t, with(params, "tau", 0.5)).Population.Train.X
		fl.Vector(train.X.Data).AddScaled(1, whole.Data)
		fl.Vector(train.X.Data).Scale(0.5)
		if !same(half, train.X, 1e-12) {
			t.Errorf("%v: τ = ½ is not half the way", params)
		}
	}
}

// The published target is the same for every draw and channel, but for blur at the ends: images
// keep little of their contrast, and the table says so.
func TestPublishedLosesImages(t *testing.T) {
	g := gallery{channels: 3, sizes: []int{110, 20}, tests: 2, seed: 1, tested: 2}
	w := g.prepared(t, map[string]any{"variant": "published"})
	kept := w.Prepared.Observations()
	if len(kept) != 1 || kept[0].Name != "contrast kept" || !(kept[0].Most < 0.25) {
		t.Errorf("%+v", kept)
	}
	if mean := fl.Vector(w.Population.Train.X.Data).Sum() /
		float64(len(w.Population.Train.X.Data)); math.Abs(mean-0.004) > 0.002 {
		t.Errorf("images have a mean of %v, want 1/250", mean)
	}
}

// The order of clients does not matter to the barycenters, and their weights do.
func TestChannelWeights(t *testing.T) {
	for _, params := range variants() {
		g := gallery{channels: 1, sizes: []int{4, 12}, tests: 1, seed: 1, tested: 2}
		g.cast = func(client int, x float64) float64 { return x * float64(1+client) / 2 }
		target := func(params map[string]any, flip bool) fl.Vector {
			c := built(t, preprocess.ChannelBarycenter, params)
			train, _, _ := g.Load(nil)
			in := &fl.CombineInput{Shape: g.Shape(), Notes: new(fl.Notes),
				RNG: rand.New(rand.NewPCG(1, 1))}
			for i, at := range [][2]int{{0, 4}, {4, 16}} {
				own := train.Rows(at[0], at[1])
				payload, err := c.Summarize(&fl.SummaryInput{Data: &own, Notes: new(fl.Notes),
					RNG: rand.New(rand.NewPCG(2, uint64(i)))})
				if err != nil {
					t.Fatal(err)
				}
				in.Uploads = append(in.Uploads,
					fl.Update{Client: i, Samples: own.Len(), Payload: payload})
			}
			if flip {
				slices.Reverse(in.Uploads)
			}
			reference, err := c.Combine(in)
			if err != nil {
				t.Fatal(err)
			}
			return reference["target"].Data
		}
		by := target(params, false)
		if params["variant"] != "cloud" { // which begins with colours that are drawn by client
			if e := by.Distance(target(params, true)); e > 1e-7 {
				t.Errorf("%v: %v away in another order", params, e)
			}
		}
		if e := by.Distance(target(with(params, "weights", "equal"), false)); e < 1e-6 {
			t.Errorf("%v: weights do not matter", params)
		}
	}
}

func TestChannelRefuses(t *testing.T) {
	g := gallery{channels: 1, sizes: []int{4, 3}, tests: 1, seed: 1, tested: 2}
	for _, params := range variants() {
		bright := g
		bright.cast = func(_ int, x float64) float64 { return 255 * x }
		_, err := bright.prepare(params)
		if err == nil || !strings.Contains(err.Error(), `scale = "unit"`) {
			t.Errorf("%v: bright images: %v", params, err)
		}
	}
	g.clientless = true
	for _, variant := range []string{"histogram", "cloud"} {
		_, err := g.prepare(map[string]any{"variant": variant, "source": "client"})
		if err == nil || !strings.Contains(err.Error(), "some have no client") {
			t.Errorf("%s by client: %v", variant, err)
		}
	}
	if _, err := g.prepare(map[string]any{"variant": "published", "regularization": 0.0}); err == nil {
		t.Error("exact published plans: no error")
	}
	c := built(t, preprocess.ChannelBarycenter, nil)
	if _, err := c.Shape(fl.Shape{Features: 8}); err == nil {
		t.Error("rows that are no images: no error")
	}
}
