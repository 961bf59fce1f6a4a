// CIFAR-files — colour pictures of 32×32 pixels in any files of the format of CIFAR.
//
//	A. Krizhevsky. Learning Multiple Layers of Features from Tiny Images. Technical
//	report, University of Toronto, 2009. cs.toronto.edu/~kriz/cifar.html: the binary version.
//
// Files may be packed by gzip. A relative path is looked for in the folder of the experiment, then
// in those of data sets.
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

// CIFARFiles describes the data set to the registry.
var CIFARFiles = fl.SourceEntry{
	Name:       "cifar-files",
	Summary:    "colour pictures of 32×32 pixels in files of the CIFAR format, by their paths",
	Paper:      "krizhevsky2009",
	Deviations: unpinned,
	New:        newCIFARFiles,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*cifarFiles).inspect(examiner{i, "cifar-files"})
	},
	Example: map[string]any{
		"train_files": "*/rendered_train*", "train": int64(200),
		"test_files": "*/rendered_test*", "test": int64(50),
	},
}

type cifarFiles struct {
	portion
	pin
	patterns []string // of training files, and of those for tests where there are any
	layout   data.CIFAR
	held     float64 // share of the training rows that is held out for tests
}

var _ fl.Source = (*cifarFiles)(nil)

func newCIFARFiles(p *fl.Params) (fl.Source, error) {
	c := &cifarFiles{
		patterns: []string{
			p.Text("train_files", "", "path of the training files; * stands for any part of "+
				"a name, several files are read by name"),
			p.Text("test_files", none, "path of the test files"),
		},
		layout: data.CIFAR{
			Classes: p.Int("classes", 10, fl.Closed(2, 256), "number of classes"),
			Labels: p.Int("label_bytes", 1, fl.Closed(1, 2),
				"bytes before an image, of which the last is its class; CIFAR-100 has 2"),
		},
		portion: newFilePortion(p),
	}
	c.held = newHeldOut(p, "test_files", c.patterns[1] != none)
	c.pin = newPin(p)
	if c.patterns[1] == none {
		c.patterns = c.patterns[:1]
	}
	return c, nil
}

// Shape is that of colour images.
func (c *cifarFiles) Shape() fl.Shape {
	return c.stored(cifarShape(c.layout.Classes, len(c.patterns) == 2 || c.held > 0))
}

// Load reads the files.
func (c *cifarFiles) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	var files [][]string
	for _, pattern := range c.patterns {
		paths, err := data.Glob(l.Folders, "cifar-files", pattern)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, paths)
	}
	if err := c.check(slices.Concat(files...), 1); err != nil {
		return nil, nil, err
	}
	if train, err = c.read(l, files[0], c.train); err == nil && len(files) == 2 {
		test, err = c.read(l, files[1], c.test)
	}
	if err == nil && test == nil {
		train, test, err = holdOut(train, c.held, l.RNG)
	}
	if err != nil {
		return nil, nil, err
	}
	c.remark(l, "cifar-files", train, 255)
	c.finish(l, train, test, 255)
	return train, test, nil
}

// inspect examines the files.
func (c *cifarFiles) inspect(e examiner) {
	var all []string
	for i, pattern := range c.patterns {
		param := []string{"train_files", "test_files"}[i]
		paths, err := data.Glob(e.Folders, "cifar-files", pattern)
		if err != nil {
			e.report(param, err)
			continue
		}
		all = append(all, paths...)
		total, whole := 0, true
		for _, path := range paths {
			records := 0
			whole = e.look(param, path, func(m *data.Mistakes) (err error) {
				records, err = c.layout.Examine(path, m)
				return err
			}) && whole
			total += records
		}
		if whole && total == 0 {
			e.Fail(param, "%s: there are no rows", paths[0])
		} else if whole {
			e.rows([]string{"train", "test"}[i], paths[0], []int{c.train, c.test}[i], total)
		}
	}
	e.pinned(c.pin, all, 1)
}

// read returns the first n rows of some files, all when n is 0.
func (c *cifarFiles) read(l *fl.LoadInput, paths []string, n int) (*fl.Dataset, error) {
	b, err := recalled(l, fmt.Sprintf("%+v, %d rows", c.layout, n), paths,
		func() ([]byte, error) { return c.decode(paths, n) })
	if err != nil {
		return nil, err
	}
	shape := c.Shape()
	return labelled(b, len(b)/(shape.Features+1), shape), nil
}

// decode returns the pixels of the first n rows, all when n is 0, and then their classes.
func (c *cifarFiles) decode(paths []string, n int) ([]byte, error) {
	counts, total := make([]int, len(paths)), 0
	for i, path := range paths {
		var err error
		if counts[i], err = c.layout.Count(path); err != nil {
			return nil, err
		}
		total += counts[i]
	}
	if n > total {
		return nil, fmt.Errorf("%s and %d more files: %d rows asked for, %d there",
			paths[0], len(paths)-1, n, total)
	}
	if total == 0 {
		return nil, fmt.Errorf("%s: there are no rows", paths[0])
	}
	if n == 0 {
		n = total
	}
	size, lo := c.Shape().Features, 0
	b, y := make([]byte, n*size, n*(size+1)), make([]int, n)
	for i, path := range paths {
		hi := min(lo+counts[i], n)
		if err := c.layout.ReadFile(path, b[lo*size:hi*size], y[lo:hi]); err != nil {
			return nil, err
		}
		lo = hi
	}
	return withClasses(b, y), nil
}
