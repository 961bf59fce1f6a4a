package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/hansa-fl/hansa/framework/host"
)

// A Parquet is a file of columns (parquet.apache.org), such as data sets are published in on the
// Hugging Face hub. Columns are read one at a time, page by page.
type Parquet struct {
	Rows  int
	path  string
	file  *os.File
	table *parquet.File
}

// OpenParquet opens a file. What its footer says is held to the size of the file.
func OpenParquet(path string) (p *Parquet, err error) {
	f, err := host.Open(path)
	if err != nil {
		return nil, err
	}
	p = &Parquet{path: path, file: f}
	if err := p.guarded(p.open); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// guarded calls what reads the file. The library panics where it trusts a damaged file.
func (p *Parquet) guarded(read func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: damaged: %v", p.path, r)
		}
	}()
	if err = read(); err != nil && !strings.HasPrefix(err.Error(), p.path) {
		err = fmt.Errorf("%s: %w", p.path, err)
	}
	return err
}

// open reads the footer.
func (p *Parquet) open() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	var tail [8]byte
	if size < 12 {
		return fmt.Errorf("no Parquet file: it has %d bytes", size)
	}
	if _, err := p.file.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return fmt.Errorf("no Parquet file, or cut off: ends with %q", tail[4:])
	}
	if footer := int64(binary.LittleEndian.Uint32(tail[:])); footer > size-12 {
		return fmt.Errorf("damaged: a footer of %d bytes in a file of %d", footer, size)
	}
	p.table, err = parquet.OpenFile(p.file, size, parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	rows := int64(0)
	for k, g := range p.table.Metadata().RowGroups {
		if g.NumRows < 0 || rows > math.MaxInt32-g.NumRows {
			return fmt.Errorf("damaged: row group %d has %d rows", k, g.NumRows)
		}
		rows += g.NumRows
		for _, c := range g.Columns {
			m := &c.MetaData
			if m.TotalCompressedSize < 0 || m.TotalCompressedSize > size ||
				m.TotalUncompressedSize < 0 || m.DataPageOffset < 0 || m.DataPageOffset > size {
				return fmt.Errorf("damaged: row group %d has a column of %d bytes at %d, the "+
					"file %d", k, m.TotalCompressedSize, m.DataPageOffset, size)
			}
		}
	}
	if p.Rows = int(rows); rows != p.table.NumRows() {
		return fmt.Errorf("damaged: %d rows in groups, %d in all", rows, p.table.NumRows())
	}
	return nil
}

// Close closes the file.
func (p *Parquet) Close() error { return p.file.Close() }

// Columns returns the names of all columns.
func (p *Parquet) Columns() (names []string) {
	for _, c := range p.table.Root().Columns() {
		names = append(names, c.Name())
	}
	return names
}

// leaf returns the column of a name: of a structure its bytes, as of images and sounds; of a list
// its elements.
func (p *Parquet) leaf(name string) (*parquet.Column, error) {
	at := p.table.Root()
	for _, part := range strings.Split(name, ".") {
		next := at.Column(part)
		if next == nil {
			return nil, fmt.Errorf("there is no column %q; there are %s", name,
				strings.Join(p.Columns(), ", "))
		}
		at = next
	}
	for !at.Leaf() {
		switch of := at.Columns(); {
		case at.Column("bytes") != nil:
			at = at.Column("bytes")
		case len(of) == 1:
			at = of[0]
		default:
			var names []string
			for _, c := range of {
				names = append(names, name+"."+c.Name())
			}
			return nil, fmt.Errorf("column %q has parts: %s", name, strings.Join(names, ", "))
		}
	}
	return at, nil
}

// Each calls visit with every row of a column, in order: its values, several of a list. They are
// there until visit returns.
func (p *Parquet) Each(name string, visit func(row int, values []parquet.Value) error) error {
	return p.guarded(func() error {
		column, err := p.leaf(name)
		if err != nil {
			return err
		}
		r := &rowReader{visit: visit}
		for k, g := range p.table.RowGroups() {
			err := p.checkColumn(k, column)
			if err == nil {
				err = r.group(g, column)
			}
			if r.refused {
				return err
			} else if err != nil {
				return fmt.Errorf("damaged in column %q from row %d on: %w", name, r.row, err)
			}
		}
		return nil
	})
}

// A rowReader groups values by rows.
type rowReader struct {
	visit   func(row int, values []parquet.Value) error
	refused bool // by visit
	row     int  // the next one
	own     []parquet.Value
	room    [256]parquet.Value
}

// group reads a column of a row group.
func (r *rowReader) group(g parquet.RowGroup, column *parquet.Column) error {
	pages := g.ColumnChunks()[column.Index()].Pages()
	defer pages.Close()
	first := r.row
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := r.page(page.Values(), column); err != nil {
			return err
		}
		if column.MaxRepetitionLevel() == 0 { // a list may go on in the next page
			if err := r.flush(); err != nil {
				return err
			}
			parquet.Release(page)
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	if n := int64(r.row - first); n != g.NumRows() {
		return fmt.Errorf("%d rows in a group of %d", n, g.NumRows())
	}
	return nil
}

// page reads the values of a page.
func (r *rowReader) page(values parquet.ValueReader, column *parquet.Column) error {
	for {
		n, err := values.ReadValues(r.room[:])
		for _, v := range r.room[:n] {
			if v.RepetitionLevel() == 0 {
				if err := r.flush(); err != nil {
					return err
				}
			}
			r.own = append(r.own, v)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrNoProgress
		}
	}
}

// flush hands out the row that is read, if there is one.
func (r *rowReader) flush() error {
	if len(r.own) == 0 {
		return nil
	}
	err := r.visit(r.row, r.own)
	r.refused = err != nil
	r.row++
	r.own = r.own[:0]
	return err
}

// each1 is Each of a column of one value a row, which must be there.
func (p *Parquet) each1(name string, visit func(row int, v parquet.Value) error) error {
	return p.Each(name, func(row int, values []parquet.Value) error {
		switch {
		case len(values) > 1:
			return fmt.Errorf("row %d has %d values in column %q, want one", row, len(values), name)
		case values[0].IsNull():
			return fmt.Errorf("row %d has no value in column %q", row, name)
		}
		return visit(row, values[0])
	})
}

// Bytes calls visit with every row of a column of bytes, such as images. They are there until
// visit returns.
func (p *Parquet) Bytes(name string, visit func(row int, b []byte) error) error {
	return p.each1(name, func(row int, v parquet.Value) error {
		if k := v.Kind(); k != parquet.ByteArray && k != parquet.FixedLenByteArray {
			return fmt.Errorf("row %d holds %s, not bytes", row, k)
		}
		return visit(row, v.ByteArray())
	})
}

// Texts returns a column of texts or whole numbers, as texts.
func (p *Parquet) Texts(name string) ([]string, error) {
	known := map[string]string{} // one text for rows that have the same
	texts := make([]string, 0, min(p.Rows, 1<<20))
	err := p.each1(name, func(row int, v parquet.Value) error {
		if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
			b := v.ByteArray()
			text, there := known[string(b)]
			if !there {
				text = string(b)
				known[text] = text
			}
			texts = append(texts, text)
			return nil
		}
		x, err := number(row, v)
		if err == nil && x != math.Trunc(x) {
			err = fmt.Errorf("row %d is %v: no name", row, x)
		}
		texts = append(texts, strconv.FormatFloat(x, 'f', -1, 64))
		return err
	})
	return texts, err
}

// Numbers calls visit with every row of a column of numbers, or of lists of them.
func (p *Parquet) Numbers(name string, visit func(row int, x []float64) error) error {
	var x []float64
	return p.Each(name, func(row int, values []parquet.Value) error {
		x = x[:0]
		for _, v := range values {
			one, err := number(row, v)
			if err != nil {
				return err
			}
			x = append(x, one)
		}
		return visit(row, x)
	})
}

// number returns a value as a number.
func number(row int, v parquet.Value) (float64, error) {
	switch {
	case v.IsNull():
		return math.NaN(), nil
	case v.Kind() == parquet.Boolean && v.Boolean():
		return 1, nil
	case v.Kind() == parquet.Boolean:
		return 0, nil
	case v.Kind() == parquet.Int32:
		return float64(v.Int32()), nil
	case v.Kind() == parquet.Int64:
		return float64(v.Int64()), nil
	case v.Kind() == parquet.Float:
		return float64(v.Float()), nil
	case v.Kind() == parquet.Double:
		return v.Double(), nil
	}
	return 0, fmt.Errorf("row %d holds %s, not a number", row, v.Kind())
}
