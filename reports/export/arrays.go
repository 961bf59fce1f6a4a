package export

import (
	"math"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Arrays hands a run to put, file by file, for numpy.load:
//
//	metrics/NAME.npy   a metric: a row per cell, a column per round
//	rounds.npy         the rounds of the columns
//	cells.csv          what the rows are: cell, method, the axes of the sweep, seed
//	metrics.csv        what the metrics are: file, metric, unit, direction
//
// A cell without a result is a row of NaN; so is what was not measured of it in a round.
func Arrays(in infer.Input, put func(name string, content []byte) error) error {
	t, err := newLongTable(&in)
	if err != nil {
		return err
	}
	rounds := t.rounds()
	columns := make([]float64, len(rounds))
	for k, r := range rounds {
		columns[k] = float64(r)
	}
	index, err := t.rowIndex()
	if err != nil {
		return err
	}
	metrics := t.metrics()
	keys := make([]string, len(metrics))
	for i := range metrics {
		keys[i] = metrics[i].Key
	}
	files := distinctFileNames(keys)
	for key, name := range files {
		files[key] = "metrics/" + name + ".npy"
	}
	legend, err := metricsLegend(metrics, files)
	if err != nil {
		return err
	}
	for _, key := range keys {
		content := store.NPY(t.metricArray(key, rounds), len(t.in.Cells), len(rounds))
		if err := put(files[key], content); err != nil {
			return err
		}
	}
	if err := put("rounds.npy", store.NPY(columns, len(columns))); err != nil {
		return err
	}
	if err := put("cells.csv", index); err != nil {
		return err
	}
	return put("metrics.csv", legend)
}

// metrics returns the metrics of all cells in the order in which they first appear, each as some
// cell has it.
func (t *longTable) metrics() []engine.Series {
	var list []engine.Series
	known := map[string]bool{}
	for _, id := range t.in.IDs {
		series, _ := measured(t.in, id)
		for _, s := range series {
			if !known[s.Key] {
				known[s.Key] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// rounds returns every round in which something was measured, ascending.
func (t *longTable) rounds() []int {
	var list []int
	known := map[int]bool{}
	for _, id := range t.in.IDs {
		_, rounds := measured(t.in, id)
		for _, r := range rounds {
			if !known[r] {
				known[r] = true
				list = append(list, r)
			}
		}
	}
	slices.Sort(list)
	return list
}

// metricArray returns a metric, cells × rounds.
func (t *longTable) metricArray(metric string, rounds []int) []float64 {
	all := slices.Repeat([]float64{math.NaN()}, len(t.in.Cells)*len(rounds))
	for i, id := range t.in.IDs {
		series, measured := measured(t.in, id)
		for _, s := range series {
			if s.Key != metric {
				continue
			}
			for k := range min(len(s.Values), len(measured)) {
				at, _ := slices.BinarySearch(rounds, measured[k])
				all[i*len(rounds)+at] = s.Values[k]
			}
		}
	}
	return all
}

// rowIndex returns what the rows of arrays are, as CSV.
func (t *longTable) rowIndex() ([]byte, error) {
	columns := t.columns()
	lines := [][]string{columns[:len(columns)-len(lastColumns)+1]}
	for i := range t.in.Cells {
		c := &t.in.Cells[i]
		lines = append(lines, slices.Concat([]string{t.in.IDs[i], c.Method}, t.point(c),
			[]string{strconv.FormatUint(c.Seed, 10)}))
	}
	return csvOf(lines)
}

// metricsLegend returns what the metrics are that lie in files, as CSV.
func metricsLegend(metrics []engine.Series, files map[string]string) ([]byte, error) {
	lines := [][]string{{"file", "metric", "unit", "direction"}}
	for i := range metrics {
		s := &metrics[i]
		lines = append(lines, []string{files[s.Key], s.Key, s.Unit, string(infer.DirectionOf(s))})
	}
	return csvOf(lines)
}
