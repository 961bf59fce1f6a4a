package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// arraysOf exports a run and reads its metrics back, by their names, with the rounds.
func arraysOf(t *testing.T, in infer.Input) (metrics map[string][]float64, rounds, shape []int, files map[string]string) {
	t.Helper()
	files, metrics = map[string]string{}, map[string][]float64{}
	if err := Arrays(in, tree(files)); err != nil {
		t.Fatal(err)
	}
	numbers := func(name string) *data.Array {
		path := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := data.ReadArray(path, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return a
	}
	for _, r := range numbers("rounds.npy").Rows.Data {
		rounds = append(rounds, int(r))
	}
	lines, err := csv.NewReader(strings.NewReader(files["metrics.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		a := numbers(line[0])
		metrics[line[1]], shape = a.Rows.Data, []int{a.Rows.Rows, a.Rows.Cols}
	}
	return metrics, rounds, shape, files
}

// Arrays hold every value in its place, and NaN where there is none.
func TestArraysReadBack(t *testing.T) {
	x := exported()
	x.Results[x.IDs[1]].Rounds = []int{0, 5, 20} // not those of the others
	metrics, rounds, shape, files := arraysOf(t, x.Input)
	if !slices.Equal(rounds, []int{0, 5, 10, 20}) || !slices.Equal(shape, []int{12, 4}) {
		t.Fatalf("rounds %v, shape %v", rounds, shape)
	}
	lines, err := csv.NewReader(strings.NewReader(files["cells.csv"])).ReadAll()
	if err != nil || len(lines) != 13 || strings.Join(lines[0], " ") != "cell method availability.k sweep.round seed" {
		t.Fatalf("cells %q, %v", lines, err)
	}
	_, rows := rowsOf(t, x.Input)
	for _, m := range rows {
		want := slices.Concat([]string{m.cell, m.method}, m.point, []string{strconv.FormatUint(m.seed, 10)})
		i := slices.IndexFunc(lines[1:], func(line []string) bool { return slices.Equal(line, want) })
		at := &metrics[m.metric][4*i+slices.Index(rounds, m.round)]
		if !same(*at, m.value) {
			t.Errorf("%v is read of %+v", *at, m)
		}
		*at = math.NaN()
	}
	for name, values := range metrics {
		for _, v := range values {
			if !math.IsNaN(v) {
				t.Errorf("%s has a value that was not measured: %v", name, v)
			}
		}
	}
	want := "file,metric,unit,direction\nmetrics/loss.npy,loss,,down\nmetrics/upload.npy,upload,B,\n" +
		"metrics/seconds.npy,seconds,s,\n"
	if files["metrics.csv"] != want {
		t.Errorf("metrics %q", files["metrics.csv"])
	}
}

// Metrics of any names have different files; and these are the same every time.
func TestArraysOfAnyName(t *testing.T) {
	a, b := "worst / decile", "worst - decile"
	x := reportstest.NewExample("names", "", engine.Series{Key: a}, engine.Series{Key: b})
	x.Add(exported().Cells[0], reportstest.All(1, 1), reportstest.All(1, 2))
	metrics, _, _, files := arraysOf(t, x.Input)
	if metrics[a][2] != 1 || metrics[b][2] != 2 {
		t.Errorf("%v of %v", metrics, slices.Sorted(maps.Keys(files)))
	}
	if _, _, _, again := arraysOf(t, x.Input); !maps.Equal(files, again) {
		t.Error("other bytes")
	}
	wrong, left := errors.New("full"), len(files)-1
	for ; left >= 0; left-- {
		room := left
		if err := Arrays(x.Input, func(string, []byte) error {
			if room--; room < 0 {
				return wrong
			}
			return nil
		}); !errors.Is(err, wrong) {
			t.Errorf("after %d files an error of the disk is %v", left, err)
		}
	}
	if !bytes.Contains([]byte(files["metrics.csv"]), []byte("worst - decile~2.npy")) {
		t.Errorf("%q", files["metrics.csv"])
	}
}
