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
)

// A Column is a column of a table, as it is to be read: numbers or texts.
type Column struct {
	Name     string // in the header
	Number   bool   // cells are numbers
	Required bool   // a missing cell is a mistake

	Numbers fl.Vector // by row, finite; NaN where there is none
	Texts   []string  // by row, without blanks around them; empty where there is none
}

// Missing is what stands in a table, besides nothing, where a value is not known.
const Missing = "?"

// ReadCSV fills the columns from a table of comma-separated values (RFC 4180), packed by gzip
// or not, whose first line is a header. Blanks around cells do not count. It returns the line
// on which every row begins. Mistakes are *TextErrors.
func ReadCSV(path string, columns []Column) (lines []int, err error) {
	u, err := open(path)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	r := bufio.NewReader(u)
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = r.Discard(len(mark)) // they are there
	}
	t := &table{path: path, csv: csv.NewReader(r), columns: columns, known: map[string]string{}}
	t.csv.TrimLeadingSpace, t.csv.ReuseRecord = true, true
	if err := t.header(); err != nil {
		return nil, err
	}
	for {
		record, err := t.csv.Read()
		if err == io.EOF {
			return t.lines, nil
		}
		if err != nil {
			return nil, t.mistake(err)
		}
		if err := t.row(record); err != nil {
			return nil, err
		}
	}
}

// A table is being read.
type table struct {
	path    string
	csv     *csv.Reader
	columns []Column
	at      []int // where the columns stand in a record
	lines   []int
	known   map[string]string // texts that were met, so that each is kept once
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
			return t.wrong(k, "there are two columns %q", names[k])
		}
	}
	for _, c := range t.columns {
		k := slices.Index(names, c.Name)
		if k < 0 {
			return t.wrong(0, "there is no column %q; there are %s", c.Name,
				strings.Join(names, ", "))
		}
		t.at = append(t.at, k)
	}
	return nil
}

// row keeps the cells of a row that are asked for.
func (t *table) row(record []string) error {
	line, _ := t.csv.FieldPos(0)
	t.lines = append(t.lines, line)
	for j := range t.columns {
		c, k := &t.columns[j], t.at[j]
		text := strings.TrimSpace(record[k])
		if text == Missing {
			text = ""
		}
		switch {
		case text == "" && c.Required:
			return t.wrong(k, "%s is missing", c.Name)
		case !c.Number:
			c.Texts = append(c.Texts, t.keep(text))
		case text == "":
			c.Numbers = append(c.Numbers, math.NaN())
		default:
			x, err := parseNumber(text)
			if err != nil {
				return t.wrong(k, "%s: %v", c.Name, err)
			}
			c.Numbers = append(c.Numbers, x)
		}
	}
	return nil
}

// keep returns a text that holds on to no record.
func (t *table) keep(text string) string {
	kept, ok := t.known[text]
	if !ok {
		kept = strings.Clone(text)
		t.known[kept] = kept
	}
	return kept
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
