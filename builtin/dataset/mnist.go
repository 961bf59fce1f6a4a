// MNIST — 70,000 handwritten digits of 28×28 pixels.
//
//	Y. LeCun, L. Bottou, Y. Bengio, P. Haffner. Gradient-Based Learning Applied to
//	Document Recognition. Proceedings of the IEEE 86(11), 1998.
//
// The four original files are read, also unpacked or packed anew, and no other content is accepted.
// Images can be put on a larger canvas and in three channels, for networks that were made for
// photographs.
//
// Departures: none.

package dataset

import (
	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// MNIST describes the data set to the registry.
var MNIST = fl.SourceEntry{
	Name:    "mnist",
	Summary: "70,000 handwritten digits of 28×28 pixels, in 10 classes",
	Paper:   "lecun1998",
	New:     newMNIST,
	Traits:  fl.SourceTraits{Untested: untested()},
	Inspect: func(_ fl.Source, i *fl.Inspection) {
		examiner{i, "mnist"}.verified(mnistFiles())
	},
}

// mnist is a data set in four files like those of MNIST.
type mnist struct {
	portion
	canvas
	files data.Set // training images and labels, test images and labels
}

const mnistTrain, mnistTest, mnistSide = 60_000, 10_000, 28

var _ fl.Source = (*mnist)(nil)

func newMNIST(p *fl.Params) (fl.Source, error) {
	q := newPortion(p, fl.Closed(0, mnistTrain), fl.Closed(0, mnistTest))
	return &mnist{q, newCanvas(p, mnistSide), mnistFiles()}, nil
}

// Shape is that of square images in ten classes.
func (m *mnist) Shape() fl.Shape { return m.sized(mnistShape(m.image()), mnistTrain, mnistTest) }

func mnistShape(image fl.Image) fl.Shape {
	return fl.Shape{Features: image.Len(), Classes: 10, Image: image, Tested: true}
}

// Load reads the files, once their checksums are right.
func (m *mnist) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := verified(m.files, l.Folders)
	if err != nil {
		return nil, nil, err
	}
	grey := mnistShape(fl.Image{C: 1, H: mnistSide, W: mnistSide})
	train, test, top, err := m.readIDX(l, paths, grey)
	if err != nil {
		return nil, nil, err
	}
	m.finish(l, train, test, top)
	m.mount(train)
	m.mount(test)
	return train, test, nil
}
