package infer_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// Tuning has ended for a part when every training run of the part has its choice, whatever other
// points lack.
func TestTuningOfAPartIsItsOwn(t *testing.T) {
	in := reportstest.Swept().Input
	first := in.Cells[0].Point
	for i, id := range in.IDs {
		if infer.PlaceKey("", infer.PointOf(in.Cells[i].Point)) !=
			infer.PlaceKey("", infer.PointOf(first)) {
			delete(in.Results, id)
			delete(in.Failures, id)
		}
	}
	in.Tuning = &store.Tuning{Tune: study.Tune{Budget: 4}, Open: true}
	part := in.Begun()
	if part.Whole == nil || !part.Tuning.Open {
		t.Fatalf("%d of %d cells, open: %t", len(part.Cells), len(in.Cells), part.Tuning.Open)
	}
	for i := range part.Cells {
		c := &part.Cells[i]
		if in.Tuning.Choice(c) == nil {
			in.Tuning.Chosen = append(in.Tuning.Chosen, store.Choice{Method: c.Method, Point: c.Point})
		}
	}
	if in.Begun().Tuning.Open || !in.Tuning.Open {
		t.Error("what other points lack is open for the part, or the whole has ended")
	}
}
