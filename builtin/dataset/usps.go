// USPS — 9,298 handwritten digits of 16×16 pixels, from envelopes.
//
//	J. J. Hull. A Database for Handwritten Text Recognition Research. IEEE Transactions
//	on Pattern Analysis and Machine Intelligence 16(5), 1994.
//
// The usual split: 7,291 training and 2,007 test digits, of which the latter are harder.
// Only four IDX files of known content are accepted. For experiments on several sets of
// digits, images can be enlarged to the size of another set.
//
// Departures: pixels are published as real numbers of 2,001 levels; here they are rounded
// to 256.

package dataset

import (
	"image"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// USPS describes the data set to the registry.
var USPS = fl.SourceEntry{
	Name:    "usps",
	Summary: "9,298 handwritten digits of 16×16 pixels, in 10 classes",
	Paper:   "hull1994",
	Deviations: "pixels are published as real numbers of 2,001 levels; here they are rounded " +
		"to 256",
	New:    newUSPS,
	Traits: fl.SourceTraits{Untested: untested()},
	Inspect: func(_ fl.Source, i *fl.Inspection) {
		examiner{i, "usps"}.verified(uspsFiles())
	},
}

type usps struct {
	portion
	size int // height and width of images
}

const uspsTrain, uspsTest, uspsSize = 7_291, 2_007, 16

var _ fl.Source = (*usps)(nil)

func newUSPS(p *fl.Params) (fl.Source, error) {
	return &usps{
		portion: newPortion(p, fl.Closed(0, uspsTrain), fl.Closed(0, uspsTest)),
		size: p.Int("size", uspsSize, fl.Closed(uspsSize, 64),
			"height and width; above 16 images are enlarged bilinearly, 28 is MNIST's"),
	}, nil
}

// Shape is that of grey images in ten classes.
func (u *usps) Shape() fl.Shape { return u.sized(u.shape(u.size), uspsTrain, uspsTest) }

func (u *usps) shape(size int) fl.Shape {
	return fl.Shape{
		Features: size * size, Classes: 10, Image: fl.Image{C: 1, H: size, W: size}, Tested: true,
	}
}

// Load reads the files, once their checksums are right.
func (u *usps) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := verified(uspsFiles(), l.Folders)
	if err != nil {
		return nil, nil, err
	}
	train, test, top, err := u.readIDX(l, paths, u.shape(uspsSize))
	if err != nil {
		return nil, nil, err
	}
	u.enlarge(train)
	u.enlarge(test)
	u.finish(l, train, test, top)
	return train, test, nil
}

// enlarge brings images of 16×16 bytes to the size that is asked for.
func (u *usps) enlarge(d *fl.Dataset) {
	d.Shape = u.Shape()
	if u.size == uspsSize {
		return
	}
	small := image.NewGray(image.Rect(0, 0, uspsSize, uspsSize))
	large := data.NewScaler(d.Shape.Image)
	n, size := d.Len(), d.Shape.Features
	b := make([]uint8, n*size)
	for i := range n {
		copy(small.Pix, d.Packed.Bytes[i*len(small.Pix):])
		large.Scale(b[i*size:(i+1)*size], small)
	}
	d.X, d.Packed = fl.Matrix{Rows: n, Cols: size}, fl.NewBytes(b, size)
}
