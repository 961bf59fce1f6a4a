package render

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// twins are two runs: one method is the same in both, one differs by 1 on average, one has lost a
// seed, and one is in one of them only. The second run has a seed more.
func twins() (before, after infer.Input) {
	a, b := reportstest.NewExample("before", "A", reportstest.Loss), reportstest.NewExample("after", "B", reportstest.Loss)
	a.Add(study.Cell{Method: "same"}, []float64{1, 2, 3, math.NaN()})
	b.Add(study.Cell{Method: "same"}, []float64{1, 2, 3, math.NaN()})
	b.Add(study.Cell{Method: "other"}, reportstest.All(5, 2))
	b.Add(study.Cell{Method: "moved"}, []float64{2.5, 2.5, 4.5, 4.5, 99})
	a.Add(study.Cell{Method: "moved"}, []float64{1, 2, 3, 4})
	a.Add(study.Cell{Method: "lost"}, []float64{1, 2, 3, 4})
	b.Add(study.Cell{Method: "lost"}, []float64{1, 2, reportstest.Gone, 4})
	return a.Input, b.Input
}

func TestDiff(t *testing.T) {
	before, after := twins()
	d, err := table.Diff(before, after)
	if err != nil || d.Same != 1 || len(d.Changes) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	s := d.Changes[0]
	if s.Method != "moved" || s.Seeds != 4 || s.Gained != 1 || s.Lost != 0 || s.Before != 2.5 || s.After != 3.5 ||
		s.Delta != 1 || math.Abs(float64(s.Low+s.High)-2) > 1e-12 {
		t.Errorf("%+v", s)
	}
	// By hand: differences 1.5, 0.5, 1.5, 0.5 have s.d. 0.57735, and t of 3 degrees is 3.18245.
	if half := float64(s.High - 1); math.Abs(half-3.18245*0.57735/2) > 1e-4 {
		t.Errorf("half of the interval is %v", half)
	}
	if s := d.Changes[1]; s.Method != "lost" || s.Lost != 1 || s.Seeds != 3 || s.Delta != 0 {
		t.Errorf("%+v", s)
	}
	none, err := table.Diff(before, before)
	if err != nil || len(none.Changes) != 0 || none.Same != 3 {
		t.Errorf("a run differs from itself: %+v, %v", none, err)
	}
	if _, err := table.Diff(before, infer.Input{}); err == nil {
		t.Error("a run without cells is compared")
	}
}

func TestDiffText(t *testing.T) {
	before, after := twins()
	d, err := table.Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	d.Changes[1].Delta = -1e-15 // which is not nothing
	for width, name := range map[int]string{0: "diff", 60: "diff-60"} {
		var b bytes.Buffer
		if err := DiffText(&b, d, "before", "after", TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", b.Bytes())
	}
	for want, d := range map[string]table.ResultDiff{"no results": {}, "all 3 results are the same": {Same: 3}} {
		var b bytes.Buffer
		if err := DiffText(&b, d, "a", "b", TextOptions{}); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
	if err := DiffText(full{}, d, "a", "b", TextOptions{}); err == nil {
		t.Error("an error of the terminal is lost")
	}
}
