package fl_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

func TestPickCopiesRowsInTheirOrder(t *testing.T) {
	whole := &fl.Dataset{
		Shape: fl.Shape{Features: 2, Classes: 3, Domains: []string{"ink", "neon"}},
		X:     fl.Matrix{Rows: 3, Cols: 2, Data: []float64{0, 1, 10, 11, 20, 21}},
		Y:     []int{0, 1, 2}, Target: fl.Vector{5, 6, 7}, Owner: []int{8, 8, 9},
		Domain: []int{0, 1, 1},
	}
	got := whole.Pick([]int{2, 0, 2})
	want := &fl.Dataset{
		Shape: whole.Shape,
		X:     fl.Matrix{Rows: 3, Cols: 2, Data: []float64{20, 21, 0, 1, 20, 21}},
		Y:     []int{2, 0, 2}, Target: fl.Vector{7, 5, 7}, Owner: []int{9, 8, 9},
		Domain: []int{1, 0, 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	got.X.Data[2] = -1
	if whole.X.Data[0] != 0 {
		t.Error("the rows are shared")
	}
	if none := whole.Pick(nil); none.Len() != 0 || none.X.Cols != 2 {
		t.Errorf("no rows are %+v", none)
	}
}

func TestRowsOfSeveralLabelsStayTogether(t *testing.T) {
	whole := &fl.Dataset{
		Shape: fl.Shape{Features: 2, Classes: 4, Tokens: 4, Labels: 2},
		X:     fl.Matrix{Rows: 3, Cols: 2, Data: []float64{0, 1, 1, 2, 2, 3}},
		Y:     []int{1, 2, 2, 3, 3, 0},
	}
	if part := whole.Rows(1, 3); !slices.Equal(part.Y, []int{2, 3, 3, 0}) {
		t.Errorf("rows 1 and 2 have labels %v", part.Y)
	}
	if got := whole.Pick([]int{2, 0}); !slices.Equal(got.Y, []int{3, 0, 1, 2}) {
		t.Errorf("rows 2 and 0 have labels %v", got.Y)
	}
	if one := (fl.Shape{}); one.PerRow() != 1 || !one.Equal(fl.Shape{Labels: 1}) {
		t.Error("a shape that says nothing has one label a row")
	}
}
