// STL-10 — 13,000 colour pictures of 96×96 pixels in 10 classes.
//
//	A. Coates, A. Y. Ng, H. Lee. An Analysis of Single-Layer Networks in Unsupervised Feature
//	Learning. AISTATS 2011.
//
// The binary version is read: from the original archive, whose content is verified, or from its
// parts that lie unpacked, each packed by gzip or not. An image is its channels one after another,
// each column by column; labels go from 1 to 10. There are 5,000 training and 8,000 test rows.
//
// Departures: the 100,000 pictures without labels are not read; the content of parts that lie
// unpacked is not verified: no checksum of them is published.

package dataset

import (
	"cmp"
	"fmt"
	"io"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// STL10 describes the data set to the registry.
var STL10 = fl.SourceEntry{
	Name:    "stl10",
	Summary: "13,000 colour pictures of 96×96 pixels, in 10 classes",
	Paper:   "coates2011",
	Deviations: "pictures without labels are not read; parts that lie unpacked are not " +
		"verified",
	New:    newSTL10,
	Traits: fl.SourceTraits{Untested: untested()},
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*stl10).inspect(examiner{i, "stl10"})
	},
	Example: map[string]any{"train": int64(60), "test": int64(40)},
}

const stl10Train, stl10Test, stl10Side = 5_000, 8_000, 96

type stl10 struct {
	portion
	files data.Set
}

var _ fl.Source = (*stl10)(nil)

func newSTL10(p *fl.Params) (fl.Source, error) {
	q := newPortion(p, fl.Closed(0, stl10Train), fl.Closed(0, stl10Test))
	return &stl10{q, stl10Files()}, nil
}

// Shape is that of colour images in ten classes.
func (s *stl10) Shape() fl.Shape {
	m := fl.Image{C: 3, H: stl10Side, W: stl10Side}
	return s.sized(fl.Shape{Features: m.Len(), Classes: 10, Image: m, Tested: true}, stl10Train,
		stl10Test)
}

// parts are the files of the archive that are read.
func (s *stl10) parts() []string {
	return []string{"train_X.bin", "test_X.bin", "train_y.bin", "test_y.bin"}
}

// Load reads the rows to use.
func (s *stl10) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	sets := []*fl.Dataset{byteImages(cmp.Or(s.train, stl10Train), s.Shape()),
		byteImages(cmp.Or(s.test, stl10Test), s.Shape())}
	err = s.files.Read(l.Folders, s.parts(), func(k int, r io.Reader) error {
		d := sets[k%2]
		if k < 2 {
			if _, err := io.ReadFull(r, d.Packed.Bytes); err != nil {
				return fmt.Errorf("truncated: there are fewer than %d images: %w", d.Len(), err)
			}
			transpose(d.Packed.Bytes, stl10Side)
			return nil
		}
		labels := make([]byte, d.Len())
		if _, err := io.ReadFull(r, labels); err != nil {
			return fmt.Errorf("truncated: there are fewer than %d labels: %w", d.Len(), err)
		}
		for i, y := range labels {
			if d.Y[i] = int(y) - 1; y < 1 || y > 10 {
				return fmt.Errorf("label %d of row %d is none of the numbers 1 to 10", y, i)
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	s.finish(l, sets[0], sets[1], 255)
	return sets[0], sets[1], nil
}

// transpose swaps rows and columns of square channels, one after another.
func transpose(pixels []uint8, side int) {
	for ; len(pixels) >= side*side; pixels = pixels[side*side:] {
		for y := range side {
			for x := range y {
				a, b := y*side+x, x*side+y
				pixels[a], pixels[b] = pixels[b], pixels[a]
			}
		}
	}
}

// inspect reads the parts.
func (s *stl10) inspect(e examiner) {
	e.within("name", "stl10", func(m *data.Mistakes) error {
		return s.files.Examine(e.Folders, s.parts(), m)
	})
}
