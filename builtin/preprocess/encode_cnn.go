package preprocess

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/nn"
)

// A training is how a server trains an encoder.
type training struct {
	public        fl.Source
	epochs, batch int
	rate          float64
	by            fl.Optimizer
}

func newTraining(p *fl.Params) training {
	return training{
		public: p.Source("public", "cnn: the data set that the encoder is trained on"),
		epochs: p.Int("epochs", 3, fl.AtLeast(1), "cnn: passes over the public data"),
		batch:  p.Int("batch", 64, fl.AtLeast(1), "cnn: samples per step"),
		rate:   p.Float("lr", 0.001, fl.Above(0), "cnn: learning rate"),
		by:     p.Optimizer("optimizer", "adam", "cnn: what makes a step of a gradient"),
	}
}

// trained is an encoder that the server trains on public data.
type trained struct {
	unasked
	training
	stack
	features int
	seed     uint64

	data   string // what the public data are called
	stated string // every parameter, as the experiment states it
}

var _ fl.Preprocessor = (*trained)(nil)

func newTrained(p *fl.Params, t training, s stack, features int, seed uint64) *trained {
	e := &trained{training: t, stack: s, features: features, seed: seed,
		stated: fmt.Sprint(p.Resolved())}
	if public, ok := p.Resolved()["public"].(map[string]any); ok {
		e.data = fmt.Sprint(public["name"])
	}
	if e.public == nil && p.Setting().Known() {
		p.Fail("public", `is required: encoder = "cnn" is trained on public data, such as `+
			`public = "glyphs"`)
	}
	return e
}

// layers are those of the encoder: the network but for its scores.
func (e *trained) layers() []nn.Layer {
	return append(e.stack.layers(), nn.MaxPool(2, 2), nn.Flatten(), nn.Dense(e.features), nn.ReLU())
}

// Shape implements fl.Preprocessor.
func (e *trained) Shape(in fl.Shape) (fl.Shape, error) {
	if e.public == nil {
		return in, errors.New("cnn has no public data to be trained on")
	}
	switch public := e.public.Shape(); {
	case in.Image == (fl.Image{}):
		return in, fmt.Errorf("%s %w", trainedCNN, errNoImages)
	case public.Image == (fl.Image{}) || public.Classes == 0:
		return in, fmt.Errorf("cnn is trained on images in classes, and %s has none", e.data)
	case public.Image != in.Image:
		return in, fmt.Errorf("cnn is trained on images like those of the clients, of %v; %s has "+
			"images of %v", model.ShapeOf(in), e.data, model.ShapeOf(public))
	}
	if _, err := onImages(trainedCNN, in, e.layers()); err != nil {
		return in, err
	}
	return encoded(in, e.features), nil
}

// Combine implements fl.Preprocessor: it trains the encoder, once for all cells, and sends it.
func (e *trained) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	train, test, err := e.public.Load(&fl.LoadInput{RNG: e.stream("public").Rand(), Clients: 1,
		Folders: c.Folders})
	if err != nil {
		return nil, fmt.Errorf("public: %w", err)
	}
	key := fmt.Sprintf("encoder %s %s of %x", trainedCNN, e.stated, digest(train, test))
	made, err := c.Once(key, func() (fl.Tensors, error) { return e.train(train, test) })
	if err != nil {
		return nil, err
	}
	params := made["encoder"]
	note := fmt.Sprintf("encoder cnn: %d parameters %.4x, trained on %s (%d samples)",
		len(params.Data), digest(&fl.Dataset{X: params}), e.data, train.Len())
	if right := made["right"].Data[0]; test != nil {
		note += fmt.Sprintf(", which classifies %.2f %% of its %d test samples correctly",
			100*right, test.Len())
	}
	c.Notes.Add(note)
	return fl.Tensors{"encoder": params}, nil
}

// stream returns a random stream of the encoder.
func (e *trained) stream(purpose string) fl.Stream {
	return fl.NewStream(e.seed, "encoder "+purpose)
}

// train returns the parameters of the encoder, and how many of the test samples the network that
// it is of classifies correctly, NaN without any.
func (e *trained) train(train, test *fl.Dataset) (fl.Tensors, error) {
	whole, err := model.Network(func(_ nn.Shape, scores int) []nn.Layer {
		return append(e.layers(), nn.Dense(scores))
	}).For(train.Shape)
	if err != nil {
		return nil, err
	}
	t := &fl.Task{Client: &fl.Client{Data: *train}, Model: whole, Worker: whole.Worker(),
		Params: whole.Init(e.stream("init").Rand()), RNG: e.stream("batches").Rand()}
	d := t.Descent()
	d.Optimizer, d.Rate, d.Batches = e.by, e.rate, t.Batches(e.batch)
	d.Steps = e.epochs * d.Batches.PerEpoch()
	t.Worker.Descend(d)
	if !t.Params.Finite() {
		return nil, fmt.Errorf("the encoder cnn has NaN or Inf after training at lr = %v", e.rate)
	}
	net, err := onImages(trainedCNN, train.Shape, e.layers())
	if err != nil {
		return nil, err
	}
	// The scores are the last layer: before it lie the parameters of the encoder.
	params := t.Params[:net.Params()]
	right := fl.Matrix{Rows: 1, Cols: 1, Data: fl.Vector{correct(t, test)}}
	return fl.Tensors{"encoder": {Rows: 1, Cols: len(params), Data: params}, "right": right}, nil
}

// correct returns the share of samples whose class has the largest score; NaN without any.
func correct(t *fl.Task, d *fl.Dataset) float64 {
	if d == nil {
		return math.NaN()
	}
	return float64(fl.Correct(t.Worker, t.Params, d)) / float64(d.Len())
}

// Transform implements fl.Preprocessor.
func (e *trained) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	net, err := onImages(trainedCNN, m.Shape, e.layers())
	if err != nil {
		return fl.Matrix{}, err
	}
	params := make([]float32, net.Params())
	kernel.Narrow(params, m.Reference["encoder"].Data)
	return through(net, params, m.Rows), nil
}

// digest returns the SHA-256 of samples: of their number, their features and their classes. Of no
// data set there are none.
func digest(sets ...*fl.Dataset) []byte {
	h := sha256.New()
	for _, d := range sets {
		if d == nil {
			d = new(fl.Dataset)
		}
		write(h, []int{d.X.Rows, d.X.Cols, len(d.Y)}, func(n int) uint64 { return uint64(n) })
		write(h, d.X.Data, math.Float64bits)
		write(h, d.Y, func(y int) uint64 { return uint64(y) })
	}
	return h.Sum(nil)
}

// write writes numbers by their bits.
func write[T any](h hash.Hash, list []T, bits func(T) uint64) {
	var b []byte
	for part := range slices.Chunk(list, 1<<12) {
		b = b[:0]
		for _, x := range part {
			b = binary.LittleEndian.AppendUint64(b, bits(x))
		}
		h.Write(b)
	}
}
