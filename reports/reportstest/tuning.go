package reportstest

import (
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// PartlyTuned returns a run of a method whose step size was chosen and of one that was not tuned,
// and what every report says of their rows.
func PartlyTuned() (in infer.Input, said []string) {
	x := NewExample("tuned", "Tuned", engine.Series{Key: "accuracy", Higher: true})
	x.Add(study.Cell{Method: "tuned"}, []float64{1, 2, 3})
	x.Add(study.Cell{Method: "not"}, []float64{2, 3, 4})
	in = x.Input
	in.Tuning = &store.Tuning{
		Tune: study.Tune{Budget: 3, By: "accuracy", Search: study.SearchGrid},
		Chosen: []store.Choice{{Method: "not"}, {Method: "tuned", Paths: []string{"local.lr"},
			Values: study.Values{0.1}, Tried: 3}}}
	return in, []string{"not tuned, beside methods that are",
		"tuned: lr = 0.1, the best of 3 settings"}
}
