// CIFAR-10 — 60,000 colour pictures of 32×32 pixels.
//
//	A. Krizhevsky. Learning Multiple Layers of Features from Tiny Images. Technical
//	report, University of Toronto, 2009.
//
// The binary version is read: from the original archive, or from its parts that lie
// unpacked, each packed by gzip or not. Only their published content is accepted.
//
// Notation: training pictures come in five batches of 10,000, in the order of the archive's
// names.
//
// Departures: none.

package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// CIFAR10 describes the data set to the registry.
var CIFAR10 = fl.SourceEntry{
	Name:    "cifar10",
	Summary: "60,000 colour pictures of 32×32 pixels, in 10 classes",
	Paper:   "krizhevsky2009",
	New:     newCIFAR10,
	Traits:  fl.SourceTraits{Untested: untested("batches")},
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*cifar10).inspect(examiner{i, "cifar10"})
	},
	Example: map[string]any{"batches": int64(1), "train": int64(200), "test": int64(50)},
}

type cifar10 struct {
	portion
	batches int // training batches to use, the first ones
}

const cifarBatches, cifarBatch = 5, 10_000

var _ fl.Source = (*cifar10)(nil)

func newCIFAR10(p *fl.Params) (fl.Source, error) {
	c := &cifar10{
		batches: p.Int("batches", cifarBatches, fl.Closed(1, cifarBatches),
			"first training batches to use, of 10,000 rows each"),
		portion: newPortion(p, fl.Closed(0, cifarBatches*cifarBatch), fl.Closed(0, cifarBatch)),
	}
	if rows := c.batches * cifarBatch; c.train > rows {
		p.Fail("train", "%d rows of %d", c.train, rows)
	}
	return c, nil
}

// Shape is that of colour images in ten classes.
func (c *cifar10) Shape() fl.Shape {
	return c.sized(cifarShape(10, true), c.batches*cifarBatch, cifarBatch)
}

func cifarShape(classes int, tested bool) fl.Shape {
	m := data.CIFARImage()
	return fl.Shape{Features: m.C * m.H * m.W, Classes: classes, Image: m, Tested: tested}
}

// counts returns how many training and test rows are used.
func (c *cifar10) counts() (train, test int) {
	return cmp.Or(c.train, c.batches*cifarBatch), cmp.Or(c.test, cifarBatch)
}

// parts returns the names of the parts that hold rows to use.
func (c *cifar10) parts() []string {
	names := []string{"test_batch.bin"}
	for n, b := c.train, 0; b < c.batches && (n == 0 || b*cifarBatch < n); b++ {
		names = append(names, fmt.Sprintf("data_batch_%d.bin", b+1))
	}
	return names
}

// advised returns an error with the advice to use fewer batches where some are missing.
func (c *cifar10) advised(err error) error {
	var missing *data.MissingError
	if errors.As(err, &missing) {
		missing.Hint += fmt.Sprintf(", or use fewer batches: %d are asked for", len(c.parts())-1)
	}
	return err
}

// Load reads the parts that hold rows to use.
func (c *cifar10) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	set, shape := cifar10Files(), c.Shape()
	n, m := c.counts()
	paths, err := set.Sources(l.Folders, c.parts())
	if err != nil {
		return nil, nil, c.advised(err)
	}
	b, err := recalled(l, fmt.Sprintf("cifar10, %d and %d rows", n, m), paths,
		func() ([]byte, error) { return c.decode(&set, l.Folders) })
	if err != nil {
		return nil, nil, c.advised(err)
	}
	tests := m * (shape.Features + 1)
	test, train = labelled(b[:tests], m, shape), labelled(b[tests:], n, shape)
	c.finish(l, train, test, 255)
	return train, test, nil
}

// decode returns the pixels of test rows and then their classes, and those of training rows.
func (c *cifar10) decode(set *data.Set, folders []string) ([]byte, error) {
	n, m := c.counts()
	size, y := c.Shape().Features, make([]int, max(n, m))
	b := make([]byte, (n+m)*(size+1))
	tests, rows := b[:m*(size+1)], b[m*(size+1):]
	err := set.Read(folders, c.parts(), func(k int, r io.Reader) error {
		lo, hi, part := 0, m, tests
		if k > 0 {
			lo, hi, part = (k-1)*cifarBatch, min(k*cifarBatch, n), rows
		}
		err := data.CIFAR{Labels: 1, Classes: 10}.Read(r, part[lo*size:], y[lo:hi])
		for i, class := range y[lo:hi] { // after the pixels of all
			part[len(part)/(size+1)*size+lo+i] = byte(class)
		}
		return err
	})
	return b, err
}

// inspect examines the parts by their checksums.
func (c *cifar10) inspect(e examiner) {
	set := cifar10Files()
	e.within("name", "cifar10", func(m *data.Mistakes) error {
		return c.advised(set.Examine(e.Folders, c.parts(), m))
	})
}
