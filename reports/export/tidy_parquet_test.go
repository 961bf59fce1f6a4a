package export

import (
	"bytes"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func TestTidyParquetReadsBack(t *testing.T) {
	in := exported().Input
	var b bytes.Buffer
	if err := TidyParquet(&b, in); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	columns, rows := rowsOf(t, in)
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	if !slices.Equal(names, columns) {
		t.Errorf("columns %v", names)
	}
	read := make([]parquet.Row, len(rows)+1)
	n, err := parquet.NewReader(file).ReadRows(read)
	if n != len(rows) {
		t.Fatalf("%d rows of %d, %v", n, len(rows), err)
	}
	for i, m := range rows {
		texts := map[string]string{}
		last := len(columns) - 1
		for k, c := range columns[:last] {
			texts[c] = read[i][k].String()
		}
		agrees(t, columns, m, texts, read[i][last].Double())
	}
}
