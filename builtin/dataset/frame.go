package dataset

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A frame says what the columns of a table become. A row of features has the numbers, then for
// every category its values that the table has, sorted, each 1 where it is there: a missing
// category is 0 everywhere. Numbers are moved and scaled to mean 0 and standard deviation 1
// over the training rows that have them, unless they are raw; a missing one has their mean.
type frame struct {
	separator rune    // 0: a comma
	scale     string  // raw, or else standard
	missing   missing // refused, or else what is missing has the mean

	numbers    []string
	logs       []string // those of the numbers that are taken by log(1 + x)
	categories []string
	label      string // a category of so many classes, sorted; or a number to predict
	classes    int    // 0: a number

	// covariates are columns of numbers, scaled as features are, or column=value: 1 for a row
	// that has one of the values, which | separates.
	covariates []string
	called     []string // names of the covariates
	client     string   // the column of natural clients; empty: none
}

// A sheet is a table that was read.
type sheet struct {
	path    string
	columns []data.Column
	lines   []int
}

// read reads the columns of a table that the frame is about. Where mistakes are collected, it keeps
// no rows.
func (f *frame) read(path string, m *data.Mistakes) (s *sheet, err error) {
	s = &sheet{path: path}
	add := func(name string, number, required bool) {
		s.columns = append(s.columns, data.Column{Name: name, Number: number, Required: required})
	}
	for _, name := range f.numbers {
		add(name, true, false)
	}
	for _, name := range f.categories {
		add(name, false, false)
	}
	add(f.label, f.classes == 0, true)
	for _, c := range f.covariates {
		name, _, indicator := strings.Cut(c, "=")
		add(name, !indicator, false)
	}
	if f.client != "" {
		add(f.client, false, true)
	}
	s.lines, err = data.Table{Separator: f.separator, Mistakes: m}.Read(path, s.columns)
	if err == nil && len(s.lines) == 0 && (m == nil || m.Partial == "") {
		err = fmt.Errorf("%s: there are no rows", path)
	}
	return s, err
}

// inCategories returns the columns of the categories; inLabel and inCovariates those after them.
func (f *frame) inCategories(s *sheet) []data.Column {
	return s.columns[len(f.numbers):][:len(f.categories)]
}

func (f *frame) inLabel(s *sheet) *data.Column {
	return &s.columns[len(f.numbers)+len(f.categories)]
}

// inClient returns the column of natural clients, where there is one.
func (f *frame) inClient(s *sheet) *data.Column { return &s.columns[len(s.columns)-1] }

func (f *frame) inCovariates(s *sheet) []data.Column {
	return s.columns[len(f.numbers)+len(f.categories)+1:][:len(f.covariates)]
}

// levels returns the values of a column, sorted.
func levels(c *data.Column) []string { return slices.Sorted(maps.Keys(c.FirstLine)) }

// A code is what the values of columns stand for, taken from the sheet with the training rows.
type code struct {
	categories [][]string
	classes    []string
	clients    []string
	features   int
}

// A fault is what is wrong with a table, and the parameter that says otherwise.
type fault struct {
	param string
	error
}

// learn returns the code of a sheet, which is to have the shape that was declared.
func (f *frame) learn(s *sheet, shape fl.Shape, clients int) (*code, error) {
	if faults := f.faults(s, shape, clients); len(faults) > 0 {
		return nil, faults[0].error
	}
	c := &code{features: shape.Features}
	for _, column := range f.inCategories(s) {
		c.categories = append(c.categories, levels(&column))
	}
	if f.classes > 0 {
		c.classes = levels(f.inLabel(s))
	}
	if f.client != "" {
		c.clients = levels(f.inClient(s))
	}
	return c, nil
}

// faults returns all in which the sheet with the training rows is not what was declared.
func (f *frame) faults(s *sheet, shape fl.Shape, clients int) (all []fault) {
	add := func(param, format string, args ...any) {
		all = append(all, fault{param, fmt.Errorf(format, args...)})
	}
	features, complete := len(f.numbers), true
	for _, column := range f.inCategories(s) {
		features += len(column.FirstLine)
		complete = complete && column.Found
	}
	if complete && features != shape.Features {
		add("features", "%s: its columns make %d features, not %d: write features = %d", s.path,
			features, shape.Features, features)
	}
	label := f.inLabel(s)
	if n := len(label.FirstLine); f.classes > 0 && label.Found && n != f.classes {
		add("classes", "%s: %s has %d classes, want %d", s.path, f.label, n, f.classes)
	}
	if f.client != "" {
		client := f.inClient(s)
		if n := len(client.FirstLine); client.Found && n != clients {
			add("client", "%s: %s names %d clients, the experiment has %d", s.path, f.client, n,
				clients)
		}
	}
	for i, c := range s.columns {
		if c.Number && c.Found && c.Known == 0 {
			param := "numbers"
			if i >= len(f.numbers) {
				param = "covariates"
			}
			add(param, "%s: no training row has a number in %s", s.path, c.Name)
		}
	}
	return all
}

// strangers returns in what the test rows differ from all training rows though they may not.
func (f *frame) strangers(train, test *sheet) (errs []error) {
	compare := func(known, other *data.Column, format string, args ...any) {
		for _, name := range levels(other) {
			if known.Found && known.FirstLine[name] == 0 {
				errs = append(errs, fmt.Errorf("%s:%d: "+format,
					append([]any{test.path, other.FirstLine[name]}, append(args, name)...)...))
			}
		}
	}
	if f.classes > 0 {
		compare(f.inLabel(train), f.inLabel(test), "class %[3]q is none of the training rows'")
	}
	if f.client != "" {
		compare(f.inClient(train), f.inClient(test), "%[3]s %[4]q has no training rows", f.client)
	}
	return errs
}

// gaps returns the error that cells are missing, where that is one.
func (f *frame) gaps(s *sheet) error {
	if f.missing != refused {
		return nil
	}
	var list []string
	var first *data.TextError
	count := 0
	for i := range s.columns {
		c := &s.columns[i]
		if c.Missing == 0 || c.Required || slices.Contains(list, c.Name) {
			continue
		}
		list, count = append(list, c.Name), count+c.Missing
		if at := c.FirstGap; first == nil || at.Line < first.Line ||
			at.Line == first.Line && at.Column < first.Column {
			first = at
		}
	}
	if count == 0 {
		return nil
	}
	return unfilled(count, first.Error(), list...)
}

// dataset returns rows of a sheet. Numbers are as they are in the table, NaN where they are
// missing.
func (f *frame) dataset(s *sheet, c *code, rows []int, shape fl.Shape) (*fl.Dataset, error) {
	d := &fl.Dataset{Shape: shape, X: fl.NewMatrix(len(rows), shape.Features)}
	d.Covariates = fl.NewMatrix(len(rows), len(f.covariates))
	for k, r := range rows {
		x := d.X.Row(k)
		for j, name := range f.numbers {
			x[j] = s.columns[j].Numbers[r]
			if slices.Contains(f.logs, name) {
				x[j] = math.Log1p(x[j])
			}
		}
		at := len(f.numbers)
		for j, column := range f.inCategories(s) {
			if v, ok := slices.BinarySearch(c.categories[j], column.Texts[r]); ok {
				x[at+v] = 1
			}
			at += len(c.categories[j])
		}
		for j, column := range f.inCovariates(s) {
			d.Covariates.Row(k)[j] = f.covariate(j, &column, r)
		}
		if err := f.answer(d, s, c, r); err != nil {
			return nil, err
		}
	}
	if d.Covariates.Cols == 0 {
		d.Covariates = fl.Matrix{}
	}
	return d, nil
}

// covariate returns the j-th covariate of a row, whose column is given.
func (f *frame) covariate(j int, column *data.Column, row int) float64 {
	if column.Number {
		return column.Numbers[row]
	}
	_, values, _ := strings.Cut(f.covariates[j], "=")
	if slices.Contains(strings.Split(values, "|"), column.Texts[row]) {
		return 1
	}
	return 0
}

// answer adds label and client of a row.
func (f *frame) answer(d *fl.Dataset, s *sheet, c *code, row int) error {
	label := f.inLabel(s)
	if f.classes == 0 {
		d.Target = append(d.Target, label.Numbers[row])
	} else {
		class, ok := slices.BinarySearch(c.classes, label.Texts[row])
		if !ok {
			return fmt.Errorf("%s:%d: class %q is none of the training rows'", s.path,
				s.lines[row], label.Texts[row])
		}
		d.Y = append(d.Y, class)
	}
	if f.client != "" {
		name := f.inClient(s).Texts[row]
		client, ok := slices.BinarySearch(c.clients, name)
		if !ok {
			return fmt.Errorf("%s:%d: %s %q has no training rows", s.path, s.lines[row],
				f.client, name)
		}
		d.Owner = append(d.Owner, client)
	}
	return nil
}

// finish scales the numbers among features and covariates.
func (f *frame) finish(train, test *fl.Dataset) error {
	var x, z []fl.Matrix
	for _, d := range []*fl.Dataset{train, test} {
		if d != nil {
			x, z = append(x, d.X), append(z, d.Covariates)
		}
	}
	for j, name := range f.numbers {
		if !f.scaled(j, x) {
			return fmt.Errorf("no training row has a number in %s", name)
		}
	}
	for j, name := range f.covariates {
		if !strings.Contains(name, "=") && !f.scaled(j, z) {
			return fmt.Errorf("no training row has a number in %s", name)
		}
	}
	return nil
}

// scaled moves and scales column j of matrices as the first of them needs it, and reports whether
// that has a number there. What is missing has the mean, and does not count for the standard
// deviation.
func (f *frame) scaled(j int, ms []fl.Matrix) bool {
	var there []float64
	for r := range ms[0].Rows {
		if v := ms[0].Row(r)[j]; !math.IsNaN(v) {
			there = append(there, v)
		}
	}
	if len(there) == 0 {
		return false
	}
	column := fl.Matrix{Rows: len(there), Cols: 1, Data: there}
	mean := 0.0
	if f.scale == raw {
		for k, v := range there {
			mean += (v - mean) / float64(k+1)
		}
	}
	var rest []fl.Matrix
	for _, m := range ms {
		one := fl.NewMatrix(m.Rows, 1)
		for r := range m.Rows {
			one.Data[r] = m.Row(r)[j]
		}
		rest = append(rest, one)
	}
	if f.scale != raw {
		data.Standardize(column, rest...)
	}
	for i, m := range ms {
		for r := range m.Rows {
			v := rest[i].Data[r]
			if math.IsNaN(v) {
				v = mean
			}
			m.Row(r)[j] = v
		}
	}
	return true
}
