// Mimic — all faulty clients send what one honest client sends, which then counts too much.
//
//	S. P. Karimireddy, L. He, M. Jaggi. Byzantine-Robust Learning on Heterogeneous Datasets via
//	Bucketing. ICLR 2022, Section 3.3 and Appendix C.
//
// Notation: Δₖ the honest updates of round t, counted from 0, Δ̄ their mean, m their running mean,
// z a direction in which they vary much. While t is below warmup, with a random z in round 0:
//
//	m ← (t·m + Δ̄)/(t + 1),    v = Σₖ ⟨z, Δₖ − m⟩(Δₖ − m),
//	z ← (t·z + v/‖v‖)/(t + 1), scaled to norm 1,    i* = argmaxₖ ⟨z, Δₖ⟩.
//
// From then on i* stays. Where honest clients have the same data no rule is hurt by it; where they
// differ, a rule that keeps to the majority loses the others.
//
// Departures: where i* is not in the cohort, the honest client of the cohort with the largest
// ⟨z, Δₖ⟩ takes its place in that round; rounds without honest clients leave updates as they are.
// The default of warmup is ours.

package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// Mimic describes the adversary to the registry.
var Mimic = fl.AdversaryEntry{
	Name:       "mimic",
	Summary:    "faulty clients send what one honest client sends",
	Paper:      "karimireddy2022",
	Deviations: "another client is mimicked in rounds in which the chosen one does not take part",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return &mimic{p.Int("warmup", 10, fl.AtLeast(1), "rounds in which it learns which client "+
			"to mimic")}, nil
	},
	Traits: fl.AdversaryTraits{Knows: fl.KnowsCohort},
}

type mimic struct{ warmup int }

var _ fl.Adversary = (*mimic)(nil)

// Corrupt implements fl.Adversary.
func (m *mimic) Corrupt(a *fl.Attack) error {
	if len(a.Honest) == 0 {
		return nil
	}
	n := len(a.Global)
	z, kept := a.State.Vector("direction", n), a.State.Vector("target", 2) // client, rounds
	if int(kept[1]) < m.warmup {
		m.learn(a, z, kept[1])
		kept[0] = float64(a.Honest[most(a, z)].Client)
		kept[1]++
	}
	chosen := -1
	for k := range a.Honest {
		if a.Honest[k].Client == int(kept[0]) {
			chosen = k
		}
	}
	if chosen < 0 {
		chosen = most(a, z)
	}
	for k := range a.Updates {
		copy(a.Updates[k].Params, a.Honest[chosen].Params)
	}
	return nil
}

// learn makes one step of the power iteration, in the t-th round that it sees.
func (m *mimic) learn(a *fl.Attack, z fl.Vector, t float64) {
	n := len(z)
	mean, _ := a.Moments()
	running := a.State.Vector("mean", n)
	running.Scale(t / (t + 1))
	running.AddScaled(1/(t+1), mean)
	if t == 0 {
		z.AddNoise(1, a.RNG)
	}
	away, v := a.Scratch(n), a.Scratch(n)
	for k := range a.Honest {
		copy(away, a.Honest[k].Params)
		away.Sub(a.Global)
		away.Sub(running)
		v.AddScaled(z.Dot(away), away)
	}
	if norm := v.Norm(); norm > 0 {
		z.Scale(t / (t + 1))
		z.AddScaled(1/((t+1)*norm), v)
	}
	if norm := z.Norm(); norm > 0 {
		z.Scale(1 / norm)
	}
}

// most returns the honest update that is longest along z, of several the first.
func most(a *fl.Attack, z fl.Vector) (best int) {
	base, largest := z.Dot(a.Global), 0.0
	for k := range a.Honest {
		if d := z.Dot(a.Honest[k].Params) - base; k == 0 || d > largest {
			best, largest = k, d
		}
	}
	return best
}
