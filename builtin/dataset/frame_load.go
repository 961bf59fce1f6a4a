package dataset

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// load reads the training rows and the test rows, from two tables or from one, of which a
// share is held out.
func (f *frame) load(paths []string, held float64, shape fl.Shape, l *fl.LoadInput) (
	train, test *fl.Dataset, err error,
) {
	var sheets []*sheet
	for _, path := range paths {
		s, err := f.read(path, nil)
		if err == nil {
			err = f.gaps(s)
		}
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
	if err := f.finish(train, test); err != nil {
		return nil, nil, err
	}
	if f.missing == mean {
		f.remark(l, sheets)
	}
	return train, test, nil
}

// remark notes how many cells are missing.
func (f *frame) remark(l *fl.LoadInput, sheets []*sheet) {
	count := func(columns []data.Column) (gaps, cells int) {
		for _, c := range columns {
			gaps += c.Missing
		}
		return gaps, len(columns)
	}
	numbers, categories, of, ofCategories := 0, 0, 0, 0
	for _, s := range sheets {
		n, width := count(s.columns[:len(f.numbers)])
		numbers, of = numbers+n, of+width*len(s.lines)
		n, width = count(f.inCategories(s))
		categories, ofCategories = categories+n, ofCategories+width*len(s.lines)
	}
	if numbers > 0 {
		l.Note(filled("csv", numbers, of))
	}
	if categories > 0 {
		l.Note(fmt.Sprintf("dataset csv: %d of %d categories are missing and 0 everywhere",
			categories, ofCategories))
	}
}
