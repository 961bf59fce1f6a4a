// SVHN — 99,289 digits of house numbers, as colour pictures of 32×32 pixels.
//
//	Y. Netzer, T. Wang, A. Coates, A. Bissacco, B. Wu, A. Y. Ng. Reading Digits in Natural Images
//	with Unsupervised Feature Learning. NIPS Workshop on Deep Learning and Unsupervised Feature
//	Learning, 2011.
//
// The cropped digits are read from the original MAT-files, and nothing else is accepted for them:
// an array X of 32×32×3×n bytes, whose first dimension moves fastest and goes down, and an array y
// of n labels, of which 10 stands for the digit 0. With extra the 531,131 easier digits are
// training rows, too, after the 73,257 others.
//
// Departures: none.

package dataset

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// SVHN describes the data set to the registry.
var SVHN = fl.SourceEntry{
	Name:    "svhn",
	Summary: "99,289 digits of house numbers, as colour pictures of 32×32 pixels",
	Paper:   "netzer2011",
	New:     newSVHN,
	Traits:  fl.SourceTraits{Untested: untested("extra")},
	Inspect: func(c fl.Source, i *fl.Inspection) {
		examiner{i, "svhn"}.verified(c.(*svhn).used())
	},
	Example: map[string]any{"train": int64(200), "test": int64(50)},
}

const svhnTrain, svhnExtra, svhnTest = 73_257, 531_131, 26_032

type svhn struct {
	portion
	extra bool
	files data.Set // training, test, and extra images
}

var _ fl.Source = (*svhn)(nil)

func newSVHN(p *fl.Params) (fl.Source, error) {
	s := &svhn{files: svhnFiles()}
	s.extra = p.Bool("extra", false, "the 531,131 easier digits are training rows, too")
	s.portion = newPortion(p, fl.Closed(0, svhnTrain+svhnExtra), fl.Closed(0, svhnTest))
	if s.train > svhnTrain && !s.extra {
		p.Fail("train", "%d rows of %d: there are more with extra", s.train, svhnTrain)
	}
	return s, nil
}

// Shape is that of colour images in ten classes.
func (s *svhn) Shape() fl.Shape {
	train := svhnTrain
	if s.extra {
		train += svhnExtra
	}
	return s.sized(cifarShape(10, true), train, svhnTest)
}

// used are the files that are read.
func (s *svhn) used() data.Set {
	set := s.files
	if !s.extra {
		set.Files = set.Files[:2]
	}
	return set
}

// Load reads the files, once their checksums are right.
func (s *svhn) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := verified(s.used(), l.Folders)
	if err != nil {
		return nil, nil, err
	}
	own := s.train
	if own > svhnTrain {
		own = 0
	}
	if train, err = s.read(paths[0], own); err == nil {
		test, err = s.read(paths[1], s.test)
	}
	if err == nil && s.extra && (s.train == 0 || s.train > train.Len()) {
		var extra *fl.Dataset
		if extra, err = s.read(paths[2], max(0, s.train-train.Len())); err == nil {
			train.Packed.Bytes = append(train.Packed.Bytes, extra.Packed.Bytes...)
			train.Y, train.X.Rows = append(train.Y, extra.Y...), train.X.Rows+extra.X.Rows
		}
	}
	if err != nil {
		return nil, nil, err
	}
	s.finish(l, train, test, 255)
	return train, test, nil
}

// read returns the first n rows of a file, all when n is 0.
func (s *svhn) read(path string, n int) (*fl.Dataset, error) {
	arrays, err := data.ReadMAT(path, "X", "y")
	if err != nil {
		return nil, err
	}
	x, y := arrays["X"], arrays["y"]
	rows, err := svhnRows(x, y)
	if err == nil {
		n, err = first(path, n, rows)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d := byteImages(0, s.Shape())
	d.X.Rows, d.Y = n, make([]int, n)
	d.Packed.Bytes = x.Bytes[:n*d.X.Cols]
	transpose(d.Packed.Bytes, data.CIFARImage().W)
	for i := range d.Y {
		label := 0.0
		if y.Bytes != nil {
			label = float64(y.Bytes[i])
		} else {
			label = y.Real[i]
		}
		if d.Y[i] = int(label); float64(d.Y[i]) != label || label < 0 || label > 10 {
			return nil, fmt.Errorf("%s: label %v of row %d is no digit", path, label, i)
		}
		d.Y[i] %= 10
	}
	return d, nil
}

// svhnRows returns how many rows the arrays of a file have.
func svhnRows(x, y *data.MAT) (int, error) {
	m := data.CIFARImage()
	if len(x.Dims) != 4 || x.Dims[0] != m.H || x.Dims[1] != m.W || x.Dims[2] != m.C ||
		x.Bytes == nil {
		return 0, fmt.Errorf("X has dimensions %v, want %d×%d×%d×n bytes", x.Dims, m.H, m.W, m.C)
	}
	if n := len(y.Bytes) + len(y.Real); n != x.Dims[3] {
		return 0, fmt.Errorf("X has %d images, y %d labels", x.Dims[3], n)
	}
	return x.Dims[3], nil
}
