package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// curious selects the two available clients whose losses are the largest.
type curious struct{ saw [][]float64 }

func (s *curious) Select(d *fl.SelectionInput) []int {
	losses := make([]float64, d.Roster.N)
	for i := range losses {
		losses[i] = d.Loss(i)
	}
	s.saw = append(s.saw, losses)
	ids := append(d.Room(len(d.Available)), d.Available...)
	slices.SortStableFunc(ids, func(a, b int) int {
		if losses[a] > losses[b] {
			return -1
		}
		return 1
	})
	ids = ids[:min(2, len(ids))]
	slices.Sort(ids)
	return ids
}

func (*curious) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }

// downloads is a metric.
type downloads struct{}

func (downloads) Measure(s *fl.Snapshot) (float64, error) { return float64(s.Downloaded), nil }
func (downloads) Unit() string                            { return "B" }
func (downloads) Higher() bool                            { return false }

// A selection may ask available clients for their losses. Each is sent the model for that,
// once a round, and answers with 8 bytes.
func TestAskingForLosses(t *testing.T) {
	s := toy()
	c := new(curious)
	s.Selection, s.Availability, s.Rounds, s.Every = c, listed{{0, 2, 3, 5}}, 4, 1
	s.Measures = []engine.Measure{{Key: "up", Metric: uploads{}}, {Key: "down", Metric: downloads{}}}
	r := run(t, s, engine.Options{})
	for _, losses := range c.saw {
		for i, loss := range losses {
			if available := slices.Contains([]int{0, 2, 3, 5}, i); available == math.IsNaN(loss) {
				t.Errorf("the loss of client %d is %v", i, loss)
			}
		}
	}
	if len(c.saw) != 4 || slices.Equal(c.saw[0][2:3], c.saw[3][2:3]) {
		t.Errorf("losses stay what they were: %v", c.saw)
	}
	// Three parameters to four clients, two of which then train; four losses, each as long as two
	// numbers, and two models.
	for round := 1; round <= 4; round++ {
		up, down := r.Series[0].Values[round], r.Series[1].Values[round]
		if up != float64(round*(4*2+2*3)) || down != float64(round*4*3) {
			t.Errorf("after round %d: %v up, %v down", round, up, down)
		}
	}
}

// A selection may ask for the loss of other parameters than the model's: a client is sent them for
// each call, and answers with 8 bytes. Those that are not available answer nothing, and parameters
// of another length end the round.
func TestAskingForLossesOfOtherParameters(t *testing.T) {
	s := toy()
	s.Selects = fl.SelectionTraits{Asks: true}
	s.Availability, s.Rounds, s.Every = listed{{0, 2, 3, 5}}, 3, 1
	world, other := prepared(t, s), fl.Vector{1, -2, 3}
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		for _, i := range []int{1, 2, 2} {
			want, got := math.NaN(), d.LossAt(i, other)
			if i == 2 {
				c := world.Population.Client(i)
				want = s.Model.Worker().Loss(other, &c.Data)
			}
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("the loss of client %d is %v, want %v", i, got, want)
			}
		}
		return d.Available[:1]
	})
	s.Measures = []engine.Measure{{Key: "up", Metric: uploads{}}, {Key: "down", Metric: downloads{}}}
	r := run(t, s, engine.Options{})
	for round := 1; round <= 3; round++ {
		up, down := r.Series[0].Values[round], r.Series[1].Values[round]
		if up != float64(round*(2*2+3)) || down != float64(round*(2*3+3)) {
			t.Errorf("after round %d: %v up, %v down", round, up, down)
		}
	}
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		d.LossAt(2, other[:2])
		return d.Available
	})
	const want = "round 1: selection: asks for the loss of 2 parameters, the model has 3"
	if _, err := engine.Run(t.Context(), s, engine.Options{}); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}
