package tune

import (
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// Beyond an edge values go on as they were tried: by ratios or by differences, and whole where they
// were.
func TestValuesGoOnBeyondAnEdge(t *testing.T) {
	for _, c := range []struct {
		name   string
		scale  string
		tried  []any
		winner any
		want   []any
	}{
		{"below decades", study.LogScale, []any{0.001, 0.01, 0.1}, 0.001, []any{0.0001, 0.00001}},
		{"above decades", study.LogScale, []any{0.001, 0.01, 0.1}, 0.1, []any{1.0, 10.0}},
		{"above equal steps", study.LinearScale, []any{0.0, 0.25, 0.5}, 0.5, []any{0.75, 1.0}},
		{"below equal steps", study.LinearScale, []any{0.0, 0.25, 0.5}, 0.0, []any{-0.25, -0.5}},
		{"integers", study.IntegerScale, []any{int64(2), int64(5), int64(8)}, int64(8), []any{int64(11), int64(14)}},
		{"a list of positive numbers", study.ListScale, []any{0.1, 0.2}, 0.1, []any{0.05, 0.025}},
		{"a list of integers", study.ListScale, []any{int64(8), int64(16)}, int64(16), []any{int64(32), int64(64)}},
		{"a list with 0", study.ListScale, []any{0.0, 0.5}, 0.5, []any{1.0, 1.5}},
		{"in the middle", study.LogScale, []any{0.001, 0.01, 0.1}, 0.01, nil},
		{"words", study.ListScale, []any{"a", "b"}, "a", nil},
	} {
		var all []Setting
		for _, v := range c.tried {
			all = append(all, Setting{v})
		}
		got := Beyond([]study.Range{{Path: "p", Scale: c.scale}}, all, Setting{c.winner}, 0)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
