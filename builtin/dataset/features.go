// Features — rows that an encoder of any kind made elsewhere, as NumPy saves them.
//
// An archive of numpy.savez has the arrays features, labels and, where domains are named,
// domains: a row of numbers, a class from 0, and the number of a domain from 0 for every
// sample. Otherwise each array lies in a file of its own, of numpy.save or IDX, which may be
// packed by gzip; rows of several dimensions become one. file.npz:name is the array of that
// name in an archive. A relative path is looked for in the folders of data sets.
//
// Rows are divided by their Euclidean length unless scale = "raw"; see office-caltech10.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Features describes the data set to the registry.
var Features = fl.SourceEntry{
	Name:       "features",
	Summary:    "features computed elsewhere, in files of NumPy's or IDX, by their paths",
	Deviations: unpinned,
	New:        newFeatures,
	Untested: func(params map[string]any) []string {
		if params["test"] == none { // then they are drawn from the training rows
			return []string{"clients"}
		}
		return []string{"clients", "train", "train_labels", "train_domains", "held_out"}
	},
	Example: map[string]any{
		"train": "features.npz", "features": int64(512), "held_out": 0.3,
	},
}

type features struct {
	pin
	train, test []string // paths of features, classes and domains; test may be nil
	held        float64
	shape       fl.Shape
	scale       string
}

var _ fl.Source = (*features)(nil)

func newFeatures(p *fl.Params) (fl.Source, error) {
	s := &features{
		train: []string{
			p.Text("train", "", "path of an archive with the training rows, or of their features"),
			p.Text("train_labels", none, "path of their classes, where they are not in train"),
			p.Text("train_domains", none, "path of their domains, where they are not in train"),
		},
		test: []string{
			p.Text("test", none, "path of an archive with the test rows, or of their features"),
			p.Text("test_labels", none, "path of their classes, where they are not in test"),
			p.Text("test_domains", none, "path of their domains, where they are not in test"),
		},
	}
	s.held = p.Float("held_out", 0, fl.RightOpen(0, 1), "share of the rows of every domain and "+
		"class of train that is drawn for tests, where there is no test")
	if n := p.Float("features", math.NaN(), fl.Closed(1, 1<<24), "number of features of a "+
		"row; a wrong one is answered by the right one"); n == math.Trunc(n) {
		s.shape.Features = int(n)
	} else if !math.IsNaN(n) {
		p.Fail("features", "%v is not whole", n)
	}
	s.shape.Classes = p.Int("classes", 10, fl.Closed(2, 1<<16), "number of classes")
	s.shape.Domains = p.Texts("domains", "names of the domains, in the order of their numbers; "+
		"without names rows have none")
	s.scale = p.Choice("scale", unit, "rows divided by their Euclidean length, or as they are",
		unit, raw)
	s.pin = newPin(p)
	s.examine(p)
	s.shape.Tested = s.test != nil || s.held > 0
	return s, nil
}

// examine finds what is wrong with the parameters together.
func (s *features) examine(p *fl.Params) {
	for k, word := range s.shape.Domains {
		if slices.Contains(s.shape.Domains[:k], word) {
			p.Fail("domains", "%q is named twice", word)
		}
	}
	if s.shape.Domains == nil {
		for k, name := range []string{s.train[2], s.test[2]} {
			if name != none {
				param := [...]string{"train_domains", "test_domains"}[k]
				p.Fail(param, "domains has no names for them")
			}
		}
	}
	switch s.test[0] {
	case none:
		if s.test[1] != none || s.test[2] != none {
			p.Fail("test", "is none, but something of its rows is named")
		}
		s.test = nil
	default:
		if s.held > 0 {
			p.Fail("held_out", "test rows are those of test")
		}
	}
}

// Shape is as the parameters say.
func (s *features) Shape() fl.Shape { return s.shape }

// Load reads the files, and draws what is for tests.
func (s *features) Load(l *fl.Loading) (train, test *fl.Dataset, err error) {
	var files []string
	var lists [][]place
	for _, names := range [][]string{s.train, s.test} {
		list, err := s.places(l.Folders, names)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range list {
			if !slices.Contains(files, p.file) {
				files = append(files, p.file)
			}
		}
		lists = append(lists, list)
	}
	if err := s.check(files, 1); err != nil {
		return nil, nil, err
	}
	if train, err = s.read(lists[0]); err == nil && s.test != nil {
		test, err = s.read(lists[1])
	}
	if err != nil || s.test != nil {
		return train, test, err
	}
	return holdOut(train, s.held, l.RNG)
}

// A place is where an array lies.
type place struct{ file, array string }

// String names the array, where it has a name.
func (p place) String() string {
	if p.array == "" {
		return p.file
	}
	return p.file + ": array " + p.array
}

// places returns where features, classes and, if they are named, domains lie: in a file of
// their own, or in that of the features.
func (s *features) places(folders, names []string) ([]place, error) {
	const archive = ".npz"
	var list []place
	for k, name := range names {
		p := place{name, [...]string{"features", "labels", "domains"}[k]}
		if k == 2 && s.shape.Domains == nil {
			break
		}
		if name == none {
			p.file = list[0].file
			list = append(list, p)
			continue
		}
		if file, array, given := strings.Cut(name, archive+":"); given {
			p = place{file + archive, array}
		}
		var err error
		if p.file, err = data.Locate(folders, "features", p.file); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// read reads rows with their classes and domains.
func (s *features) read(list []place) (*fl.Dataset, error) {
	x, err := list[0].read()
	switch {
	case err != nil:
		return nil, err
	case x.Rows.Rows == 0:
		return nil, fmt.Errorf("%v: there are no rows", list[0])
	case x.Rows.Cols != s.shape.Features:
		return nil, fmt.Errorf("%v: a row has %d values, in dimensions %v; want %d", list[0],
			x.Rows.Cols, x.Dims[1:], s.shape.Features)
	}
	if err := x.Finite(); err != nil {
		return nil, fmt.Errorf("%v: %w", list[0], err)
	}
	d := &fl.Dataset{Shape: s.shape, X: x.Rows}
	if d.Y, err = list[1].indices(list[0], d.Len(), s.shape.Classes); err != nil {
		return nil, err
	}
	if len(list) > 2 {
		d.Domain, err = list[2].indices(list[0], d.Len(), len(s.shape.Domains))
	}
	if s.scale == unit {
		unitRows(d.X)
	}
	return d, err
}

// read reads the array, and forgets its name where the file has one array only.
func (p *place) read() (*data.Array, error) {
	x, err := data.ReadArray(p.file, p.array)
	if err == nil {
		p.array = x.Name
	}
	return x, err
}

// indices reads whole numbers from 0 to n−1 for so many rows, which lie elsewhere.
func (p place) indices(rows place, count, n int) ([]int, error) {
	what := p.array
	x, err := p.read()
	switch {
	case err != nil:
		return nil, err
	case p == rows && p.array == "":
		return nil, fmt.Errorf("%v: there is one array, of features: where %s lie must be said",
			p, what)
	case x.Rows.Rows != count:
		return nil, fmt.Errorf("%v has %d rows, %v has %d", rows, count, p, x.Rows.Rows)
	}
	list, err := x.Indices(n)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", p, err)
	}
	return list, nil
}
