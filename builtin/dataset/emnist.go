// EMNIST — handwritten letters and digits of 28×28 pixels, like those of MNIST.
//
//	G. Cohen, S. Afshar, J. Tapson, A. van Schaik. EMNIST: Extending MNIST to Handwritten Letters.
//	IJCNN 2017.
//
// The IDX files are read: from the original archive gzip.zip, whose content is verified, or from
// those of a split that lie unpacked, each packed by gzip or not. Images are stored column by
// column, and are turned. Labels of the split letters go from 1 to 26, of the others from 0.
//
// Departures: the content of files that lie unpacked is not verified: no checksum of them is
// published.

package dataset

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// EMNIST describes the data set to the registry.
var EMNIST = fl.SourceEntry{
	Name:       "emnist",
	Summary:    "handwritten letters and digits of 28×28 pixels, in up to 62 classes",
	Paper:      "cohen2017",
	Deviations: "files that lie unpacked are not verified",
	New:        newEMNIST,
	Traits:     fl.SourceTraits{Untested: untested()},
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*emnist).inspect(examiner{i, "emnist"})
	},
	Example: map[string]any{"train": int64(200), "test": int64(50)},
}

type emnist struct {
	portion
	canvas
	split string
	files data.Set
}

var _ fl.Source = (*emnist)(nil)

func newEMNIST(p *fl.Params) (fl.Source, error) {
	s := &emnist{files: emnistFiles()}
	s.split = p.Choice("split", "balanced", "which classes there are: 62 of digits and letters; "+
		"47 where letters that look alike are one, or as many rows of each of these; letters; or "+
		"digits", "balanced", "byclass", "bymerge", "letters", "digits", "mnist")
	s.portion = newPortion(p, fl.AtLeast(0), fl.AtLeast(0))
	s.canvas = newCanvas(p, mnistSide)
	return s, nil
}

// classes returns how many classes the split has, and its first label.
func (s *emnist) classes() (n, from int) {
	switch s.split {
	case "byclass":
		return 62, 0
	case "bymerge", "balanced":
		return 47, 0
	case "letters":
		return 26, 1
	}
	return 10, 0
}

// Shape is that of square images.
func (s *emnist) Shape() fl.Shape { return s.shape(s.image()) }

func (s *emnist) shape(m fl.Image) fl.Shape {
	n, _ := s.classes()
	return s.stored(fl.Shape{Features: m.Len(), Classes: n, Image: m, Tested: true})
}

// names are those of the files of the split: images and labels, for training and for tests.
func (s *emnist) names() (names []string) {
	for _, kind := range []string{"train-images-idx3", "train-labels-idx1", "test-images-idx3",
		"test-labels-idx1"} {
		names = append(names, fmt.Sprintf("emnist-%s-%s-ubyte", s.split, kind))
	}
	return names
}

// Load reads the files of the split.
func (s *emnist) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	read, err := s.reader(l.Folders)
	if err != nil {
		return nil, nil, err
	}
	if train, err = s.pair(read, 0, s.train); err == nil {
		test, err = s.pair(read, 2, s.test)
	}
	if err != nil {
		return nil, nil, err
	}
	s.finish(l, train, test, 255)
	s.mount(train)
	s.mount(test)
	return train, test, nil
}

// reader returns what reads the first n rows of the k-th file.
func (s *emnist) reader(folders []string) (func(k, n int) (*data.IDX, error), error) {
	names := s.names()
	loose, missing := s.files.Loose(folders, names)
	if missing == nil {
		return func(k, n int) (*data.IDX, error) { return data.ReadPackedIDX(loose[k], n) }, nil
	}
	archive, err := verified(s.files, folders)
	if err != nil {
		return nil, err
	}
	return func(k, n int) (*data.IDX, error) {
		return data.ReadZippedIDX(archive[0], names[k]+".gz", n)
	}, nil
}

// pair reads the first n images of the k-th file and labels of the next one.
func (s *emnist) pair(read func(k, n int) (*data.IDX, error), k, n int) (*fl.Dataset, error) {
	x, err := read(k, n)
	if err != nil {
		return nil, err
	}
	y, err := read(k+1, n)
	if err != nil {
		return nil, err
	}
	names := s.names()
	shape := s.shape(fl.Image{C: 1, H: mnistSide, W: mnistSide})
	if x.Rows.Cols != shape.Features || x.Floats || x.Rows.Rows == 0 {
		return nil, fmt.Errorf("emnist: %s: want rows of %d bytes, dimensions are %v", names[k],
			shape.Features, x.Dims)
	}
	if x.Dims[0] != y.Dims[0] {
		return nil, fmt.Errorf("emnist: %s has %d rows, %s has %d", names[k], x.Dims[0],
			names[k+1], y.Dims[0])
	}
	classes, from := s.classes()
	d := &fl.Dataset{Shape: shape, X: x.Rows, Packed: x.Packed}
	if d.Y, err = y.Labels(classes + from); err != nil {
		return nil, fmt.Errorf("emnist: %s: %w", names[k+1], err)
	}
	for r := range d.Y {
		if d.Y[r] -= from; d.Y[r] < 0 {
			return nil, fmt.Errorf("emnist: %s: label 0 of row %d, want %d or more", names[k+1], r,
				from)
		}
	}
	transpose(d.Packed.Bytes, mnistSide)
	return d, nil
}

// inspect examines the archive by its checksum, or the files that lie unpacked.
func (s *emnist) inspect(e examiner) {
	loose, missing := s.files.Loose(e.Folders, s.names())
	if missing != nil {
		e.verified(s.files)
		return
	}
	for k, path := range loose {
		c := counted{name: path}
		used := []int{s.train, s.train, s.test, s.test}[k]
		e.look("split", path, func(m *data.Mistakes) error { return c.scan(m, used).IDX(path) })
		e.rows([]string{"train", "train", "test", "test"}[k], path, used, c.rows())
	}
}
