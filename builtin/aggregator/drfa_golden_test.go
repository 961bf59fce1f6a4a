package aggregator

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// The models and the snapshots of DRFA over five rounds are means in which a client counts as often
// as it was drawn: they agree with NumPy to 1e-12.
//
//hansa:verifies golden aggregator/drfa
func TestGoldenDRFA(t *testing.T) {
	var in struct {
		lossHistory
		Snapshots [][]fl.Vector
		Times     [][]int
	}
	var want struct{ Rounds, Snapshots []fl.Vector }
	c := golden(t, "fairness", "drfa", &in, &want)
	a, theta := built(t, DRFA, nil), in.Start.Clone()
	r := &fl.Round{State: fl.NewStore(), Shared: fl.NewStore(), Notes: new(fl.Notes),
		Roster: &fl.Roster{N: len(in.Samples)}, RNG: rand.New(rand.NewPCG(1, 1))}
	for round, cohort := range in.Cohorts {
		r.Recycle()
		r.T, r.Global, r.Updates, r.Times = round, theta, nil, in.Times[round]
		for k, i := range cohort {
			m, s := theta.Clone(), in.Snapshots[round][k]
			m.Add(in.Deltas[round][k])
			r.Updates = append(r.Updates, fl.Update{Client: i, Samples: 1, Steps: 7, Params: m,
				Payload: fl.Tensors{"snapshot": {Rows: 1, Cols: len(s), Data: s}}})
		}
		out, err := a.Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		theta = out.Params.Clone()
		c.equal(t, "model", theta, want.Rounds[round])
		c.equal(t, "snapshot", r.Shared.Vector("snapshot", len(theta)), want.Snapshots[round])
		taken, moment := r.Shared.Vector("taken", 2), out.Broadcast["moment"].Data
		if taken[0] != 6 || math.Abs(taken[1]-7) > 1e-12 || !(moment[0] > 0 && moment[0] <= 1) {
			t.Errorf("round %d: %v is taken, at %v of the steps", round, taken, moment)
		}
	}
}
