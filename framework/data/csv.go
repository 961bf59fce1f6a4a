package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// A Column is a column of a table, as it is to be read: numbers or texts.
type Column struct {
	Name     string // in the header
	Number   bool   // cells are numbers
	Required bool   // a missing cell is a mistake

	Numbers fl.Vector // by row, finite; NaN where there is none
	Texts   []string  // by row, without blanks around them; empty where there is none

	Found     bool           // there is such a column
	Missing   int            // cells without a value
	FirstGap  *TextError     // where the first of them stands; nil when there is none
	Known     int            // numbers that are there
	FirstLine map[string]int // texts that are there, and the line of the first of each
}

// Missing is what stands in a table, besides nothing, where a value is not known.
const Missing = "?"

// A Table is the form of a table of separated values (RFC 4180), packed by gzip or not, whose
// first line is a header. Blanks around cells do not count.
type Table struct {
	Separator rune // between cells; 0 is a comma
	// Mistakes, where they are not nil, collect what is wrong. Then rows are looked at and not
	// kept: columns have no Numbers and no Texts.
	Mistakes *Mistakes
}

// A ColumnError says that a table lacks a column.
type ColumnError struct {
	TextError
	Name  string
	Known []string // the columns that are there
}

// Error names the place, the column and those that are there.
func (e *ColumnError) Error() string {
	return fmt.Sprintf("%v; there are %s", &e.TextError, strings.Join(e.Known, ", "))
}

// Read fills the columns from a table. It returns the line on which every row begins. Mistakes
// are *TextErrors and *ColumnErrors. More rows than memory can hold are an error.
func (f Table) Read(path string, columns []Column) (lines []int, err error) {
	return f.readWithin(path, columns, host.Memory())
}

// looked is how many rows of a table are read from one look at the memory that they need to the
// next.
const looked = 4096

// readWithin fills the columns where a memory suffices. A memory of 0 is not known.
func (f Table) readWithin(path string, columns []Column, memory uint64) (lines []int, err error) {
	u, err := open(path)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	r := bufio.NewReader(&bounded{from: u, mistakes: f.Mistakes})
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = r.Discard(len(mark)) // they are there
	}
	t := &table{path: path, form: f, csv: csv.NewReader(r), columns: columns,
		known: map[string]string{}}
	if f.Separator != 0 {
		t.csv.Comma = f.Separator
	}
	t.csv.TrimLeadingSpace, t.csv.ReuseRecord = f.Separator != '\t', true
	if err := t.header(); errors.Is(err, errOver) {
		f.Mistakes.Partial = "not even the header"
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	for {
		record, err := t.csv.Read()
		switch {
		case err == io.EOF:
			return t.lines, nil
		case errors.Is(err, errOver):
			f.Mistakes.Partial = fmt.Sprintf("the first %d rows", len(t.lines))
			return t.lines, nil
		case errors.Is(err, csv.ErrFieldCount) && f.Mistakes != nil:
			f.Mistakes.Add("fields", func() error { return t.mistake(err) })
			t.lines = append(t.lines, 0)
			continue
		case err != nil:
			return nil, t.mistake(err)
		}
		if err := t.row(record); err != nil {
			return nil, err
		}
		if n := len(t.lines); n%looked == 0 {
			if err := enough(n, []int{n, len(columns)}, memory); err != nil {
				return nil, fmt.Errorf("%s: the first %w", path, err)
			}
		}
	}
}

// A table is being read.
type table struct {
	path    string
	form    Table
	csv     *csv.Reader
	columns []Column
	at      []int // where the columns stand in a record; -1: nowhere
	lines   []int
	known   map[string]string // texts read so far, so that each is kept once
}

// header finds the columns.
func (t *table) header() error {
	record, err := t.csv.Read()
	if err == io.EOF {
		return &TextError{t.path, 1, 1, "there is no header"}
	}
	if err != nil {
		return t.mistake(err)
	}
	names := make([]string, len(record))
	for k, name := range record {
		names[k] = strings.TrimSpace(name)
		if slices.Contains(names[:k], names[k]) {
			err := t.report("twice", k, "there are two columns %q", names[k])
			if err != nil {
				return err
			}
		}
	}
	if other := t.other(names); other != "" {
		return t.wrong(0, "the header is one column, %q: write separator = %q", names[0], other)
	}
	for j := range t.columns {
		c := &t.columns[j]
		k := slices.Index(names, c.Name)
		t.at = append(t.at, k)
		if c.Found = k >= 0; c.Found {
			continue
		}
		line, column := t.csv.FieldPos(0)
		if err := t.form.Mistakes.report("column "+c.Name, func() error {
			return &ColumnError{TextError{t.path, line, column,
				fmt.Sprintf("there is no column %q", c.Name)}, c.Name, names}
		}); err != nil {
			return err
		}
	}
	return nil
}

// other returns the separator that a header of one column has, if it is another one.
func (t *table) other(names []string) string {
	if len(names) != 1 || len(t.columns) < 2 {
		return ""
	}
	for _, mark := range []string{",", ";", "\t", "|"} {
		switch {
		case !strings.Contains(names[0], mark):
		case mark == "\t":
			return "tab"
		default:
			return mark
		}
	}
	return ""
}

// row keeps the cells of a row that are asked for.
func (t *table) row(record []string) error {
	line, _ := t.csv.FieldPos(0)
	t.lines = append(t.lines, line)
	for j := range t.columns {
		c, k := &t.columns[j], t.at[j]
		if k < 0 {
			continue
		}
		text := strings.TrimSpace(record[k])
		if text == Missing {
			text = ""
		}
		if text == "" {
			if err := t.gap(c, k); err != nil {
				return err
			}
		}
		if !c.Number {
			t.text(c, text, line)
			continue
		}
		x := math.NaN()
		if text != "" {
			var err error
			if x, err = parseNumber(text); err != nil {
				if err := t.report("number "+c.Name, k, "%s: %v", c.Name, err); err != nil {
					return err
				}
			}
			c.Known++
		}
		if t.form.Mistakes == nil {
			c.Numbers = append(c.Numbers, x)
		}
	}
	return nil
}

// gap counts a missing cell.
func (t *table) gap(c *Column, k int) error {
	if c.Missing++; c.Missing == 1 {
		line, column := t.csv.FieldPos(k)
		c.FirstGap = &TextError{t.path, line, column, c.Name + " is missing"}
	}
	if c.Required {
		return t.report("missing "+c.Name, k, "%s is missing", c.Name)
	}
	return nil
}

// text keeps a text that holds on to no record.
func (t *table) text(c *Column, text string, line int) {
	kept, ok := t.known[text]
	if !ok {
		kept = strings.Clone(text)
		t.known[kept] = kept
	}
	if c.FirstLine == nil {
		c.FirstLine = map[string]int{}
	}
	if _, met := c.FirstLine[kept]; !met && kept != "" {
		c.FirstLine[kept] = line
	}
	if t.form.Mistakes == nil {
		c.Texts = append(c.Texts, kept)
	}
}

// report reports a mistake in the k-th cell of the record that was read last.
func (t *table) report(sort string, k int, format string, args ...any) error {
	return t.form.Mistakes.report(sort, func() error { return t.wrong(k, format, args...) })
}

// wrong returns a mistake in the k-th cell of the record that was read last.
func (t *table) wrong(k int, format string, args ...any) error {
	line, column := t.csv.FieldPos(k)
	return &TextError{t.path, line, column, fmt.Sprintf(format, args...)}
}

// mistake returns an error of the reader with its place.
func (t *table) mistake(err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return &TextError{t.path, at.Line, max(1, at.Column), at.Err.Error()}
	}
	return fmt.Errorf("%s: %w", t.path, err)
}
