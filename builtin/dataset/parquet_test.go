package dataset

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A hubRow is a row as the datasets library of the Hugging Face hub writes one.
type hubRow struct {
	Image struct {
		Bytes []byte  `parquet:"bytes,optional"`
		Path  *string `parquet:"path,optional"`
	} `parquet:"image,optional"`
	Label  *int64    `parquet:"label,optional"`
	Writer *string   `parquet:"writer_id,optional"`
	Number *int32    `parquet:"number,optional"`
	Word   *string   `parquet:"word,optional"`
	Raw    []byte    `parquet:"raw,optional"`
	Width  *float64  `parquet:"width,optional"`
	Vector []float32 `parquet:"vector,list"`
}

// shade returns a picture of one grey, as PNG.
func shade(t testing.TB, value uint8, w, h int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	for k := range m.Pix {
		m.Pix[k] = value
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hubFile returns a Parquet file of so many rows, three in a group, counted from a number: row k
// has the grey k, the class k mod 3 and the writer w(k mod 2).
func hubFile(t testing.TB, from, n int, change func(row *hubRow)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := library.NewGenericWriter[hubRow](&b, library.Compression(&library.Snappy),
		library.MaxRowsPerRowGroup(3))
	for k := from; k < from+n; k++ {
		row := hubRow{Writer: new(fmt.Sprint("w", k%2)), Number: new(int32(10 * (k % 2))),
			Label: new(int64(k % 3)), Word: new([]string{"cat", "bird", "dog"}[k%3]),
			Width: new(float64(k) / 2), Vector: []float32{float32(k), -1}}
		row.Image.Bytes = shade(t, uint8(k), 4, 4)
		row.Raw = shade(t, uint8(k), 2, 3)
		if change != nil {
			change(&row)
		}
		if _, err := w.Write([]hubRow{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hub writes 11 training rows in two files, and 4 test rows.
func hub(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	put(t, hubFile(t, 0, 7, nil), folder, "data", "train-00000-of-00002.parquet")
	put(t, hubFile(t, 7, 4, nil), folder, "data", "train-00001-of-00002.parquet")
	put(t, hubFile(t, 20, 4, nil), folder, "data", "test-00000-of-00001.parquet")
	return folder
}

// inputOf is what a data set is told that may leave rows as they are stored.
func inputOf(clients int, folder string) *fl.LoadInput {
	return &fl.LoadInput{Clients: clients, Folders: []string{"absent", folder}, Packed: true,
		RNG: fl.NewStream(1, "data").Rand()}
}

// loadPacked loads data for clients from a folder, and says how it was packed.
func loadPacked(t *testing.T, e fl.SourceEntry, given map[string]any, clients int, folder string) (
	train, test *fl.Dataset) {
	t.Helper()
	s := build(t, e, given, clients)
	train, test, err := s.Load(inputOf(clients, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range partsOf(train, test) {
		if !d.Shape.Equal(s.Shape()) || d.X.Cols != d.Shape.Features || d.Len() != len(d.Y) ||
			d.Shape.Owned != (d.Owner != nil) || s.Shape().Tested != (test != nil) ||
			(d.Shape.Domains != nil) != (len(d.Domain) == d.Len()) {
			t.Errorf("%s: shape %+v, declared %+v; %d rows", e.Name, d.Shape, s.Shape(), d.Len())
		}
	}
	return train, test
}

// Files as on the hub have the pictures, classes and owners that were written, over row groups and
// files, and rows are bytes.
//
//hansa:verifies theorem dataset/parquet
func TestParquet(t *testing.T) {
	folder := hub(t)
	given := map[string]any{"train_files": "data/train-*.parquet", "size": int64(4), "classes": int64(3),
		"test_files": "data/test-*.parquet", "grey": true, "owner": "writer_id"}
	train, test := loadPacked(t, Parquet, given, 2, folder)
	if train.Len() != 11 || test.Len() != 4 || len(train.Packed.Bytes) != 11*16 {
		t.Fatalf("%d and %d rows, %d bytes", train.Len(), test.Len(), len(train.Packed.Bytes))
	}
	for k := range 11 {
		if train.Packed.Bytes[16*k+5] != uint8(k) || train.Y[k] != k%3 || train.Owner[k] != k%2 {
			t.Errorf("row %d: %d, class %d, client %d", k, train.Packed.Bytes[16*k+5], train.Y[k], train.Owner[k])
		}
	}
	if test.Packed.Bytes[0] != 20 || !slices.Equal(test.Owner, []int{0, 1, 0, 1}) {
		t.Errorf("test rows %v of %v", test.Packed.Bytes, test.Owner)
	}
	for param, column := range map[string]string{"owner": "number", "label": "word", "image": "raw"} {
		other, _ := loadPacked(t, Parquet, with(given, map[string]any{param: column, "train": int64(4)}), 2, folder)
		want := [][]int{{0, 1, 2, 0}, {0, 1, 0, 1}}
		if param == "label" { // cat, bird, dog by their order
			want[0] = []int{1, 0, 2, 1}
		}
		if !slices.Equal(other.Y, want[0]) || !slices.Equal(other.Owner, want[1]) || other.Packed.Bytes[17] != 1 {
			t.Errorf("%s: classes %v, owners %v, %v", column, other.Y, other.Owner, other.Packed.Bytes)
		}
	}
	pinning(t, Parquet, with(given, map[string]any{"owner": "none"}), folder)
	examined := Parquet
	examined.Example = with(given, map[string]any{"owner": "none"})
	examine(t, examined, folder)
}

// Columns of numbers and of lists stand side by side.
func TestParquetNumbers(t *testing.T) {
	train, test := loadPacked(t, Parquet, map[string]any{"train_files": "data/train-*.parquet",
		"numbers": texts("width", "vector"), "features": int64(3), "classes": int64(3),
		"held_out": 0.3, "owner": "writer_id"}, 2, hub(t))
	if train.Len()+test.Len() != 11 || test.Len() != 4 { // 0.3 · 6 and 0.3 · 5 of the writers
		t.Errorf("%d and %d rows", train.Len(), test.Len())
	}
	for r := range train.Len() {
		if x := train.X.Row(r); x[0] != x[1]/2 || x[2] != -1 || int(x[1])%2 != train.Owner[r] {
			t.Errorf("row %d: %v of client %d", r, x, train.Owner[r])
		}
	}
}

// Rows can be of named domains, by their number; owners can be a part of those that there are.
func TestParquetOwnersAndDomains(t *testing.T) {
	folder := hub(t)
	given := map[string]any{"train_files": "data/train-*.parquet", "size": int64(4), "grey": true,
		"classes": int64(3), "owner": "writer_id", "domain": "label", "domains": texts("a", "b", "c")}
	train, _ := loadPacked(t, Parquet, with(given, map[string]any{"owners": "largest"}), 1, folder)
	if train.Len() != 6 || train.Packed.Bytes[16] != 2 || !slices.Equal(train.Domain, train.Y) {
		t.Errorf("%d rows of the largest owner: %v, %v", train.Len(), train.Domain, train.Packed.Bytes)
	}
}

// What cannot be read is said with file and row.
func TestParquetRefuses(t *testing.T) {
	given := map[string]any{"train_files": "data/train-*.parquet", "size": int64(4), "classes": int64(3)}
	bad := func(change func(row *hubRow)) func(string) map[string]any {
		return func(folder string) map[string]any {
			put(t, hubFile(t, 7, 4, change), folder, "data", "train-00001-of-00002.parquet")
			return nil
		}
	}
	whole := hubFile(t, 7, 4, nil)
	cut := func(b []byte) func(string) map[string]any {
		return func(folder string) map[string]any {
			put(t, b, folder, "data", "train-00001-of-00002.parquet")
			return nil
		}
	}
	say := func(more map[string]any) func(string) map[string]any {
		return func(string) map[string]any { return more }
	}
	for want, change := range map[string]func(folder string) map[string]any{
		"00000-of-00002.parquet: row 2 has label 2, which is none of the numbers 0 to 1": say(
			map[string]any{"classes": int64(2)}),
		"there is no column \"lable\"; there are image, label": say(map[string]any{"label": "lable"}),
		"2 owners have training rows, the experiment has 1 clients: owners": say(
			map[string]any{"owner": "writer_id"}),
		"train-00000-of-00002.parquet and 1 more files: 12 rows asked for, 11 there": say(
			map[string]any{"train": int64(12)}),
		"there are 3 different labels, not 4": say(map[string]any{"label": "word", "classes": int64(4)}),
		"train-00001-of-00002.parquet: row 0: neither PNG nor JPEG: begins with 0x6e": bad(
			func(row *hubRow) { row.Image.Bytes = []byte("no picture") }),
		"row 0 has no value in column \"image\"":                               bad(func(row *hubRow) { row.Image.Bytes = nil }),
		"train-00001-of-00002.parquet: no Parquet file, or cut off: ends with": cut(whole[:len(whole)-9]),
		"train-00001-of-00002.parquet: damaged: a footer of": cut(
			slices.Concat(whole[:9], []byte{0xff, 0xff, 0xff, 0x7f}, []byte("PAR1"))),
		"train-00001-of-00002.parquet: no Parquet file: it has 0 bytes": cut(nil),
	} {
		folder := hub(t)
		more := change(folder)
		if err := refuse(t, Parquet, with(given, more), folder); !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if got := problems(t, Parquet, with(given, map[string]any{"domain": "label"})); !strings.Contains(got,
		"a column of domains and their names come together") {
		t.Error(got)
	}
}
