package data

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library makes room for as many bytes as the header of a page says, up to 2 GiB, before it
// reads one of them. So the headers of a column are held to what is there, before the library sees
// them: a page lies within its column, and unpacked it is no larger than its bytes can become.

// unpacks is how many bytes one byte of a page can become, by how it is packed: of gzip that is
// 1032, of Zstandard a block of 128 KiB in four bytes. As that is no bound for large pages, and
// others have none, their pages are held to what the footer says of the column, too.
var unpacks = map[format.CompressionCodec]int64{
	format.Uncompressed: 1, format.Snappy: 32, format.Gzip: 1033, format.Lz4Raw: 256,
	format.Zstd: 1 << 15,
}

// spare is how many bytes a page may have beyond that, such as for small pages of packed ones.
const spare = 1 << 12

// checkPages reports the first page of a column whose header cannot be true.
func checkPages(f *os.File, m *format.ColumnMetaData) error {
	at := m.DataPageOffset
	if first := m.DictionaryPageOffset; first != 0 {
		at = first
	}
	end := at + m.TotalCompressedSize
	for seen, page := int64(0), 0; at < end && seen < m.NumValues; page++ {
		header, n, err := pageHeader(f, at, end)
		if err != nil {
			return fmt.Errorf("header of page %d: %w", page, err)
		}
		if at += n; header.CompressedPageSize < 0 || int64(header.CompressedPageSize) > end-at {
			return fmt.Errorf("page %d says it has %d bytes, and %d are left of its column", page,
				header.CompressedPageSize, end-at)
		}
		packed, open := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
		by, bounded := unpacks[m.Codec]
		switch {
		case bounded && open > packed*by+spare:
			return fmt.Errorf("page %d says that its %d bytes, packed by %s, become %d", page,
				packed, m.Codec, open)
		case (!bounded || m.Codec == format.Zstd) && open > m.TotalUncompressedSize+spare:
			return fmt.Errorf("page %d says that its bytes become %d, and those of its column %d",
				page, open, m.TotalUncompressedSize)
		}
		if v := header.DictionaryPageHeader; v.Valid && int64(v.V.NumValues) > open+spare {
			return fmt.Errorf("page %d says that its %d bytes are %d values", page, open,
				v.V.NumValues)
		}
		values := header.DataPageHeader.V.NumValues + header.DataPageHeaderV2.V.NumValues
		if int64(values) > m.NumValues-seen {
			return fmt.Errorf("page %d says it has %d values, and %d are left of its column", page,
				values, m.NumValues-seen)
		}
		seen += int64(max(values, 0))
		at += packed
	}
	return nil
}

// pageHeader reads the header of a page between two places of a file, and returns how long it is.
// What it says of lengths within it is held to the bytes that are there.
func pageHeader(f *os.File, at, end int64) (header *format.PageHeader, n int64, err error) {
	for size := min(int64(1<<9), end-at); ; size = min(8*size, end-at) {
		b := make([]byte, size)
		if _, err := f.ReadAt(b, at); err != nil {
			return nil, 0, err
		}
		r := new(thrift.CompactProtocol).NewReaderFromBytes(b)
		header = new(format.PageHeader)
		err = thrift.NewDecoder(r).Decode(header)
		if err == nil || size == end-at {
			return header, int64(r.BytesRead()), err
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
	}
}

// checkColumn holds the pages of a column of a row group to what is there.
func (p *Parquet) checkColumn(group int, column *parquet.Column) error {
	g := p.table.Metadata().RowGroups[group]
	m := &g.Columns[column.Index()].MetaData
	if column.MaxRepetitionLevel() == 0 && m.NumValues != g.NumRows {
		return fmt.Errorf("it says it has %d values in %d rows", m.NumValues, g.NumRows)
	}
	return checkPages(p.file, m)
}
