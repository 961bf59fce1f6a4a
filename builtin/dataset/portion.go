package dataset

import (
	"fmt"

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
	standard = "standard"
)

// newPortion declares the parameters of a portion, with the numbers of rows that can be
// asked for.
func newPortion(p *fl.Params, train, test fl.Range) portion {
	return portion{
		train: p.Int("train", 0, train, "first training rows to use; 0 for all"),
		test:  p.Int("test", 0, test, "first test rows to use; 0 for all"),
		scale: p.Choice("scale", unit, "pixels between 0 and 1, or each with mean 0 and "+
			"variance 1 over the training rows used", unit, standard),
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

// finish scales pixels that go from 0 to top, in place. There may be no test data.
func (q portion) finish(train, test *fl.Dataset, top float64) {
	pixels := []fl.Matrix{train.X}
	if test != nil {
		pixels = append(pixels, test.X)
	}
	if q.scale == standard {
		data.Standardize(pixels[0], pixels[1:]...)
		return
	}
	for _, m := range pixels {
		for k := range m.Data {
			m.Data[k] /= top
		}
	}
}

// readIDX reads training images and labels and, where there are four paths, test images
// and labels. Pixels go from 0 to top, which is 1 where they are no bytes.
func (q portion) readIDX(paths []string, shape fl.Shape) (
	train, test *fl.Dataset, top float64, err error,
) {
	train, top, err = readPair(paths[0], paths[1], q.train, shape)
	if err != nil || len(paths) < 4 {
		return train, nil, top, err
	}
	test, other, err := readPair(paths[2], paths[3], q.test, shape)
	if err == nil && other != top {
		err = fmt.Errorf("%s holds bytes, %s does not, or the other way round", paths[0], paths[2])
	}
	return train, test, top, err
}

// readPair returns the first n rows of a file of images and one of labels, all when n is 0.
func readPair(images, labels string, n int, shape fl.Shape) (*fl.Dataset, float64, error) {
	x, err := data.ReadIDX(images, n)
	if err != nil {
		return nil, 0, err
	}
	if x.Rows.Cols != shape.Features {
		return nil, 0, fmt.Errorf("%s: a row has %d values, in dimensions %v; want %d",
			images, x.Rows.Cols, x.Dims[1:], shape.Features)
	}
	y, err := data.ReadIDX(labels, n)
	if err != nil {
		return nil, 0, err
	}
	if x.Dims[0] != y.Dims[0] {
		return nil, 0, fmt.Errorf("%s has %d rows, %s has %d", images, x.Dims[0], labels, y.Dims[0])
	}
	d := &fl.Dataset{Shape: shape, X: x.Rows}
	if d.Y, err = y.Labels(shape.Classes); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", labels, err)
	}
	if x.Floats {
		return d, 1, nil
	}
	return d, 255, nil
}

// verified returns the paths of the files of a data set, once their checksums are right.
func verified(set data.Set, folders []string) ([]string, error) {
	paths, err := set.Find(folders)
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		if err := data.Verify(path, set.Files[i].SHA256); err != nil {
			return nil, err
		}
	}
	return paths, nil
}
