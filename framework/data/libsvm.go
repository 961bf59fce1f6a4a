package data

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
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

// ReadFile reads the first n rows of a file, packed by gzip or not, or all when n is 0. Rows
// that are not asked for are checked all the same. The file is read twice, so that no memory
// is needed but for the result. Mistakes are *TextErrors.
func (f LIBSVM) ReadFile(path string, n int) (*fl.Dataset, error) {
	rows := 0
	err := eachLine(path, func(_ int, text []byte) error {
		if len(bytes.TrimSpace(text)) > 0 {
			rows++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if n > rows {
		return nil, fmt.Errorf("%s: %d rows asked for, %d there", path, n, rows)
	}
	if n == 0 {
		n = rows
	}
	d := &fl.Dataset{Shape: fl.Shape{Features: f.Features, Classes: f.Classes}}
	d.X = fl.NewMatrix(n, f.Features)
	if f.Classes > 0 {
		d.Y = make([]int, n)
	} else {
		d.Target = make(fl.Vector, n)
	}
	row, rest := 0, make(fl.Vector, f.Features)
	return d, eachLine(path, func(line int, text []byte) error {
		if len(bytes.TrimSpace(text)) == 0 {
			return nil
		}
		x := rest
		if row < n {
			x = d.X.Row(row)
		}
		label, column, err := f.row(x, text)
		if err != nil {
			return &TextError{path, line, column, err.Error()}
		}
		if row < n && d.Y != nil {
			d.Y[row] = int(label)
		} else if row < n {
			d.Target[row] = label
		}
		row++
		return nil
	})
}

// row reads the features of a row into x, which is zero, and returns its class or target. An
// error is that of a column.
func (f LIBSVM) row(x fl.Vector, text []byte) (label float64, column int, err error) {
	last := 0
	for at := 0; ; {
		token, begin := word(text, at)
		if len(token) == 0 {
			return label, 0, nil
		}
		if at == 0 {
			label, err = f.label(string(token))
		} else {
			last, err = f.feature(x, string(token), last)
		}
		if err != nil {
			return 0, begin + 1, err
		}
		at = begin + len(token)
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

// feature sets what index:value says and returns the index, which is to be above the last.
func (f LIBSVM) feature(x fl.Vector, text string, last int) (int, error) {
	index, value, found := strings.Cut(text, ":")
	if !found {
		return 0, fmt.Errorf("want index:value, have %q", text)
	}
	k, err := strconv.Atoi(index)
	switch {
	case err != nil:
		return 0, fmt.Errorf("index %q is no whole number", index)
	case k < 1:
		return 0, fmt.Errorf("index %d is below 1", k)
	case k > f.Features:
		return 0, fmt.Errorf("index %d is above the number of features, %d", k, f.Features)
	case k <= last:
		return 0, fmt.Errorf("index %d comes after index %d; want them ascending", k, last)
	}
	if x[k-1], err = parseNumber(value); err != nil {
		return 0, fmt.Errorf("value of index %d: %w", k, err)
	}
	return k, nil
}
