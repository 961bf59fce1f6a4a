package audit

import (
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Tracking is how far from p the objective is that a method follows for a while. With w̄ the mean
// weights of so many consecutive rounds, scaled to sum 1, it is the mean of TV(w̄, p) over all such
// stretches of a simulated run, whichever round they begin with. It has three parts: the bias of
// p̃, which no time removes; what availability adds while it lasts in one state, such as a phase;
// and chance, which the weights of few rounds are. A method that realises p in every state has
// only the last.
type Tracking struct {
	Rounds int     `json:"rounds"` // of a stretch
	TV     float64 `json:"tv"`     // mean of TV(w̄, p)
	Error  float64 `json:"error"`  // its standard error, as if disjoint stretches were independent
}

// mostTracked bounds the rounds that are played, and members of their cohorts.
const (
	mostTracked        = 4000
	mostTrackedMembers = 4_000_000
)

// track plays rounds from the first on, with the aggregator as it is before them.
func (k *play) track(stretch int) (*Tracking, error) {
	size := int(k.law.Inclusion.Sum()) + 1
	rounds := max(2*stretch, min(mostTracked, k.setup.Rounds, mostTrackedMembers/size))
	p, probe := k.world.Roster.Importance, k.newProbe()
	sum, last := make(fl.Vector, len(p)), make([]given, stretch)
	var found fl.Vector
	err := engine.Simulate(k.setup, k.world, 1, rounds, func(turn engine.SimulatedRound) error {
		g := &last[turn.T%stretch]
		g.add(sum, -1)
		g.clients, g.weights = append(g.clients[:0], turn.Cohort...), g.weights[:0]
		if len(turn.Cohort) > 0 {
			probe.see(turn)
			r, err := probe.read(turn.T, turn.Cohort)
			if err != nil {
				return err
			}
			g.weights = append(g.weights, r.weights...)
			g.add(sum, 1)
		}
		total := sum.Sum()
		if turn.T+1 < stretch || total <= 0 {
			return nil
		}
		tv := 0.0
		for i := range p {
			tv += math.Abs(sum[i]/total-p[i]) / 2
		}
		found = append(found, tv)
		return nil
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	n, mean, square := float64(len(found)), found.Sum()/float64(len(found)), 0.0
	for _, x := range found {
		square += sq(x-mean) / n
	}
	return &Tracking{stretch, mean, math.Sqrt(square * float64(stretch) / float64(rounds))}, nil
}

// given is the weights of one round.
type given struct {
	clients []int
	weights fl.Vector
}

// add adds so many times the weights to a sum by client.
func (g *given) add(sum fl.Vector, times float64) {
	for j, w := range g.weights {
		sum[g.clients[j]] += times * w
	}
}
