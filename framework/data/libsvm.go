package data

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// A LIBSVM is a table in the format of that library (C.-C. Chang, C.-J. Lin): a line for each
// row, which holds its label and, after blanks, index:value for some features. Indices count
// from 1 and ascend; features that are not there are 0. Lines without anything are skipped.
type LIBSVM struct {
	Features int // of a row, at most; indices above are mistakes
	Classes  int // 0 for regression: labels are any numbers

	// The label of class c is First + c·Step: −1 and 2 for two classes −1 and +1, 0 and 1 or
	// 1 and 1 for classes that are counted from there.
	First, Step int
}

// A Gap counts the values of a file that are not known.
type Gap struct {
	Count int
	First *TextError // where the first of them stands; nil when there is none
}

// ReadFile reads the first n rows of a file, packed by gzip or not, or all when n is 0. Rows
// that are not asked for are checked all the same. The file is read twice, so that no memory
// is needed but for the result. A value that is not known, nan or ?, is NaN, and counted. Mistakes
// are *TextErrors. More rows than memory can hold are an error.
func (f LIBSVM) ReadFile(path string, n int) (d *fl.Dataset, g Gap, err error) {
	return f.readWithin(path, n, host.Memory())
}

// readWithin reads rows where a memory suffices. A memory of 0 is not known.
func (f LIBSVM) readWithin(path string, n int, memory uint64) (d *fl.Dataset, g Gap, err error) {
	rows := 0
	err = eachLine(path, nil, func(_ int, text []byte) error {
		if len(bytes.TrimSpace(text)) > 0 {
			rows++
		}
		return nil
	})
	if err != nil {
		return nil, g, err
	}
	if n > rows {
		return nil, g, fmt.Errorf("%s: %d rows asked for, %d there", path, n, rows)
	}
	if n == 0 {
		n = rows
	}
	if err := enough(n, []int{n, f.Features}, memory); err != nil {
		return nil, g, fmt.Errorf("%s: %w", path, err)
	}
	d = &fl.Dataset{Shape: fl.Shape{Features: f.Features, Classes: f.Classes}}
	d.X = fl.NewMatrix(n, f.Features)
	if f.Classes > 0 {
		d.Y = make([]int, n)
	} else {
		d.Target = make(fl.Vector, n)
	}
	row := 0
	err = f.each(path, &g, nil, func(features []feature, label float64) {
		if row < n {
			for _, v := range features {
				d.X.Row(row)[v.index-1] = v.value
			}
			if d.Y != nil {
				d.Y[row] = int(label)
			} else {
				d.Target[row] = label
			}
		}
		row++
	})
	return d, g, err
}

// Examine reads all rows of a file and keeps none. It returns how many there are, and how many of
// their values are not known.
func (f LIBSVM) Examine(path string, m *Mistakes) (rows int, g Gap, err error) {
	err = f.each(path, &g, m, func([]feature, float64) { rows++ })
	return rows, g, err
}

// each visits the rows of a file: their features, in order, and the class or target. The features
// live until visit returns. Rows with a mistake that is collected are not visited.
func (f LIBSVM) each(
	path string, g *Gap, m *Mistakes, visit func(features []feature, label float64),
) error {
	var room []feature
	return eachLine(path, m, func(line int, text []byte) error {
		if len(bytes.TrimSpace(text)) == 0 {
			return nil
		}
		var label float64
		var wrong *misread
		room, label, wrong = f.row(room[:0], text)
		if wrong != nil {
			return m.report(wrong.sort, func() error {
				return &TextError{path, line, wrong.column, wrong.Error()}
			})
		}
		for _, v := range room {
			if v.value != v.value {
				if g.Count++; g.First == nil {
					g.First = &TextError{path, line, v.column,
						fmt.Sprintf("the value of index %d is missing", v.index)}
				}
			}
		}
		visit(room, label)
		return nil
	})
}

// A feature is index:value of a row.
type feature struct {
	index  int // from 1
	value  float64
	column int // in its line, from 1
}

// A misread is a mistake in a column of a line.
type misread struct {
	error
	sort   string
	column int
}

// row appends the features of a row, and returns its class or target.
func (f LIBSVM) row(to []feature, text []byte) (list []feature, label float64, wrong *misread) {
	token, begin := word(text, 0)
	label, err := f.label(string(token))
	if err != nil {
		return to, label, &misread{err, "label", begin + 1}
	}
	last := 0
	for at := begin + len(token); ; at = begin + len(token) {
		if token, begin = word(text, at); len(token) == 0 {
			return to, label, nil
		}
		v, sort, err := f.feature(string(token), last)
		if err != nil {
			return to, 0, &misread{err, sort, begin + 1}
		}
		v.column, last = begin+1, v.index
		to = append(to, v)
	}
}

// word returns the next word of a text, and where it begins.
func word(text []byte, at int) (token []byte, begin int) {
	for at < len(text) && blank(text[at]) {
		at++
	}
	end := at
	for end < len(text) && !blank(text[end]) {
		end++
	}
	return text[at:end], at
}

// blank agrees with bytes.TrimSpace on what is ASCII.
func blank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// label returns the class, or the target, that a label stands for.
func (f LIBSVM) label(text string) (float64, error) {
	v, err := parseNumber(text)
	if err != nil {
		return 0, fmt.Errorf("label %w", err)
	}
	if f.Classes == 0 {
		return v, nil
	}
	class := (v - float64(f.First)) / float64(f.Step)
	if class >= 0 && class < float64(f.Classes) && class == math.Trunc(class) {
		return class, nil
	}
	list := fmt.Sprintf("%d to %d", f.First, f.First+f.Step*(f.Classes-1))
	if f.Classes == 2 {
		list = fmt.Sprintf("%d and %d", f.First, f.First+f.Step)
	}
	return 0, fmt.Errorf("label %s is no class; they are %s", text, list)
}

// feature reads index:value, of which the index is to be above the last. An error has a sort.
func (f LIBSVM) feature(text string, last int) (v feature, sort string, err error) {
	index, value, found := strings.Cut(text, ":")
	if !found {
		return v, "pair", fmt.Errorf("want index:value, have %q", text)
	}
	k, err := strconv.Atoi(index)
	switch {
	case err != nil:
		return v, "index", fmt.Errorf("index %q is no whole number", index)
	case k < 1:
		return v, "index", fmt.Errorf("index %d is below 1", k)
	case k > f.Features:
		return v, "features", fmt.Errorf("index %d is above the number of features, %d", k,
			f.Features)
	case k <= last:
		return v, "order", fmt.Errorf("index %d comes after index %d; want them ascending", k, last)
	}
	v.index = k
	if value == Missing || strings.EqualFold(value, "nan") {
		v.value = math.NaN()
		return v, "", nil
	}
	if v.value, err = parseNumber(value); err != nil {
		return v, "value", fmt.Errorf("value of index %d: %w", k, err)
	}
	return v, "", nil
}
