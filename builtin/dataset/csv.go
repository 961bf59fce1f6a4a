// CSV — rows of a table with a header.
//
//	Y. Shafranovich. Common Format and MIME Type for Comma-Separated Values (CSV) Files.
//	RFC 4180, 2005.
//
// Columns are used as numbers, moved and scaled to mean 0 and standard deviation 1 over the
// training rows unless scale = "raw"; as categories, of which each value of the training file is a
// feature that is 0 or 1; or not at all. A cell of these columns that is missing — ? or nothing —
// is an error unless missing = "mean": then a number has the mean of those that are there, and a
// category is 0 everywhere. Mean and deviation are those of the numbers that are there, so that
// with the others the deviation is below 1. Covariates are columns of numbers, scaled in the same
// way, or column=value, which is 1 for the rows that have it; a client has the mean over its rows.
// Files may be packed by gzip. A path may be a pattern that one file fits; a relative one is looked
// for in the folder of the experiment, then in those of data sets.
//
// Departures: results are found again by the names of the files and not by their content,
// unless sha256 pins it.

package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// CSV describes the data set to the registry.
var CSV = fl.SourceEntry{
	Name:       "csv",
	Summary:    "rows of tables with a header, by their paths, and clients where a column says",
	Deviations: unpinned,
	New:        newCSV,
	Inspect:    func(c fl.Source, i *fl.Inspection) { c.(*table).inspect(examiner{i, "csv"}) },
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
		p.Text("train_file", "", "path of the table with the training rows"+anyPath),
		p.Text("test_file", none, "path of the table with the test rows"),
	}}
	s.held = p.Float("held_out", 0, fl.RightOpen(0, 1), "share of the rows of train_file that are "+
		"drawn to be test rows, where there is no test_file")
	s.separator = newSeparator(p)
	s.label = p.Text("label", "", "column to predict")
	s.classes = p.Int("classes", 2, fl.Closed(0, 1<<16), "number of different labels; 0 where "+
		"they are numbers to predict")
	s.numbers = p.Texts("numbers", "columns that are used as numbers, scaled as scale says")
	s.categories = p.Texts("categories", "columns whose values are features")
	s.features = p.Int("features", 0, fl.AtLeast(0), "number of features, needed where there are "+
		"categories; a wrong one is answered by the right one")
	s.covariates = p.Texts("covariates", "what is known of rows before training: columns of "+
		"numbers, and column=value for the rows that have a value")
	s.client = p.Text("client", none, "column that names the natural client; clients are in the "+
		"order of these texts")
	s.scale = p.Choice("scale", standard, "numbers moved and scaled to mean 0 and standard "+
		"deviation 1 over the training rows that have them, or as they are", standard, raw)
	s.missing = newMissing(p, "cells without a value, ? or nothing", "; a category is then 0 for "+
		"each of its values")
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
		p.Clash("held_out", "test_file", "test rows are those of test_file")
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
func (s *table) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	paths, err := locatedAll(l.Folders, "csv", s.names)
	if err != nil {
		return nil, nil, err
	}
	if err := s.check(paths, 1); err != nil {
		return nil, nil, err
	}
	return s.frame.load(paths, s.held, s.Shape(), l)
}

// newSeparator declares what stands between cells.
func newSeparator(p *fl.Params) rune {
	word := p.Text("separator", ",", "what stands between cells: , or ; or | or tab")
	switch word {
	case "tab", "\t":
		return '\t'
	case ",", ";", "|":
		return rune(word[0])
	}
	p.Fail("separator", "%q is none of , ; | and tab", word)
	return ','
}

// inspect examines the tables.
func (s *table) inspect(e examiner) {
	params, paths := []string{"train_file", "test_file"}, make([]string, len(s.names))
	for i, name := range s.names {
		paths[i] = e.find(params[i], name)
	}
	if !slices.Contains(paths, "") {
		e.pinned(s.pin, paths, 1)
	}
	sheets := make([]*sheet, len(paths))
	for i, path := range paths {
		if path == "" {
			continue
		}
		var read *sheet
		e.look(params[i], path, func(m *data.Mistakes) (err error) {
			if read, err = s.read(path, m); err == nil && m.Partial == "" {
				sheets[i] = read // as a whole, but for single cells
			}
			return err
		})
		if read == nil {
			continue
		}
		if err := s.gaps(read); err != nil {
			e.Fail(params[i], "%v", err)
		}
	}
	if sheets[0] == nil {
		return
	}
	for _, f := range s.faults(sheets[0], s.Shape(), e.Clients) {
		e.Fail(f.param, "%v", f.error)
	}
	if s.held > 0 && len(sheets[0].lines) < 2 {
		e.Fail("held_out", "%s: of 1 row none can be held out", paths[0])
	}
	if len(sheets) == 2 && sheets[1] != nil {
		for _, err := range s.strangers(sheets[0], sheets[1]) {
			e.Fail("test_file", "%v", err)
		}
	}
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
