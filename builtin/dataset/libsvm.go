// LIBSVM — rows of numbers in any files of the format of that library.
//
//	C.-C. Chang, C.-J. Lin. LIBSVM: A Library for Support Vector Machines. ACM
//	Transactions on Intelligent Systems and Technology 2(3), 2011.
//
// A line holds a label, then index:value for the features that are not 0, indices ascending
// from 1; a feature that is not there is 0, and one that is ? or nan is missing. Files may be
// packed by gzip. Rows are kept whole, zeros included, as models take them. Covariates are
// features that are known before training, scaled as features are, by the names x1, x2 …; a
// client has the mean over its rows. A path may be a pattern that one file fits; a relative one is
// looked for in the folder of the experiment, then in those of data sets.
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

// LIBSVM describes the data set to the registry.
var LIBSVM = fl.SourceEntry{
	Name:       "libsvm",
	Summary:    "rows of numbers in LIBSVM files, by their paths",
	Paper:      "chang2011",
	Deviations: unpinned,
	New:        newLIBSVM,
	Inspect: func(c fl.Source, i *fl.Inspection) {
		c.(*libsvm).inspect(examiner{i, "libsvm"})
	},
	Example: map[string]any{"train_file": "libsvm/train.txt", "test_file": "libsvm/test.txt",
		"features": int64(20)},
}

type libsvm struct {
	pin
	names  []string // of the training file, and of the test file where there is one
	rows   [2]int   // to use of each, the first ones; 0 for all
	format data.LIBSVM

	held       float64 // share of the training rows that is held out for tests
	missing    missing
	scale      string
	covariates []int // features, from 1
}

var _ fl.Source = (*libsvm)(nil)

// What the labels of LIBSVM files may be.
const (
	signs    = "signs"
	fromZero = "from-zero"
	fromOne  = "from-one"
)

func newLIBSVM(p *fl.Params) (fl.Source, error) {
	s := &libsvm{names: []string{
		p.Text("train_file", "", "path of the training rows"+anyPath),
		p.Text("test_file", none, "path of the test rows"),
	}}
	s.format.Features = newWidth(p, "number of features: the largest index, or more")
	s.format.Classes = p.Int("classes", 2, fl.Closed(0, 1<<16), "number of classes; 0 where "+
		"labels are numbers to predict")
	labels := p.Choice("labels", signs, "what classes are called: -1 and +1, or numbers from 0 "+
		"or from 1", signs, fromZero, fromOne)
	s.rows = newRows(p, fl.AtLeast(0), fl.AtLeast(0))
	s.held = newHeldOut(p, "test_file", s.names[1] != none)
	s.scale = p.Choice("scale", raw, "features as they are, or each with mean 0 and standard "+
		"deviation 1 over the training rows", raw, standard)
	s.missing = newMissing(p, "values ? and nan", "")
	s.covariates = p.Ints("covariates", nil, fl.Closed(1, 1<<24), "features, from 1, that are "+
		"known of rows before training")
	s.examine(p)
	s.pin = newPin(p)
	switch s.format.Step = 1; labels {
	case signs:
		s.format.First, s.format.Step = -1, 2
	case fromOne:
		s.format.First = 1
	}
	switch c := s.format.Classes; {
	case c == 1:
		p.Fail("classes", "there is nothing to tell apart in 1 class")
	case c > 2 && labels == signs:
		p.Clash("labels", "classes", "signs tell 2 classes apart, not %d", c)
	}
	if s.names[1] == none {
		s.names = s.names[:1]
	}
	return s, nil
}

// examine finds what is wrong with the parameters together.
func (s *libsvm) examine(p *fl.Params) {
	for i, k := range s.covariates {
		if s.format.Features > 0 && k > s.format.Features {
			p.Fail("covariates", "there are %d features, and none is %d", s.format.Features, k)
		}
		if slices.Contains(s.covariates[:i], k) {
			p.Fail("covariates", "%d is there twice", k)
		}
	}
}

// Shape is as the parameters say.
func (s *libsvm) Shape() fl.Shape {
	shape := fl.Shape{
		Features: s.format.Features, Classes: s.format.Classes,
		Tested: len(s.names) == 2 || s.held > 0,
	}
	for _, k := range s.covariates {
		shape.Covariates = append(shape.Covariates, fmt.Sprintf("x%d", k))
	}
	return shape
}

// Load reads the files.
func (s *libsvm) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := locatedAll(l.Folders, "libsvm", s.names)
	if err != nil {
		return nil, nil, err
	}
	if err := s.check(paths, 1); err != nil {
		return nil, nil, err
	}
	train, test, gaps, err := readLIBSVM(s.format, paths, s.rows, s.Shape())
	if err != nil {
		return nil, nil, err
	}
	for _, g := range gaps {
		if g.Count > 0 && s.missing == refused {
			return nil, nil, unfilled(g.Count, g.First.Error())
		}
	}
	if test == nil {
		if train, test, err = holdOut(train, s.held, l.RNG); err != nil {
			return nil, nil, err
		}
	}
	if err := s.missing.fill(l, "libsvm", train, test); err != nil {
		return nil, nil, err
	}
	s.finish(train, test)
	return train, test, nil
}

// finish scales features and picks covariates of them.
func (s *libsvm) finish(train, test *fl.Dataset) {
	parts, rest := []*fl.Dataset{train}, []fl.Matrix(nil)
	if test != nil {
		parts, rest = append(parts, test), append(rest, test.X)
	}
	if s.scale == standard {
		data.Standardize(train.X, rest...)
	}
	if len(s.covariates) == 0 {
		return
	}
	for _, d := range parts {
		d.Covariates = fl.NewMatrix(d.Len(), len(s.covariates))
		for r := range d.Len() {
			for j, k := range s.covariates {
				d.Covariates.Row(r)[j] = d.X.Row(r)[k-1]
			}
		}
	}
}

// inspect examines the files.
func (s *libsvm) inspect(e examiner) {
	params, paths := []string{"train_file", "test_file"}, make([]string, len(s.names))
	for i, name := range s.names {
		paths[i] = e.find(params[i], name)
	}
	if !slices.Contains(paths, "") {
		e.pinned(s.pin, paths, 1)
	}
	for i, path := range paths {
		if path == "" {
			continue
		}
		rows, gaps := 0, data.Gap{}
		whole := e.look(params[i], path, func(m *data.Mistakes) (err error) {
			rows, gaps, err = s.format.Examine(path, m)
			return err
		})
		if gaps.Count > 0 && s.missing == refused {
			e.Fail(params[i], "%v", unfilled(gaps.Count, gaps.First.Error()))
		}
		if whole {
			e.rows([]string{"train", "test"}[i], path, s.rows[i], rows)
		}
		if whole && rows == 0 {
			e.Fail(params[i], "%s: there are no rows", path)
		}
	}
}

// readLIBSVM reads the first rows of a training file and, where there is one, a test file. What is
// missing in them is NaN.
func readLIBSVM(format data.LIBSVM, paths []string, rows [2]int, shape fl.Shape) (
	train, test *fl.Dataset, gaps [2]data.Gap, err error,
) {
	var parts [2]*fl.Dataset
	for i, path := range paths {
		if parts[i], gaps[i], err = format.ReadFile(path, rows[i]); err != nil {
			return nil, nil, gaps, err
		}
		if parts[i].Len() == 0 {
			return nil, nil, gaps, fmt.Errorf("%s: there are no rows", path)
		}
		parts[i].Shape = shape
	}
	return parts[0], parts[1], gaps, nil
}
