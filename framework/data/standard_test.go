package data

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TestStandardizeIsStandardScaler compares with scikit-learn on columns of ordinary, tiny
// and huge spread, on constant ones, and on one that is constant but for one row.
func TestStandardizeIsStandardScaler(t *testing.T) {
	g := golden[map[string][][]float64](t, "standardize.json")
	x, other := matrix(g["x"]), matrix(g["other"])
	Standardize(x, other)
	for name, got := range map[string]fl.Matrix{"x_out": x, "other_out": other} {
		want := matrix(g[name])
		for i, v := range want.Data {
			if math.Abs(got.Data[i]-v) > 1e-12*max(1, math.Abs(v)) {
				t.Errorf("%s: row %d, column %d: %v, want %v",
					name, i/want.Cols, i%want.Cols, got.Data[i], v)
			}
		}
	}
}

func TestStandardizeOfNothing(t *testing.T) {
	one := matrix([][]float64{{3, -2}})
	Standardize(one)
	if one.Data[0] != 0 || one.Data[1] != 0 {
		t.Errorf("a single row became %v, want zeros", one.Data)
	}
	other := matrix([][]float64{{3, -2}})
	Standardize(fl.NewMatrix(0, 2), other)
	if other.Data[0] != 3 || other.Data[1] != -2 {
		t.Errorf("no rows to learn from, and another became %v", other.Data)
	}
}

func matrix(rows [][]float64) fl.Matrix {
	m := fl.NewMatrix(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Row(i), r)
	}
	return m
}
