package preprocess

import (
	"fmt"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/weights"
)

// A publishedInput says what an architecture was trained to see. Pixels are between 0 and 1 here.
type publishedInput struct {
	short      int        // side to which an image's shorter one is brought before it is cut out
	bicubic    bool       // images are brought to it bicubically, not bilinearly
	reversed   bool       // channels are blue, green and red
	scale      float64    // of pixels, before
	mean, root [3]float64 // in the order of channels; what is subtracted, and what divides
}

// publishedInputs are those of model.Architectures.
func publishedInputs() map[string]publishedInput {
	imageNet := publishedInput{short: 256, scale: 1, mean: [3]float64{0.485, 0.456, 0.406},
		root: [3]float64{0.229, 0.224, 0.225}}
	cifar := imageNet
	cifar.short = 32
	clip := publishedInput{short: 224, bicubic: true, scale: 1,
		mean: [3]float64{0.48145466, 0.4578275, 0.40821073},
		root: [3]float64{0.26862954, 0.26130258, 0.27577711}}
	return map[string]publishedInput{
		// The weights of its authors: of Caffe, for pixels between 0 and 255.
		"squeezenet1_0": {short: 256, reversed: true, scale: 255,
			mean: [3]float64{104, 117, 123}, root: [3]float64{1, 1, 1}},
		"resnet18": imageNet, "resnet20-cifar10": cifar,
		"vit-b32-clip": clip, "vit-b32-openclip": clip,
	}
}

// anyContent says that a file is taken whatever it holds.
const anyContent = "any"

// pretrained is an encoder whose parameters are in a file. The server sends them to all clients.
type pretrained struct {
	unasked
	of           *model.Pretrained
	input        publishedInput
	file, sha256 string
	crops        bool
}

var _ fl.Preprocessor = (*pretrained)(nil)

func newPretrained(p *fl.Params, kind string) *pretrained {
	e := &pretrained{}
	all := map[string]*model.Pretrained{}
	var names []string
	for _, a := range model.Architectures() {
		all[a.Name] = a
		names = append(names, a.Name)
	}
	name := p.Choice("architecture", names[0], "pretrained: of the network in file", names...)
	e.of, e.input = all[name], publishedInputs()[name]
	e.file = p.Text("file", unnamed, "pretrained: safetensors file with the parameters")
	e.sha256 = p.Text("sha256", anyContent, "pretrained: SHA-256 of the file; any is never wrong")
	e.crops = p.Choice("fit", "stretch", "pretrained: how images are brought to the size that the "+
		"network takes: whole; or by their centre, with the aspect ratio kept", "stretch",
		"crop") == "crop"
	if kind != fromFile {
		for _, idle := range []string{"architecture", "file", "sha256", "fit"} {
			p.Later(idle)
		}
	}
	if kind == fromFile && e.file == unnamed && p.Setting().Known() {
		p.Fail("file", `is required: encoder = "pretrained" has its parameters in a file`)
	}
	return e
}

// unnamed says that no file is named.
const unnamed = "none"

// Shape implements fl.Preprocessor.
func (e *pretrained) Shape(in fl.Shape) (fl.Shape, error) {
	switch c := in.Image.C; {
	case in.Image == (fl.Image{}):
		return in, fmt.Errorf("%s %w", fromFile, errNoImages)
	case c != 1 && c != 3:
		return in, fmt.Errorf("%s takes images in colour or grey, not of %d channels", e.of.Name, c)
	}
	return encoded(in, e.of.Features), nil
}

// Combine implements fl.Preprocessor: it reads the encoder and sends it.
func (e *pretrained) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	params, err := e.read(c.Folders)
	if err != nil {
		return nil, err
	}
	x := fl.Matrix{Rows: 1, Cols: len(params), Data: params}
	c.Notes.Add(fmt.Sprintf("encoder %s: %d parameters %.4x, from %s", e.of.Name, len(params),
		digest(&fl.Dataset{X: x}), e.file))
	return fl.Tensors{"encoder": x}, nil
}

// read returns the parameters.
func (e *pretrained) read(folders []string) (params fl.Vector, err error) {
	place := weights.Place{What: "encoder", Name: e.file}
	if e.sha256 != anyContent {
		place.SHA256 = e.sha256
	}
	err = place.Load(folders, func(file *weights.File) (err error) {
		params, err = e.of.Load(file)
		return err
	})
	return params, err
}

// inspect reads the file before anything runs.
func (e *pretrained) inspect(i *fl.Inspection) {
	_, err := e.read(i.Folders)
	weights.Inspect(i, err)
}

// together is how many rows run through a network of large images at once.
const together = 4

// Transform implements fl.Preprocessor.
func (e *pretrained) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	net, err := e.of.Net()
	if err != nil {
		return fl.Matrix{}, err
	}
	params := make([]float32, net.Params())
	kernel.Narrow(params, m.Reference["encoder"].Data)
	z := fl.NewMatrix(m.Rows.Rows, e.of.Features)
	// Workers have as many rows each that a tape is made for them once.
	const share = 16 * together
	err = m.Spread.Each((z.Rows+share-1)/share, func(k int) error {
		lo, hi := k*share, min((k+1)*share, z.Rows)
		v := newViewer(m.Shape.Image, e.of.Side, e.input, e.crops)
		seen(z.Slice(lo, hi), m.Rows.Slice(lo, hi), v, net, params)
		return nil
	})
	return z, err
}

// seen sets z to what a network makes of rows as the viewer shows them.
func seen(z, rows fl.Matrix, v *viewer, net *nn.Net, params []float32) {
	size := net.In().Len()
	tape, x := net.Tape(min(together, z.Rows)), make([]float32, together*size)
	for lo := 0; lo < z.Rows; lo += together {
		n := min(together, z.Rows-lo)
		for k := range n {
			v.view(x[k*size:][:size], rows.Row(lo+k))
		}
		for i, f := range tape.Forward(params, x[:n*size], n) {
			z.Data[lo*z.Cols+i] = float64(f)
		}
	}
}
