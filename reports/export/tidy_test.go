package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// exported is a run with all that an export must carry: a sweep whose axis is called like a
// column, labels that say the name of their axis, numbers that are none, a cell without a result
// and seconds, which are no part of results.
func exported() *reportstest.Example {
	x := reportstest.NewExample("exported", "Export", reportstest.Loss, reportstest.Upload)
	for _, k := range []string{"2", "10"} {
		for i, method := range []string{`FedAvg, "plain" <b>`, "FedAVOT/λ"} {
			point := reportstest.At("availability.k", "k = "+k, "round", "strong")
			v := []float64{0.1 + float64(i), math.Inf(1 - 2*i), reportstest.Gone}
			if k == "10" {
				v[0], v[1] = math.NaN(), 5e-324
			}
			x.Add(study.Cell{Method: method, Point: point}, v, reportstest.All(3, 1e21))
		}
	}
	id := x.IDs[0]
	x.Volatile[id] = []engine.Series{{Key: "seconds", Unit: "s", Values: engine.Floats{0, 1.5, 3}}}
	return x
}

// same reports whether two numbers are, NaN included.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }

// rowsOf lists what an export of an Input must have, a line for each value.
func rowsOf(t *testing.T, in infer.Input) (columns []string, rows []measurement) {
	t.Helper()
	all, err := newLongTable(&in)
	if err != nil {
		t.Fatal(err)
	}
	return all.columns(), slices.Collect(all.rows())
}

// agrees compares a row that was read back, by column, with the one that was written.
func agrees(t *testing.T, columns []string, m measurement, texts map[string]string, value float64) {
	t.Helper()
	want := map[string]string{"cell": m.cell, "method": m.method, "metric": m.metric,
		"seed": strconv.FormatUint(m.seed, 10), "round": strconv.Itoa(m.round)}
	for k, label := range m.point {
		want[columns[2+k]] = label
	}
	if !maps.Equal(texts, want) || !same(value, m.value) {
		t.Errorf("%v, %v was read of\n%v, %v", texts, value, want, m.value)
	}
}

func TestTidyRows(t *testing.T) {
	x := exported()
	columns, rows := rowsOf(t, x.Input)
	want := []string{"cell", "method", "availability.k", "sweep.round", "seed", "round", "metric", "value"}
	if !slices.Equal(columns, want) {
		t.Errorf("columns %v", columns)
	}
	if len(rows) != 8*2*3+3 { // cells with a result × metrics × rounds, and seconds
		t.Errorf("%d rows", len(rows))
	}
	last := rows[6+2]
	if last.metric != "seconds" || last.round != 20 || last.value != 3 ||
		!slices.Equal(last.point, []string{"2", "strong"}) {
		t.Errorf("%+v", last)
	}
	// Where one label does not name the axis, all stay as they are.
	for i := range x.Cells[6:] {
		x.Cells[6+i].Point = reportstest.At("availability.k", "many", "round", "strong")
	}
	if _, rows = rowsOf(t, x.Input); rows[0].point[0] != "k = 2" {
		t.Errorf("%+v", rows[0])
	}
	x.Cells[1].Point = nil
	if err := TidyCSV(io.Discard, x.Input); err == nil || !strings.Contains(err.Error(), "axes") {
		t.Errorf("cells on different axes: %v", err)
	}
}

func TestTidyCSVReadsBack(t *testing.T) {
	in := exported().Input
	var b bytes.Buffer
	if err := TidyCSV(&b, in); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	columns, rows := rowsOf(t, in)
	if err != nil || len(lines) != len(rows)+1 || !slices.Equal(lines[0], columns) {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, m := range rows {
		texts := map[string]string{}
		for k, c := range columns[:len(columns)-1] {
			texts[c] = lines[i+1][k]
		}
		text := lines[i+1][len(columns)-1]
		value, err := strconv.ParseFloat(text, 64)
		if (text == "") != math.IsNaN(m.value) {
			t.Errorf("%q is read of %v", text, m.value)
		} else if text == "" {
			value, err = math.NaN(), nil
		}
		if err != nil {
			t.Error(err)
		}
		agrees(t, columns, m, texts, value)
	}
}

func TestTidyJSONLReadsBack(t *testing.T) {
	in := exported().Input
	var b bytes.Buffer
	if err := TidyJSONL(&b, in); err != nil {
		t.Fatal(err)
	}
	columns, rows := rowsOf(t, in)
	i := 0
	for line := range strings.Lines(b.String()) {
		m := rows[i]
		i++
		texts, value := map[string]string{}, math.NaN()
		var object map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&object); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if n, ok := object["value"].(json.Number); ok {
			value, _ = n.Float64()
		} else if sign, ok := object["inf"].(json.Number); ok {
			value = math.Inf(map[json.Number]int{"1": 1, "-1": -1}[sign])
		} else if object["value"] != nil || object["nan"] != true {
			t.Errorf("a value that is none: %s", line)
		}
		for _, key := range []string{"value", "nan", "inf"} {
			delete(object, key)
		}
		for k, v := range object {
			texts[k] = fmt.Sprint(v)
		}
		agrees(t, columns, m, texts, value)
	}
	if i != len(rows) {
		t.Errorf("%d lines of %d values", i, len(rows))
	}
}

// A writer that fails after some bytes is a full disk.
type cramped struct{ left int }

func (f *cramped) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// Exports are the same bytes every time, and no error of the disk is lost.
func TestExportsAreReproducible(t *testing.T) {
	for name, write := range map[string]func(io.Writer, infer.Input) error{
		"csv": TidyCSV, "jsonl": TidyJSONL, "parquet": TidyParquet,
	} {
		var a, b bytes.Buffer
		if err := write(&a, exported().Input); err != nil {
			t.Fatal(err)
		}
		if err := write(&b, exported().Input); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s differs: %v", name, err)
		}
		for _, room := range []int{0, a.Len() - 1} {
			if err := write(&cramped{room}, exported().Input); err == nil {
				t.Errorf("%s: %d bytes fit into %d", name, a.Len(), room)
			}
		}
	}
}
