// Package mine measures the loss of the clients with the largest losses.
package mine

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Mine describes the metric. New declares a parameter by reading it: name, default, range,
// meaning.
var Mine = fl.MetricEntry{
	Name:    "mine",
	Summary: "mean loss of the clients with the largest losses",
	New: func(p *fl.Params) (fl.Metric, error) {
		return &mine{p.Float("share", 0.25, fl.LeftOpen(0, 1), "of clients that count")}, nil
	},
}

type mine struct{ share float64 }

// Measure returns the mean of the largest losses. The Snapshot holds a run at the end of a
// round: s.Params is θᵗ, s.Population all data, s.Worker computes losses and scores, and
// s.ClientLosses is the mean loss of every client on its training samples.
func (m *mine) Measure(s *fl.Snapshot) (float64, error) {
	losses := s.ClientLosses().Clone()
	slices.Sort(losses)
	rest := int((1 - m.share) * float64(len(losses)))
	worst := losses[rest:]
	return worst.Sum() / float64(len(worst)), nil
}

// Unit is that of the number: "%", "B" for bytes, "s", or none.
func (m *mine) Unit() string { return "" }

// Higher reports whether higher is better.
func (m *mine) Higher() bool { return false }
