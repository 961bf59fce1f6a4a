// IDX — images or features in any files of the format of MNIST.
//
//	Y. LeCun, C. Cortes, C. Burges. The MNIST Database of Handwritten Digits.
//	yann.lecun.com/exdb/mnist: the IDX file format.
//
// Files hold bytes or float32 values, and may be packed by gzip. Paths may be patterns that
// one file fits; a relative one is looked for in the folders of data sets.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// IDX describes the data set to the registry.
var IDX = fl.SourceEntry{
	Name:       "idx",
	Summary:    "images or features in IDX files, by their paths",
	Deviations: unpinned,
	New:        newIDX,
	Example: map[string]any{
		"train_images": "usps/*train-images*", "train_labels": "usps/*train-labels*",
		"test_images": "usps/*test-images*", "test_labels": "usps/*test-labels*",
		"dims": []any{int64(16), int64(16)},
	},
}

type idx struct {
	portion
	pin
	names   []string // training images and labels, and those for tests where there are any
	dims    []int    // of a row: features; height, width; or channels, height, width
	classes int
}

var _ fl.Source = (*idx)(nil)

func newIDX(p *fl.Params) (fl.Source, error) {
	x := &idx{names: []string{
		p.Text("train_images", "", "path of the training images, or rows of features; * stands "+
			"for any part of a name"),
		p.Text("train_labels", "", "path of their classes, bytes from 0"),
		p.Text("test_images", none, "path of the test images"),
		p.Text("test_labels", none, "path of their classes"),
	}}
	sizes := p.Floats("dims", fl.Closed(1, 1<<16), "what a row holds: [features], "+
		"[height, width] or [channels, height, width]")
	for _, v := range sizes {
		x.dims = append(x.dims, int(v))
		if v != float64(int(v)) {
			p.Fail("dims", "%v is not whole", v)
		}
	}
	if len(sizes) > 3 {
		p.Fail("dims", "%d dimensions, want at most 3", len(sizes))
	}
	x.classes = p.Int("classes", 10, fl.Closed(2, 256), "number of classes")
	x.portion = newPortion(p, fl.AtLeast(0), fl.AtLeast(0))
	x.pin = newPin(p)
	switch untested := x.names[2] == none; {
	case untested != (x.names[3] == none):
		p.Fail("test_labels", "test images and their classes come together")
	case untested:
		x.names = x.names[:2]
	}
	return x, nil
}

// Shape is as the dimensions say.
func (x *idx) Shape() fl.Shape {
	s := fl.Shape{Features: 1, Classes: x.classes, Tested: len(x.names) == 4}
	for _, n := range x.dims {
		s.Features *= n
	}
	switch d := x.dims; len(d) {
	case 2:
		s.Image = fl.Image{C: 1, H: d[0], W: d[1]}
	case 3:
		s.Image = fl.Image{C: d[0], H: d[1], W: d[2]}
	}
	return s
}

// Load reads the files.
func (x *idx) Load(l *fl.Loading) (train, test *fl.Dataset, err error) {
	paths := make([]string, len(x.names))
	for i, name := range x.names {
		found, err := data.Glob(l.Folders, "idx", name)
		if err != nil {
			return nil, nil, err
		}
		if paths[i] = found[0]; len(found) > 1 {
			return nil, nil, fmt.Errorf("%s: want one file, there are %v", name, found)
		}
	}
	if err := x.check(paths, 1); err != nil {
		return nil, nil, err
	}
	train, test, top, err := x.readIDX(paths, x.Shape())
	if err != nil {
		return nil, nil, err
	}
	x.finish(train, test, top)
	return train, test, nil
}
