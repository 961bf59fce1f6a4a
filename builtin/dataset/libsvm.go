// LIBSVM — rows of numbers in any files of the format of that library.
//
//	C.-C. Chang, C.-J. Lin. LIBSVM: A Library for Support Vector Machines. ACM
//	Transactions on Intelligent Systems and Technology 2(3), 2011.
//
// A line holds a label, then index:value for the features that are not 0, indices ascending
// from 1. Files may be packed by gzip. Rows are kept whole, zeros included, as models take
// them. A relative path is looked for in the folders of data sets.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"math"

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
	Example: map[string]any{"train_file": "libsvm/train.txt", "test_file": "libsvm/test.txt",
		"features": int64(20)},
}

type libsvm struct {
	pin
	names  []string // of the training file, and of the test file where there is one
	rows   [2]int   // to use of each, the first ones; 0 for all
	format data.LIBSVM
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
		p.Text("train_file", "", "path of the training rows"),
		p.Text("test_file", none, "path of the test rows"),
	}}
	if n := p.Float("features", math.NaN(), fl.Closed(1, 1<<24), "number of features: the "+
		"largest index, or more"); n == math.Trunc(n) {
		s.format.Features = int(n)
	} else if !math.IsNaN(n) {
		p.Fail("features", "%v is not whole", n)
	}
	s.format.Classes = p.Int("classes", 2, fl.Closed(0, 1<<16), "number of classes; 0 where "+
		"labels are numbers to predict")
	labels := p.Choice("labels", signs, "what classes are called: -1 and +1, or numbers from 0 "+
		"or from 1", signs, fromZero, fromOne)
	s.rows = newRows(p, fl.AtLeast(0), fl.AtLeast(0))
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
		p.Fail("labels", "signs tell 2 classes apart, not %d", c)
	}
	if s.names[1] == none {
		s.names = s.names[:1]
	}
	return s, nil
}

// newRows declares how many rows are used, with the numbers that can be asked for.
func newRows(p *fl.Params, train, test fl.Range) [2]int {
	return [2]int{
		p.Int("train", 0, train, "first training rows to use; 0 for all"),
		p.Int("test", 0, test, "first test rows to use; 0 for all"),
	}
}

// Shape is as the parameters say.
func (s *libsvm) Shape() fl.Shape {
	return fl.Shape{
		Features: s.format.Features, Classes: s.format.Classes, Tested: len(s.names) == 2,
	}
}

// Load reads the files.
func (s *libsvm) Load(l *fl.Loading) (train, test *fl.Dataset, err error) {
	paths, err := located(l.Folders, "libsvm", s.names)
	if err != nil {
		return nil, nil, err
	}
	if err := s.check(paths, 1); err != nil {
		return nil, nil, err
	}
	return readLIBSVM(s.format, paths, s.rows, s.Shape())
}

// located returns the paths of files that an experiment names.
func located(folders []string, set string, names []string) (paths []string, err error) {
	for _, name := range names {
		path, err := data.Locate(folders, set, name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// readLIBSVM reads the first rows of a training file and, where there is one, a test file.
func readLIBSVM(format data.LIBSVM, paths []string, rows [2]int, shape fl.Shape) (
	train, test *fl.Dataset, err error,
) {
	var parts [2]*fl.Dataset
	for i, path := range paths {
		if parts[i], err = format.ReadFile(path, rows[i]); err != nil {
			return nil, nil, err
		}
		parts[i].Shape = shape
	}
	return parts[0], parts[1], nil
}
