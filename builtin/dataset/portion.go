package dataset

import (
	"cmp"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A portion says which rows of images in files are used, and how their pixels are scaled.
type portion struct {
	train, test int // rows to use, the first ones; 0 for all
	scale       string
}

const (
	unit     = "unit"
	largest  = "max"
	standard = "standard"
)

// newPortion declares the parameters of a portion of published images, with the numbers of rows
// that can be asked for.
func newPortion(p *fl.Params, train, test fl.Range) portion {
	q := newRows(p, train, test)
	return portion{q[0], q[1], p.Choice("scale", unit, "pixels between 0 and 1, or each with mean "+
		"0 and variance 1 over the training rows used", unit, standard)}
}

// newFilePortion declares the parameters of a portion of any images.
func newFilePortion(p *fl.Params) portion {
	q := newRows(p, fl.AtLeast(0), fl.AtLeast(0))
	return portion{q[0], q[1], p.Choice("scale", unit, "unit divides bytes by 255, the largest "+
		"there can be, and leaves real numbers as they are; max divides by the largest absolute "+
		"value in the training rows used; standard gives each pixel mean 0 and variance 1 over "+
		"them", unit, largest, standard)}
}

// newRows declares how many rows are used, with the numbers that can be asked for.
func newRows(p *fl.Params, train, test fl.Range) [2]int {
	return [2]int{
		p.Int("train", 0, train, "first training rows to use; 0 for all"),
		p.Int("test", 0, test, "first test rows to use; 0 for all"),
	}
}

// untested lists what test rows do not depend on, by the parameters of a portion and others
// that choose training rows.
func untested(others ...string) func(params map[string]any) []string {
	return func(params map[string]any) []string {
		if params["scale"] != unit { // the mean and variance of training rows scale test rows
			return []string{"clients"}
		}
		return append([]string{"clients", "train"}, others...)
	}
}

// sized says of the shape of images how many there are of a file that has so many, and that they
// are bytes in memory, too.
func (q portion) sized(s fl.Shape, train, test int) fl.Shape {
	s.Rows = cmp.Or(q.train, train) + cmp.Or(q.test, test)
	return q.stored(s)
}

// stored says of the shape of images that they are bytes in memory, too, if they are.
func (q portion) stored(s fl.Shape) fl.Shape {
	if q.scale != standard {
		s.Stored = 1
	}
	return s
}

// finish scales pixels that go from 0 to top, in place, and leaves them packed where the caller
// takes them so and each still is of few values. There may be no test data.
func (q portion) finish(l *fl.LoadInput, train, test *fl.Dataset, top float64) {
	parts := partsOf(train, test)
	switch q.scale {
	case standard:
		var pixels []fl.Matrix
		for _, d := range parts {
			d.Unpack()
			pixels = append(pixels, d.X)
		}
		data.Standardize(pixels[0], pixels[1:]...)
		return
	case largest:
		_, top = rangeOf(train)
	}
	for _, d := range parts {
		if top != 0 {
			divide(d, top)
		}
		if !l.Packed {
			d.Unpack()
		}
	}
}

// isDark reports whether the largest of some values that go from 0 to top is so small that they
// are hardly of that range.
func isDark(most, top float64) bool { return top > 1 && most > 0 && 2*most < top }

// dark says what unit makes of such values.
func dark(most, top float64) string {
	return fmt.Sprintf("scale = \"unit\" divides by %v, and the largest value is %v: "+
		"scale = \"max\" divides by that", top, most)
}

// remark notes that unit leaves pixels dark, if it does.
func (q portion) remark(l *fl.LoadInput, name string, train *fl.Dataset, top float64) {
	if most, _ := rangeOf(train); q.scale == unit && train.Len() > 0 && isDark(most, top) {
		l.Note("dataset " + name + ": " + dark(most, top))
	}
}

// readIDX reads training images and labels and, where there are four paths, test images
// and labels. Pixels go from 0 to top, which is 1 where they are no bytes.
func (q portion) readIDX(l *fl.LoadInput, paths []string, shape fl.Shape) (
	train, test *fl.Dataset, top float64, err error,
) {
	train, top, err = readPair(l, paths[0:2], q.train, shape)
	if err != nil || len(paths) < 4 {
		return train, nil, top, err
	}
	test, other, err := readPair(l, paths[2:4], q.test, shape)
	if err == nil && other != top {
		err = fmt.Errorf("%s holds bytes, %s does not, or the other way round", paths[0], paths[2])
	}
	return train, test, top, err
}

// readPair returns the first n rows of a file of images and one of labels, all when n is 0.
func readPair(l *fl.LoadInput, paths []string, n int, shape fl.Shape) (
	*fl.Dataset, float64, error,
) {
	images, labels := paths[0], paths[1]
	x, err := data.RecallIDX(l.Decoded, images, n)
	if err != nil {
		return nil, 0, err
	}
	if x.Rows.Rows == 0 {
		return nil, 0, fmt.Errorf("%s: there are no rows", images)
	}
	if x.Rows.Cols != shape.Features {
		return nil, 0, fmt.Errorf("%s: a row has %d values, in dimensions %v; want %d",
			images, x.Rows.Cols, x.Dims[1:], shape.Features)
	}
	y, err := data.ReadPackedIDX(labels, n)
	if err != nil {
		return nil, 0, err
	}
	if x.Dims[0] != y.Dims[0] {
		return nil, 0, fmt.Errorf("%s has %d rows, %s has %d", images, x.Dims[0], labels, y.Dims[0])
	}
	d := &fl.Dataset{Shape: shape, X: x.Rows, Packed: x.Packed}
	if d.Y, err = y.Labels(shape.Classes); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", labels, err)
	}
	if x.Floats {
		return d, 1, infinite(images, d)
	}
	return d, 255, nil
}

// infinite says where the first number of a file of real numbers is that is infinite.
func infinite(path string, d *fl.Dataset) error {
	room := make(fl.Vector, d.X.Cols)
	for i := range d.Len() {
		for j, v := range d.Row(i, room) {
			if math.IsInf(v, 0) {
				return fmt.Errorf("%s: row %d has %v in column %d", path, i, v, j)
			}
		}
	}
	return nil
}

// verified returns the paths of the files of a data set, once their checksums are right.
func verified(set data.Set, folders []string) ([]string, error) {
	paths, err := set.Find(folders)
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		if err := set.Files[i].Verify(path); err != nil {
			return nil, err
		}
	}
	return paths, nil
}
