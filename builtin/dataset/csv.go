// CSV — rows of a table with a header.
//
//	Y. Shafranovich. Common Format and MIME Type for Comma-Separated Values (CSV) Files.
//	RFC 4180, 2005.
//
// Columns are used as numbers, moved and scaled to mean 0 and standard deviation 1 over the
// training rows; as categories, of which each value of the training file is a feature that is
// 0 or 1; or not at all. Missing — ? or nothing — numbers have the mean, missing categories
// are 0 everywhere. Covariates are columns of numbers, scaled alike, or column=value, which is
// 1 for the rows that have it; a client has the mean over its rows. Files may be packed by
// gzip; a relative path is looked for in the folders of data sets.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// CSV describes the data set to the registry.
var CSV = fl.SourceEntry{
	Name:       "csv",
	Summary:    "rows of tables with a header, by their paths, and clients where a column says",
	Deviations: unpinned,
	New:        newCSV,
	Example: map[string]any{
		"train_file": "adult/adult.csv.gz", "label": "income", "numbers": []any{"age"},
	},
}

type table struct {
	pin
	frame
	names    []string // of the training file, and of the test file where there is one
	held     float64  // share of the rows of the training file that are test rows
	features int
}

var _ fl.Source = (*table)(nil)

func newCSV(p *fl.Params) (fl.Source, error) {
	s := &table{names: []string{
		p.Text("train_file", "", "path of the table with the training rows"),
		p.Text("test_file", none, "path of the table with the test rows"),
	}}
	s.held = p.Float("held_out", 0, fl.RightOpen(0, 1), "share of the rows of train_file that are "+
		"drawn to be test rows, where there is no test_file")
	s.label = p.Text("label", "", "column to predict")
	s.classes = p.Int("classes", 2, fl.Closed(0, 1<<16), "number of different labels; 0 where "+
		"they are numbers to predict")
	s.numbers = p.Texts("numbers", "columns that are used as numbers")
	s.categories = p.Texts("categories", "columns whose values are features")
	s.features = p.Int("features", 0, fl.AtLeast(0), "number of features, needed where there are "+
		"categories; a wrong one is answered by the right one")
	s.covariates = p.Texts("covariates", "what is known of rows before training: columns of "+
		"numbers, and column=value for the rows that have a value")
	s.client = p.Text("client", none, "column that names the natural client; clients are in the "+
		"order of these texts")
	s.pin = newPin(p)
	s.called = s.covariates
	if s.client == none {
		s.client = ""
	}
	if s.names[1] == none {
		s.names = s.names[:1]
	}
	s.examine(p)
	return s, nil
}

// examine finds what is wrong with the parameters together.
func (s *table) examine(p *fl.Params) {
	if !p.Setting().Known() {
		return
	}
	switch used := slices.Concat(s.numbers, s.categories); {
	case len(used) == 0:
		p.Fail("numbers", "no column is used: name some in numbers or categories")
	case slices.Contains(used, s.label):
		p.Fail("label", "%q is a feature, too", s.label)
	case len(s.categories) == 0 && s.features == 0:
		s.features = len(s.numbers)
	case len(s.categories) == 0 && s.features != len(s.numbers):
		p.Fail("features", "there are %d: the numbers", len(s.numbers))
	case s.features < len(used):
		p.Fail("features", "there are %d or more: the numbers, and the values of each category",
			len(used))
	}
	if s.classes == 1 {
		p.Fail("classes", "there is nothing to tell apart in 1 class")
	}
	if s.held > 0 && len(s.names) == 2 {
		p.Fail("held_out", "test rows are those of test_file")
	}
	for i, name := range s.covariates {
		column, value, indicator := strings.Cut(name, "=")
		if column == "" || indicator && value == "" {
			p.Fail("covariates", "%q: want a column, or column=value", name)
		}
		if slices.Contains(s.covariates[:i], name) {
			p.Fail("covariates", "%q is there twice", name)
		}
	}
}

// Shape is as the parameters say.
func (s *table) Shape() fl.Shape {
	return fl.Shape{
		Features: s.features, Classes: s.classes, Owned: s.client != "",
		Tested: len(s.names) == 2 || s.held > 0, Covariates: s.called,
	}
}

// Load reads the tables.
func (s *table) Load(l *fl.Loading) (train, test *fl.Dataset, err error) {
	paths, err := located(l.Folders, "csv", s.names)
	if err != nil {
		return nil, nil, err
	}
	if err := s.check(paths, 1); err != nil {
		return nil, nil, err
	}
	return s.frame.load(paths, s.held, s.Shape(), l)
}

// load reads the training rows and the test rows, from two tables or from one, of which a
// share is held out.
func (f *frame) load(paths []string, held float64, shape fl.Shape, l *fl.Loading) (
	train, test *fl.Dataset, err error,
) {
	var sheets []*sheet
	for _, path := range paths {
		s, err := f.read(path)
		if err != nil {
			return nil, nil, err
		}
		sheets = append(sheets, s)
	}
	c, err := f.learn(sheets[0], shape, l.Clients)
	if err != nil {
		return nil, nil, err
	}
	if held > 0 && len(sheets[0].lines) < 2 {
		return nil, nil, fmt.Errorf("%s: of 1 row none can be held out", paths[0])
	}
	kept, out := heldOut(len(sheets[0].lines), held, l.RNG)
	if train, err = f.dataset(sheets[0], c, kept, shape); err != nil {
		return nil, nil, err
	}
	switch {
	case len(sheets) == 2:
		rows, _ := heldOut(len(sheets[1].lines), 0, nil)
		test, err = f.dataset(sheets[1], c, rows, shape)
	case held > 0:
		test, err = f.dataset(sheets[0], c, out, shape)
	}
	if err != nil {
		return nil, nil, err
	}
	return train, test, f.finish(train, test)
}

// heldOut draws round(share·n) of n rows, at least one of each kind where a share is asked
// for, and returns the others and those, both ascending.
func heldOut(n int, share float64, rng *rand.Rand) (kept, out []int) {
	if share == 0 {
		for r := range n {
			kept = append(kept, r)
		}
		return kept, nil
	}
	rows := rng.Perm(n)
	cut := min(max(int(math.Round(share*float64(n))), 1), n-1)
	out, kept = rows[:cut], rows[cut:]
	slices.Sort(out)
	slices.Sort(kept)
	return kept, out
}
