package export

import (
	"cmp"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/hansa-fl/hansa/reports/infer"
)

// mostInBatch is how many rows are handed to the writer of a Parquet file at once.
const mostInBatch = 4096

// TidyParquet writes a run as TidyCSV does, as a Parquet file: seeds and rounds are INT64,
// values DOUBLE, NaN and infinities among them, all else text.
func TidyParquet(w io.Writer, in infer.Input) error {
	t, err := newLongTable(&in)
	if err != nil {
		return err
	}
	out := parquet.NewWriter(w, t.schema(), parquet.Compression(&parquet.Zstd))
	batch := make([]parquet.Row, 0, mostInBatch)
	for m := range t.rows() {
		if batch = append(batch, parquetRow(&m)); len(batch) < mostInBatch {
			continue
		}
		if _, err := out.WriteRows(batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	if _, err := out.WriteRows(batch); err != nil {
		return err
	}
	return out.Close()
}

// parquetRow returns a row in the order of the columns.
func parquetRow(m *measurement) parquet.Row {
	row := parquet.Row{parquet.ValueOf(m.cell), parquet.ValueOf(m.method)}
	for _, label := range m.point {
		row = append(row, parquet.ValueOf(label))
	}
	row = append(row, parquet.ValueOf(int64(m.seed)), parquet.ValueOf(int64(m.round)),
		parquet.ValueOf(m.metric), parquet.ValueOf(m.value))
	for k := range row {
		row[k] = row[k].Level(0, 0, k)
	}
	return row
}

// schema returns what a Parquet file says of its columns.
func (t *longTable) schema() *parquet.Schema {
	columns := t.columns()
	group := parquet.Group{}
	for _, c := range columns {
		group[c] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	group["seed"] = parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	group["round"] = group["seed"]
	group["value"] = parquet.Leaf(parquet.DoubleType)
	return parquet.NewSchema("hansa", ordered{group, columns})
}

// ordered is a group of columns in an order of its own; that of a parquet.Group is by name.
type ordered struct {
	parquet.Group
	names []string
}

// Fields implements parquet.Node.
func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return cmp.Compare(slices.Index(o.names, a.Name()), slices.Index(o.names, b.Name()))
	})
	return fields
}
