// IDX — images or features in any files of the format of MNIST.
//
//	Y. LeCun, C. Cortes, C. Burges. The MNIST Database of Handwritten Digits.
//	yann.lecun.com/exdb/mnist: the IDX file format.
//
// Files hold bytes or float32 values, and may be packed by gzip. Paths may be patterns that
// one file fits; a relative one is looked for in the folder of the experiment, then in those of
// data sets. By scale = "unit" bytes are divided by 255 whatever they hold, so that values from 0
// to 16 end at 0.06: scale = "max" divides by the largest in the training rows. A value that is NaN
// is missing.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// IDX describes the data set to the registry.
var IDX = fl.SourceEntry{
	Name:       "idx",
	Summary:    "images or features in IDX files, by their paths",
	Deviations: unpinned,
	New:        newIDX,
	Inspect:    func(c fl.Source, i *fl.Inspection) { c.(*idx).inspect(examiner{i, "idx"}) },
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
	held    float64 // share of the training rows that is held out for tests
	missing missing
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
	x.portion = newFilePortion(p)
	x.held = newHeldOut(p, "test_images", x.names[2] != none)
	x.missing = newMissing(p, "real numbers that are NaN", "")
	x.pin = newPin(p)
	switch untested := x.names[2] == none; {
	case untested != (x.names[3] == none):
		p.Clash("test_labels", "test_images", "test images and their classes come together")
	case untested:
		x.names = x.names[:2]
	}
	return x, nil
}

// Shape is as the dimensions say.
func (x *idx) Shape() fl.Shape {
	s := fl.Shape{Features: 1, Classes: x.classes, Tested: len(x.names) == 4 || x.held > 0}
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
func (x *idx) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := locatedAll(l.Folders, "idx", x.names)
	if err != nil {
		return nil, nil, err
	}
	if err := x.check(paths, 1); err != nil {
		return nil, nil, err
	}
	train, test, top, err := x.readIDX(l, paths, x.Shape())
	if err != nil {
		return nil, nil, err
	}
	if test == nil {
		if train, test, err = holdOut(train, x.held, l.RNG); err != nil {
			return nil, nil, err
		}
	}
	if err := x.missing.fill(l, "idx", train, test); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", paths[0], err)
	}
	x.remark(l, "idx", train, top)
	x.finish(l, train, test, top)
	return train, test, nil
}

// inspect examines the files.
func (x *idx) inspect(e examiner) {
	params := []string{"train_images", "train_labels", "test_images", "test_labels"}
	paths := make([]string, len(x.names))
	for i, name := range x.names {
		paths[i] = e.find(params[i], name)
	}
	if !slices.Contains(paths, "") {
		e.pinned(x.pin, paths, 1)
	}
	train := x.pair(e, params[:2], paths[:2], x.train)
	if len(paths) < 4 {
		return
	}
	test := x.pair(e, params[2:], paths[2:], x.test)
	if train.dims != nil && test.dims != nil && train.bytes != test.bytes {
		e.Fail("test_images", "%s holds bytes, %s does not, or the other way round", paths[0],
			paths[2])
	}
}

// pair examines a file of images and one of their classes, of which the first rows are used.
func (x *idx) pair(e examiner, params, paths []string, used int) (images counted) {
	images.name = paths[0]
	labels := counted{name: paths[1]}
	whole, classes := false, false
	if paths[0] != "" {
		whole = e.look(params[0], paths[0], func(m *data.Mistakes) error {
			return images.scan(m, used).IDX(paths[0])
		})
	}
	if paths[1] != "" {
		classes = e.look(params[1], paths[1], func(m *data.Mistakes) error {
			return labels.indices(m, used, x.classes).IDX(paths[1])
		})
	}
	if images.dims != nil {
		x.judge(e, params[0], paths[0], &images)
		if whole && images.bytes && isDark(images.most, 255) && x.scale == unit {
			e.Warn("scale", "%s: %s", paths[0], dark(images.most, 255))
		}
		e.rows(map[string]string{"train_images": "train", "test_images": "test"}[params[0]],
			paths[0], used, images.rows())
	}
	if labels.dims != nil && (len(labels.dims) != 1 || !labels.bytes) {
		e.Fail(params[1], "%s: labels must be a list of uint8; dimensions are %v", paths[1],
			labels.dims)
	} else if images.dims != nil && classes && images.rows() != labels.rows() {
		e.Fail(params[1], "%s has %d rows, %s has %d", paths[0], images.rows(), paths[1],
			labels.rows())
	}
	return images
}

// judge says what is wrong with the form of images, and with what they lack.
func (x *idx) judge(e examiner, param, path string, images *counted) {
	if want := x.Shape().Features; images.columns() != want {
		e.Fail("dims", "%s: a row has %d values, in dimensions %v; want %d", path,
			images.columns(), images.dims[1:], want)
	}
	if images.rows() == 0 {
		e.Fail(param, "%s: there are no rows", path)
	}
	if images.gaps > 0 && x.missing == refused {
		e.Fail(param, "%s: %v", path, unfilled(images.gaps, images.first))
	}
}
