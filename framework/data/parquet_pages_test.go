package data

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// lies are what headers of pages may say that cannot be true, and the message about it.
var lies = []struct {
	put  func(h *format.PageHeader)
	want string
}{
	{func(h *format.PageHeader) { h.CompressedPageSize = math.MaxInt32 }, "says it has 2147483647 bytes"},
	{func(h *format.PageHeader) { h.UncompressedPageSize = math.MaxInt32 }, "become 2147483647"},
	{func(h *format.PageHeader) {
		h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues = 1<<30, 1<<30
	}, "1073741824 values"},
}

// lied returns a file whose first page of a column has another header, over the bytes that were there.
func lied(t testing.TB, b []byte, column string, put func(h *format.PageHeader)) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := OpenParquet(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	leaf, err := p.leaf(column)
	if err != nil {
		t.Fatal(err)
	}
	m := &p.table.Metadata().RowGroups[0].Columns[leaf.Index()].MetaData
	at := m.DataPageOffset
	header, n, err := pageHeader(p.file, at, at+m.TotalCompressedSize)
	if err != nil {
		t.Fatal(err)
	}
	put(header)
	other, err := thrift.Marshal(new(thrift.CompactProtocol), header)
	if header.CompressedPageSize < math.MaxInt32 && err == nil { // the page ends where it did
		header.CompressedPageSize -= int32(len(other) - int(n))
		other, err = thrift.Marshal(new(thrift.CompactProtocol), header)
	}
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(b)
	copy(damaged[at:], other)
	return damaged
}

// A header that says more than there can be is an error that says so, before there is room for it:
// in pages that are not packed, in large ones by Zstandard, and in those by Brotli.
func TestParquetPagesThatLie(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, by := range []compress.Codec{&parquet.Uncompressed, &parquet.Zstd, &parquet.Brotli} {
		b, err := os.ReadFile(writePictured(t, 5, func(k int) []byte {
			picture := image.NewGray(image.Rect(0, 0, 99, 300+k))
			for k := range picture.Pix {
				picture.Pix[k] = uint8(rng.Uint32())
			}
			return encoded(t, picture, true)
		}, parquet.Compression(by)))
		if err != nil {
			t.Fatal(err)
		}
		for _, lie := range lies {
			refusesLie(t, lied(t, b, "image", lie.put), lie.want)
		}
	}
}

// refusesLie reports an error unless a file with such a page is refused, with no room for it.
func refusesLie(t *testing.T, b []byte, want string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := OpenParquet(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = p.Bytes("image", func(int, []byte) error { return nil })
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), want) ||
		!strings.HasPrefix(err.Error(), path+": damaged in column \"image\" from row 0 on: ") {
		t.Errorf("%v, want …%s…", err, want)
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 1<<20 {
		t.Errorf("%s: there was room for %d bytes", want, made)
	}
}
