// Features — rows that an encoder of any kind made elsewhere, as NumPy saves them.
//
// An archive of numpy.savez has the arrays features, labels and, where domains are named,
// domains: a row of numbers, a class from 0, and the number of a domain from 0 for every
// sample. Otherwise each array lies in a file of its own, of numpy.save or IDX, which may be
// packed by gzip; rows of several dimensions become one. file.npz:name is the array of that
// name in an archive. A path may be a pattern that one file fits; a relative one is looked for in
// the folder of the experiment, then in those of data sets. A value that is NaN is missing. An
// array of the numbers of clients from 0 says whose rows are.
//
// Rows are divided by their Euclidean length unless scale says otherwise; see office-caltech10.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"fmt"
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
	Traits: fl.SourceTraits{Untested: func(params map[string]any) []string {
		fitted := params["scale"] == standard || params["missing"] == mean
		if params["test"] == none || fitted { // they are drawn from training rows, or moved by them
			return []string{"clients"}
		}
		return []string{"clients", "train", "train_labels", "train_domains", "train_owners",
			"held_out"}
	}},
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*features).inspect(examiner{i, "features"})
	},
	Example: map[string]any{
		"train": "features.npz", "features": int64(512), "held_out": 0.3,
	},
}

type features struct {
	pin
	train, test []string  // paths of features, classes and domains; test may be nil
	owners      [2]string // paths of the clients of training and of test rows
	held        float64
	shape       fl.Shape
	scale       string
	missing     missing
}

var _ fl.Source = (*features)(nil)

func newFeatures(p *fl.Params) (fl.Source, error) {
	s := &features{
		train: []string{
			p.Text("train", "", "path of an archive with the training rows, or of their features"+
				anyPath),
			p.Text("train_labels", none, "path of their classes, where they are not in train"),
			p.Text("train_domains", none, "path of their domains, where they are not in train"),
		},
		test: []string{
			p.Text("test", none, "path of an archive with the test rows, or of their features"),
			p.Text("test_labels", none, "path of their classes, where they are not in test"),
			p.Text("test_domains", none, "path of their domains, where they are not in test"),
		},
	}
	s.held = newHeldOut(p, "test", s.test[0] != none)
	s.shape.Features = newWidth(p, "number of features of a row; a wrong one is answered by the "+
		"right one")
	s.shape.Classes = p.Int("classes", 10, fl.Closed(2, 1<<16), "number of classes")
	s.shape.Domains = p.Texts("domains", "names of the domains, in the order of their numbers; "+
		"without names rows have none")
	s.scale = p.Choice("scale", unit, "rows divided by their Euclidean length, as they are, or "+
		"each feature with mean 0 and standard deviation 1 over the training rows",
		unit, raw, standard)
	s.missing = newMissing(p, "values that are NaN", "")
	s.owners = newOwnerArrays(p)
	s.pin = newPin(p)
	s.examine(p)
	s.shape.Tested = s.test != nil || s.held > 0
	s.shape.Owned = s.owners[0] != none
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
				p.Clash(param, "domains", "domains has no names for them")
			}
		}
	}
	if s.test[0] != none && (s.owners[0] == none) != (s.owners[1] == none) {
		p.Clash("test_owners", "train_owners", "clients of training and of test rows come together")
	}
	if s.test[0] == none {
		if s.test[1] != none || s.test[2] != none || s.owners[1] != none {
			p.Fail("test", "is none, but something of its rows is named")
		}
		s.test = nil
	}
}

// Shape is as the parameters say.
func (s *features) Shape() fl.Shape { return s.shape }

// Load reads the files, and draws what is for tests.
func (s *features) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
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
	if err == nil {
		err = s.own(l, train, test)
	}
	if err == nil && s.test == nil {
		train, test, err = holdOut(train, s.held, l.RNG)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := s.missing.fill(l, "features", train, test); err != nil {
		return nil, nil, fmt.Errorf("%v: %w", lists[0][0], err)
	}
	s.finish(train, test)
	return train, test, nil
}

// finish scales rows. There may be no test rows.
func (s *features) finish(train, test *fl.Dataset) {
	var rest []fl.Matrix
	if test != nil {
		rest = append(rest, test.X)
	}
	switch s.scale {
	case standard:
		data.Standardize(train.X, rest...)
	case unit:
		for _, x := range append(rest, train.X) {
			unitRows(x)
		}
	}
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
	var list []place
	for _, p := range s.named(names) {
		if p.file == none {
			p.file = list[0].file
		} else {
			var err error
			if p.file, err = located(folders, "features", p.file); err != nil {
				return nil, err
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// named returns which arrays of which files an experiment names: those of features, classes and,
// if they are named, domains.
func (s *features) named(names []string) (list []place) {
	const archive = ".npz"
	for k, name := range names {
		if k == 2 && s.shape.Domains == nil {
			break
		}
		p := place{name, [...]string{"features", "labels", "domains"}[k]}
		if file, array, given := strings.Cut(name, archive+":"); given {
			p = place{file + archive, array}
		}
		list = append(list, p)
	}
	return list
}

// inspect examines the files.
func (s *features) inspect(e examiner) {
	var files []string
	sides := []string{"train", "test"}
	for i, names := range [][]string{s.train, s.test} {
		list, complete := s.named(names), true
		for k := range list {
			p, param := &list[k], sides[i]+[...]string{"", "_labels", "_domains"}[k]
			if p.file == none {
				p.file = list[0].file
			} else {
				p.file = e.find(param, p.file)
			}
			complete = complete && p.file != ""
			if p.file != "" && !slices.Contains(files, p.file) {
				files = append(files, p.file)
			}
		}
		if complete && len(list) > 0 {
			s.side(e, sides[i], list)
		}
	}
	e.pinned(s.pin, files, 1)
	s.inspectOwners(e)
}

// side examines the arrays of the training rows or of the test rows.
func (s *features) side(e examiner, side string, list []place) {
	p := list[0]
	x := counted{name: p.String()}
	e.look(side, p.file, func(m *data.Mistakes) error {
		own, err := x.scan(m, 0).Array(p.file, p.array)
		p.array = own
		return err
	})
	if x.dims == nil {
		return
	}
	switch {
	case x.rows() == 0:
		e.Fail(side, "%v: there are no rows", p)
	case x.columns() != s.shape.Features:
		e.Fail("features", "%v: a row has %d values, in dimensions %v; want %d", p, x.columns(),
			x.dims[1:], s.shape.Features)
	}
	if x.gaps > 0 && s.missing == refused {
		e.Fail(side, "%v: %v", p, unfilled(x.gaps, x.first))
	}
	for k, q := range list[1:] {
		param, n := side+[...]string{"_labels", "_domains"}[k],
			[...]int{s.shape.Classes, len(s.shape.Domains)}[k]
		if q.file == p.file && p.array == "" {
			e.Fail(param, "%v: there is one array, of features: where %s lie must be said", q,
				q.array)
			continue
		}
		y := counted{name: q.String()}
		e.look(param, q.file, func(m *data.Mistakes) error {
			_, err := y.indices(m, 0, n).Array(q.file, q.array)
			return err
		})
		switch {
		case y.dims == nil:
		case y.columns() != 1:
			e.Fail(param, "%v: want one number for each row; dimensions are %v", q, y.dims)
		case y.rows() != x.rows():
			e.Fail(param, "%v has %d rows, %v has %d", p, x.rows(), q, y.rows())
		}
	}
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
	if err := infinite(list[0].String(), &fl.Dataset{X: x.Rows}); err != nil {
		return nil, err
	}
	d := &fl.Dataset{Shape: s.shape, X: x.Rows}
	if d.Y, err = list[1].indices(list[0], d.Len(), s.shape.Classes); err != nil {
		return nil, err
	}
	if len(list) > 2 {
		d.Domain, err = list[2].indices(list[0], d.Len(), len(s.shape.Domains))
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
