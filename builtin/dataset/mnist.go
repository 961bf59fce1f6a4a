// MNIST — 70,000 handwritten digits of 28×28 pixels.
//
//	Y. LeCun, L. Bottou, Y. Bengio, P. Haffner. Gradient-Based Learning Applied to
//	Document Recognition. Proceedings of the IEEE 86(11), 1998.
//
// The four original files are read, and nothing else is accepted for them.
//
// Departures: none.

package dataset

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// MNIST describes the data set to the registry.
var MNIST = fl.SourceEntry{
	Name:    "mnist",
	Summary: "70,000 handwritten digits of 28×28 pixels, in 10 classes",
	Paper:   "lecun1998",
	New:     newMNIST,
}

type mnist struct {
	train, test int // rows to use, the first ones; 0 for all
	scale       string
}

const (
	unit     = "unit"
	standard = "standard"

	mnistTrain, mnistTest = 60_000, 10_000
)

var _ fl.Source = (*mnist)(nil)

func newMNIST(p *fl.Params) (fl.Source, error) {
	return &mnist{
		train: p.Int("train", 0, fl.Closed(0, mnistTrain), "first training rows to use; 0 for all"),
		test:  p.Int("test", 0, fl.Closed(0, mnistTest), "first test rows to use; 0 for all"),
		scale: p.Choice("scale", unit, "pixels between 0 and 1, or each with mean 0 and "+
			"variance 1 over the training rows used", unit, standard),
	}, nil
}

// Shape is that of grey images in ten classes.
func (m *mnist) Shape() fl.Shape {
	return fl.Shape{
		Features: 28 * 28, Classes: 10, Image: fl.Image{C: 1, H: 28, W: 28}, Tested: true,
	}
}

// Load reads the files, once their checksums are right.
func (m *mnist) Load(l *fl.Loading) (train, test *fl.Dataset, err error) {
	files := mnistFiles()
	paths, err := data.Find(l.Folders, "mnist", files)
	if err != nil {
		return nil, nil, err
	}
	for i, path := range paths {
		if err := data.Verify(path, files[i].SHA256); err != nil {
			return nil, nil, err
		}
	}
	if train, err = m.read(paths[0], paths[1], m.train); err != nil {
		return nil, nil, err
	}
	if test, err = m.read(paths[2], paths[3], m.test); err != nil {
		return nil, nil, err
	}
	if m.scale == standard {
		data.Standardize(train.X, test.X)
		return train, test, nil
	}
	for _, pixels := range [][]float64{train.X.Data, test.X.Data} {
		for k := range pixels {
			pixels[k] /= 255
		}
	}
	return train, test, nil
}

// read returns the first n rows of a pair of files, all when n is 0; pixels as they are.
func (m *mnist) read(images, labels string, n int) (*fl.Dataset, error) {
	x, err := data.ReadIDX(images)
	if err != nil {
		return nil, err
	}
	y, err := data.ReadIDX(labels)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = x.Dims[0]
	}
	d := &fl.Dataset{Shape: m.Shape()}
	if d.X, err = x.Rows(n); err != nil {
		return nil, fmt.Errorf("%s: %w", images, err)
	}
	if d.Y, err = y.Labels(n, d.Shape.Classes); err != nil {
		return nil, fmt.Errorf("%s: %w", labels, err)
	}
	return d, nil
}

// mnistFiles lists the original files: training images and labels, test images and labels.
func mnistFiles() []data.File {
	const mirror = "https://ossci-datasets.s3.amazonaws.com/mnist/"
	files := []data.File{
		{Name: "train-images-idx3-ubyte.gz",
			SHA256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
		{Name: "train-labels-idx1-ubyte.gz",
			SHA256: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
		{Name: "t10k-images-idx3-ubyte.gz",
			SHA256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
		{Name: "t10k-labels-idx1-ubyte.gz",
			SHA256: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
	}
	for i := range files {
		files[i].URL = mirror + files[i].Name
	}
	return files
}
