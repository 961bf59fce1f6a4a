package preprocess

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/weights"
)

// released returns the encoder of a file of a data folder and what it is sent.
func released(t *testing.T, name, file string, in fl.Shape) (fl.Preprocessor, fl.Tensors) {
	t.Helper()
	e := fit(t, map[string]any{"encoder": "pretrained", "architecture": name, "file": file}, in)
	sent, err := e.Combine(&fl.CombineInput{Shape: in, Notes: new(fl.Notes),
		Folders: []string{datatest.Folder(t)}})
	if err != nil {
		t.Fatal(err)
	}
	return e, sent
}

const squeezeNetFile, resNet20File = "squeezenet/squeezenet1_0.safetensors",
	"resnet20-cifar10/resnet20.safetensors"

// oracle returns the tensors of an oracle by name.
func oracle(t *testing.T, folder string) func(name string) (shape []int, v []float64) {
	t.Helper()
	f, err := weights.Read(filepath.Join(datatest.Folder(t), folder, "oracle.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) ([]int, []float64) {
		shape, _ := f.Shape(name)
		v, err := f.Floats(name)
		if err != nil {
			t.Fatal(err)
		}
		return shape, v
	}
}

// inColour is the shape of colour images of a size.
func inColour(side int) fl.Shape {
	return fl.Shape{Features: 3 * side * side, Classes: 10, Image: fl.Image{C: 3, H: side, W: side}}
}

// firstChannels returns images of bytes, channels last, as data sets hold them.
func firstChannels(v []float64, side int) fl.Matrix {
	size := side * side
	x := fl.NewMatrix(len(v)/(3*size), 3*size)
	for i, b := range v {
		r, p, c := i/(3*size), i/3%size, i%3
		x.Row(r)[c*size+p] = b / 255
	}
	return x
}

// near fails where features are off by more than a share of their norm.
func near(t *testing.T, what string, got, want []float64, share float64) {
	t.Helper()
	off := fl.Vector(got).Distance(want) / fl.Vector(want).Norm()
	if !(off <= share) {
		t.Errorf("%s: off by %.2g of the norm", what, off)
	}
	t.Logf("%s: off by %.2g of the norm", what, off)
}

// Features of SqueezeNet are those of the oracle, which others computed in float64 from the same
// file, of images of its size and of small ones.
//
//hansa:verifies source preprocess/encode
func TestSqueezeNetIsPublished(t *testing.T) {
	of := oracle(t, "squeezenet")
	_, images := of("images")
	_, want := of("fire9_mean")
	in := inColour(227)
	e, sent := released(t, "squeezenet1_0", squeezeNetFile, in)
	near(t, "of 227×227", features(t, e, in, firstChannels(images, 227), sent).Data, want, 1e-5)

	_, small := of("images32")
	_, want = of("fire9_mean_resized")
	in = inColour(32)
	e, sent = released(t, "squeezenet1_0", squeezeNetFile, in)
	x := fl.Matrix{Rows: len(small) / in.Features, Cols: in.Features, Data: small}
	fl.Vector(small).Scale(1.0 / 255)
	near(t, "of 32×32", features(t, e, in, x, sent).Data, want, 1e-5)
}

// digitRows returns the first rows of the digits in four domains, as features or images.
func digitRows(t *testing.T, kind, scale string, n int) *fl.Dataset {
	t.Helper()
	p := fl.NewParams(map[string]any{"features": kind, "train": int64(n), "test": int64(n),
		"scale": scale}, fl.Setting{Clients: 4}, nil)
	s, err := dataset.DigitsDomains.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	train, test, err := s.Load(&fl.LoadInput{Clients: 4, Folders: []string{datatest.Folder(t)},
		Notes: new(fl.Notes)})
	if err != nil {
		t.Fatal(err)
	}
	train.X.Data = append(train.X.Data, test.X.Data...)
	train.X.Rows += test.X.Rows
	return train
}

// Features of digits in four domains are those that are published beside the images.
//
//hansa:verifies source preprocess/encode
func TestFeaturesOfDigitsArePublished(t *testing.T) {
	const each = 5
	images, want := digitRows(t, "images", "unit", each), digitRows(t, "squeezenet512", "raw", each)
	in := inColour(32)
	e, sent := released(t, "squeezenet1_0", squeezeNetFile, in)
	z := features(t, e, in, images.X, sent)
	if z.Rows != 8*each || len(z.Data) != len(want.X.Data) {
		t.Fatalf("%d×%d features, want %d×%d", z.Rows, z.Cols, want.X.Rows, want.X.Cols)
	}
	for i, v := range want.X.Data {
		if math.Abs(z.Data[i]-v) > 1e-3*v+1e-4 {
			t.Fatalf("feature %d of row %d is %v, published is %v", i%512, i/512, z.Data[i], v)
		}
	}
}

// ResNet-20 has the features and the scores of the oracle, and is right of as many test images of
// CIFAR-10 as its authors say: 9,173 of 10,000.
//
//hansa:verifies source preprocess/encode
func TestResNet20IsPublished(t *testing.T) {
	of := oracle(t, "resnet20-cifar10")
	_, images := of("images")
	_, want := of("features")
	in := inColour(32)
	e, sent := released(t, "resnet20-cifar10", resNet20File, in)
	near(t, "features", features(t, e, in, firstChannels(images, 32), sent).Data, want, 1e-5)

	file, err := weights.Read(filepath.Join(datatest.Folder(t), resNet20File))
	if err != nil {
		t.Fatal(err)
	}
	w, err1 := file.Floats("linear.weight")
	b, err2 := file.Floats("linear.bias")
	p := fl.NewParams(nil, fl.Setting{Clients: 1}, nil)
	s, err3 := dataset.CIFAR10.New(fl.NewParams(map[string]any{"train": int64(1), "batches": int64(1)},
		p.Setting(), nil))
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	_, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{datatest.Folder(t)},
		Notes: new(fl.Notes)})
	if err != nil {
		t.Fatal(err)
	}
	z, right := features(t, e, in, test.X, sent), 0
	for r, y := range test.Y {
		best, top := -1, math.Inf(-1)
		for c := range b {
			score := b[c]
			for k, v := range z.Row(r) {
				score += w[c*len(z.Row(r))+k] * v
			}
			if score > top {
				best, top = c, score
			}
		}
		if best == y {
			right++
		}
	}
	if right != 9173 || len(test.Y) != 10_000 {
		t.Errorf("%d of %d test images are right, want 9,173", right, len(test.Y))
	}
}

// What does not fit is refused before anything runs.
func TestPretrainedEncodersThatDoNotFit(t *testing.T) {
	given := map[string]any{"encoder": "pretrained"}
	if _, problems := encoder(t, given, inColour(32)); len(problems) != 1 || problems[0].Param != "file" {
		t.Error(problems)
	}
	given["file"] = "x.safetensors"
	if _, problems := encoder(t, given, images()); len(problems) != 1 ||
		!strings.Contains(problems[0].Message, "images in colour or grey, not of 2 channels") {
		t.Error(problems)
	}
	dir := t.TempDir()
	said := func() (all string) {
		i := &fl.Inspection{Folders: []string{dir}}
		Encode.Inspect(fit(t, given, inColour(32)), i)
		for _, p := range append(i.Problems, i.Missing...) {
			all += p.Param + ": " + p.Message
		}
		return all
	}
	if got := said(); !strings.Contains(got, "not found: x.safetensors") {
		t.Error(got)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.safetensors"), []byte("no weights"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := said(); !strings.Contains(got, "no safetensors file") {
		t.Error(got)
	}
	delete(given, "file")
	given["encoder"] = "identity"
	e := fit(t, given, inColour(32))
	Encode.Inspect(e, &fl.Inspection{}) // reads nothing
	if _, ok := e.(*pretrained); ok {
		t.Error("an encoder without a file has one")
	}
}

// An image that is brought to its own size stays as it is; the centre of a large one is cut out.
func TestViews(t *testing.T) {
	in := fl.Image{C: 1, H: 3, W: 3}
	plain := publishedInput{short: 6, scale: 2, root: [3]float64{1, 1, 1}, mean: [3]float64{1, 0, 0}}
	row := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	dst := make([]float32, 27)
	newViewer(in, 3, plain, false).view(dst, row)
	for p, v := range row {
		if got := dst[3*p:][:3]; float64(got[0]) != 2*v-1 || float64(got[1]) != 2*v || got[1] != got[2] {
			t.Errorf("pixel %d is %v, of %v", p, got, v)
		}
	}
	// Doubled to 6×6, whose middle 2×2 pixels lie a quarter of a pixel around the centre.
	newViewer(in, 2, plain, true).view(dst[:12], row)
	for p, v := range []float64{4 - 0.25*4, 4 + 0.25*(1-3), 4 - 0.25*(1-3), 4 + 0.25*4} {
		if got := float64(dst[3*p+1]); got != 2*v {
			t.Errorf("pixel %d is %v, want %v", p, got, 2*v)
		}
	}
}
