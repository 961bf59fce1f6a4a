package audit

import (
	"reflect"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
)

// A Frontier is what weights on the cohorts of a distribution can have of both: the least total
// variation of p̃ from p for every budget of variance E‖w‖²/(EΣw)². A method is a point on it or
// above it: of Any whatever its weights are, of Convex where they are positive and sum to 1.
type Frontier struct {
	Convex  ot.Frontier `json:"convex"`  // w ≥ 0 and Σw = 1 in every cohort
	Any     ot.Frontier `json:"any"`     // weights of any sign and sum
	Cohorts int         `json:"cohorts"` // simulated ones that Convex is computed with; 0: all
}

const (
	frontierPoints   = 65      // of a curve, at most
	frontierAccuracy = 5e-4    // of total variation on it, where cohorts are listed
	frontierEpsilon  = 1e-7    // of the marginals of its plans, in the sum over clients
	frontierPasses   = 20_000  // over the cohorts, for a point
	frontierMembers  = 1 << 19 // of simulated cohorts, at most
)

// Frontiers computes frontiers, each once for all methods that share cohorts and importance.
type Frontiers struct{ known []knownFrontier }

type knownFrontier struct {
	law      *fl.Law
	p        fl.Vector
	frontier *Frontier
}

// of returns the frontier of a cell; nil where its law says too little, or is thin.
func (m *Frontiers) of(s *engine.Setup, w *engine.World, law *fl.Law) (*Frontier, error) {
	p := w.Roster.Importance
	for _, k := range m.known {
		if slices.Equal(k.p, p) && sameCohorts(k.law, law) {
			return k.frontier, nil
		}
	}
	f, err := newFrontier(s, w, law)
	if err == nil {
		m.known = append(m.known, knownFrontier{law, p, f})
	}
	return f, err
}

func sameCohorts(a, b *fl.Law) bool {
	return a.Everyone == b.Everyone && a.Size == b.Size && a.Empty == b.Empty &&
		slices.Equal(a.Q, b.Q) && slices.Equal(a.Chance, b.Chance) &&
		slices.Equal(a.Inclusion, b.Inclusion) && reflect.DeepEqual(a.Sets, b.Sets)
}

func newFrontier(s *engine.Setup, w *engine.World, law *fl.Law) (*Frontier, error) {
	p := w.Roster.Importance
	if law.Thin(w.Roster) || law.Empty == 1 {
		return nil, nil
	}
	m := ot.Masked{P: p, Q: law.Q, Sets: law.Sets}
	f := &Frontier{Cohorts: law.Draws}
	accuracy, epsilon := frontierAccuracy, frontierEpsilon
	pi := law.Inclusion.Clone()
	pi.Scale(1 / (1 - law.Empty))
	switch {
	case law.Sets != nil:
	case law.Chance != nil:
		var err error
		if m.Sets, err = drawCohorts(s, w, law); err != nil {
			return nil, err
		}
		f.Cohorts = len(m.Sets)
		m.Q = make(fl.Vector, len(m.Sets))
		m.Q.Fill(1 / float64(len(m.Sets)))
		m.P = calibrated(p, pi, m)
		accuracy, epsilon = 4*accuracy, 100*epsilon // simulation errs by more
	default:
		return nil, nil
	}
	f.Convex = m.Frontier(frontierPoints, accuracy, epsilon, frontierPasses)
	f.Any = ot.AnyWeights(p, pi, frontierPoints, frontierAccuracy)
	return f, nil
}

// drawCohorts draws cohorts from a distribution that is too long to list.
func drawCohorts(s *engine.Setup, w *engine.World, law *fl.Law) (sets [][]int, err error) {
	size := max(1, int(law.Inclusion.Sum()))
	draws := min(usualDraws, max(2000, frontierMembers/size))
	if law.Size == 0 && !law.Memoryless {
		rng := fl.NewStream(s.Seed, "frontier cohorts").Rand()
		for range draws {
			var cohort []int
			if cohort = stats.DrawBernoulli(nil, law.Chance, rng); len(cohort) > 0 {
				sets = append(sets, cohort)
			}
		}
		return sets, nil
	}
	err = engine.Simulate(s, w, 1, draws, func(turn engine.SimulatedRound) error {
		if len(turn.Cohort) > 0 {
			sets = append(sets, slices.Clone(turn.Cohort))
		}
		return nil
	})
	return sets, err
}

// calibrated returns the importance that stands to how often clients are in the cohorts as p stands
// to π: that is what makes a curve of simulated cohorts near that of all of them, whose weights
// depend on p/π. Clients that are in none of them keep p.
func calibrated(p, pi fl.Vector, m ot.Masked) fl.Vector {
	drawn, out := make(fl.Vector, len(p)), p.Clone()
	for j, set := range m.Sets {
		for _, i := range set {
			drawn[i] += m.Q[j]
		}
	}
	for i := range out {
		if drawn[i] > 0 && pi[i] > 0 {
			out[i] *= drawn[i] / pi[i]
		}
	}
	out.Scale(1 / out.Sum())
	return out
}
