package reports

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// twins are two runs: one method is the same in both, one differs by 1 on average, one has lost a
// seed, and one is in one of them only. The second run has a seed more.
func twins() (before, after infer.Input) {
	a, b := newExample("before", "A", loss), newExample("after", "B", loss)
	a.add(study.Cell{Method: "same"}, []float64{1, 2, 3, math.NaN()})
	b.add(study.Cell{Method: "same"}, []float64{1, 2, 3, math.NaN()})
	b.add(study.Cell{Method: "other"}, all(5, 2))
	b.add(study.Cell{Method: "moved"}, []float64{2.5, 2.5, 4.5, 4.5, 99})
	a.add(study.Cell{Method: "moved"}, []float64{1, 2, 3, 4})
	a.add(study.Cell{Method: "lost"}, []float64{1, 2, 3, 4})
	b.add(study.Cell{Method: "lost"}, []float64{1, 2, gone, 4})
	return a.Input, b.Input
}

func TestDiff(t *testing.T) {
	before, after := twins()
	d, err := Diff(before, after)
	if err != nil || d.Same != 1 || len(d.Shifts) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	s := d.Shifts[0]
	if s.Method != "moved" || s.Seeds != 4 || s.Gained != 1 || s.Lost != 0 || s.Before != 2.5 || s.After != 3.5 ||
		s.Delta != 1 || math.Abs(float64(s.Low+s.High)-2) > 1e-12 {
		t.Errorf("%+v", s)
	}
	// By hand: differences 1.5, 0.5, 1.5, 0.5 have s.d. 0.57735, and t of 3 degrees is 3.18245.
	if half := float64(s.High - 1); math.Abs(half-3.18245*0.57735/2) > 1e-4 {
		t.Errorf("half of the interval is %v", half)
	}
	if s := d.Shifts[1]; s.Method != "lost" || s.Lost != 1 || s.Seeds != 3 || s.Delta != 0 {
		t.Errorf("%+v", s)
	}
	none, err := Diff(before, before)
	if err != nil || len(none.Shifts) != 0 || none.Same != 3 {
		t.Errorf("a run differs from itself: %+v, %v", none, err)
	}
	if _, err := Diff(before, infer.Input{}); err == nil {
		t.Error("a run without cells is compared")
	}
}

func TestDiffText(t *testing.T) {
	before, after := twins()
	d, err := Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	d.Shifts[1].Delta = -1e-15 // which is not nothing
	for width, name := range map[int]string{0: "diff", 60: "diff-60"} {
		var b bytes.Buffer
		if err := DiffText(&b, d, "before", "after", TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", b.Bytes())
	}
	for want, d := range map[string]Difference{"no results": {}, "all 3 results are the same": {Same: 3}} {
		var b bytes.Buffer
		if err := DiffText(&b, d, "a", "b", TextOptions{}); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
	if err := DiffText(full{}, d, "a", "b", TextOptions{}); err == nil {
		t.Error("an error of the terminal is lost")
	}
}
