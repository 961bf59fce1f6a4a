package dataset

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// What all data sets in files that an experiment names have in common: how paths are meant, which
// rows are held out for tests, and what is made of values that are not known.

// anyPath ends what paths are said to be.
const anyPath = "; * stands for any part of a name"

// located returns the path of the one file or folder that an experiment names: as it is written,
// or else as a pattern.
func located(folders []string, set, name string) (string, error) {
	path, err := data.Locate(folders, set, name)
	if !errors.As(err, new(*data.MissingError)) || !strings.ContainsAny(name, "*?[") {
		return path, err
	}
	found, err := data.Glob(folders, set, name)
	switch {
	case err != nil:
		return "", err
	case len(found) > 1:
		return "", fmt.Errorf("%s: want one file, there are %v", name, found)
	}
	return found[0], nil
}

// locatedAll returns the paths of several files.
func locatedAll(folders []string, set string, names []string) (paths []string, err error) {
	for _, name := range names {
		path, err := located(folders, set, name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// newHeldOut declares what share of the training rows is held out for tests, where there is no
// test file, which a parameter names.
func newHeldOut(p *fl.Params, file string, tested bool) float64 {
	held := p.Float("held_out", 0, fl.RightOpen(0, 1), "share of the training rows, of every "+
		"class and domain, that is drawn for tests, where there is no "+file)
	if held > 0 && tested {
		p.Clash("held_out", file, "test rows are those of %s", file)
	}
	return held
}

// What is made of values that are not known.
const (
	refused = "error"
	mean    = "mean"
)

// A missing says what is made of values that are not known.
type missing string

func newMissing(p *fl.Params, what, more string) missing {
	return missing(p.Choice("missing", refused, "what is made of "+what+": an error that counts "+
		"them, or the mean of their column over the training rows"+more, refused, mean))
}

// remedy ends the error that values are missing.
const remedy = "; missing = \"mean\" replaces them by the mean of their column"

// unfilled is the error that values are missing, of which the first is known by its place, perhaps
// in several columns with names.
func unfilled(count int, first string, columns ...string) error {
	if count == 1 {
		return fmt.Errorf("%s%s", first, remedy)
	}
	in := ""
	if len(columns) > 1 {
		in = " in " + strings.Join(columns, ", ")
	}
	return fmt.Errorf("%s, the first of %d values that are missing%s%s", first, count, in, remedy)
}

// gapsIn counts what is not a number in rows, and says where the first is.
func gapsIn(d *fl.Dataset) (count int, first string) {
	if d.Packed.Bytes != nil {
		return 0, ""
	}
	room := make(fl.Vector, d.X.Cols)
	for i := range d.Len() {
		for j, v := range d.Row(i, room) {
			if v != v {
				if count++; count == 1 {
					first = gapAt(i, j)
				}
			}
		}
	}
	return count, first
}

// gapAt names the place of a value that is not known.
func gapAt(row, column int) string {
	return fmt.Sprintf("row %d has NaN in column %d", row, column)
}

// fill gives values that are not known, NaN, the mean of their column over the training rows, and
// remarks how many there are. There may be no test rows.
func (q missing) fill(l *fl.LoadInput, name string, train, test *fl.Dataset) error {
	parts := partsOf(train, test)
	total, values := 0, 0
	for _, d := range parts {
		count, first := gapsIn(d)
		total, values = total+count, values+d.Len()*d.X.Cols
		if count > 0 && q == refused {
			return unfilled(count, first)
		}
	}
	if total == 0 {
		return nil
	}
	for _, d := range parts {
		d.Unpack() // means are no numbers of single precision
	}
	means, err := knownMeans(train.X)
	if err != nil {
		return err
	}
	for _, d := range parts {
		for i := range d.Len() {
			for j, v := range d.X.Row(i) {
				if v != v {
					d.X.Row(i)[j] = means[j]
				}
			}
		}
	}
	l.Note(filled(name, total, values))
	return nil
}

// filled says how many values were not known.
func filled(name string, count, values int) string {
	return fmt.Sprintf("dataset %s: %d of %d values are missing and have the mean of their column",
		name, count, values)
}

// knownMeans returns the mean of what is known of every column.
func knownMeans(x fl.Matrix) (fl.Vector, error) {
	means, known := make(fl.Vector, x.Cols), make([]int, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v == v {
				known[j]++
				means[j] += (v - means[j]) / float64(known[j])
			}
		}
	}
	for j, n := range known {
		if n == 0 {
			return nil, fmt.Errorf("no training row has a value in column %d", j)
		}
	}
	return means, nil
}

// newWidth declares the number of features of a row.
func newWidth(p *fl.Params, doc string) int {
	n := p.Float("features", math.NaN(), fl.Closed(1, 1<<24), doc)
	switch {
	case n == math.Trunc(n):
		return int(n)
	case !math.IsNaN(n):
		p.Fail("features", "%v is not whole", n)
	}
	return 0
}

// A counted array is what an examination learns of one in a file.
type counted struct {
	name  string // of the file, and of the array in it
	dims  []int
	bytes bool
	gaps  int    // values that are NaN
	first string // where the first of them is
	most  float64
}

// rows returns how many rows the array has.
func (c *counted) rows() int {
	if len(c.dims) == 0 {
		return 0
	}
	return c.dims[0]
}

// columns returns how many values a row has.
func (c *counted) columns() int {
	n := 1
	for _, k := range c.dims[min(1, len(c.dims)):] {
		n *= k
	}
	return n
}

// scan returns what examines the first rows of an array, all where used is 0: values that are
// missing or not finite.
func (c *counted) scan(m *data.Mistakes, used int) *data.Scan {
	return &data.Scan{Mistakes: m,
		Head: func(dims []int, bytes bool) { c.dims, c.bytes = dims, bytes },
		Visit: func(row, column int, v float64) {
			switch {
			case used > 0 && row >= used:
			case v != v:
				if c.gaps++; c.gaps == 1 {
					c.first = gapAt(row, column)
				}
			case math.IsInf(v, 0):
				m.Add("infinite", func() error {
					return fmt.Errorf("%s: row %d has %v in column %d", c.name, row, v, column)
				})
			default:
				c.most = max(c.most, v)
			}
		}}
}

// indices returns what examines the first rows of a list of whole numbers from 0 to n−1.
func (c *counted) indices(m *data.Mistakes, used, n int) *data.Scan {
	return &data.Scan{Mistakes: m,
		Head: func(dims []int, bytes bool) { c.dims, c.bytes = dims, bytes },
		Visit: func(row, _ int, v float64) {
			if used > 0 && row >= used || v >= 0 && v < float64(n) && v == math.Trunc(v) {
				return
			}
			m.Add("index", func() error {
				return fmt.Errorf("%s: %v in row %d is none of the numbers 0 to %d", c.name, v, row,
					n-1)
			})
		}}
}
