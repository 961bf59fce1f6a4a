package export

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/reports/infer"
)

// TidyCSV writes a run as one long table, a line for every value that was measured: cell,
// method, the axes of the sweep, seed, round, metric, value. NaN is an empty field, numbers read
// back the same.
func TidyCSV(w io.Writer, in infer.Input) error {
	t, err := newLongTable(&in)
	if err != nil {
		return err
	}
	out := CSVWriter{csv.NewWriter(w)}
	if err := out.Write(t.columns()); err != nil {
		return err
	}
	for m := range t.rows() {
		line := slices.Concat([]string{m.cell, m.method}, m.point,
			[]string{strconv.FormatUint(m.seed, 10), strconv.Itoa(m.round), m.metric,
				FormatNumber(m.value)})
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
