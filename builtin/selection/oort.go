// Oort — clients of high utility: large losses on many samples, and fast where durations are known.
//
//	F. Lai, X. Zhu, H. V. Madhyastha, M. Chowdhury. Oort: Efficient Federated Learning via Guided
//	Participant Selection. OSDI 2021 (arXiv:2010.06081), Algorithm 1; with what the authors' code
//	(SymbioticLab/Oort, oort/oort.py) says more.
//
// Notation: R the round, from 1, Bᵢ the samples of client i, ℓ their losses, Rᵢ the last round in
// which it took part, tᵢ its duration, T the preferred one, ε the share of exploration. The utility
// of a client that took part is
//
//	Uᵢ = (|Bᵢ|·√(Σ_{Bᵢ} ℓ²/|Bᵢ|) + √(0.1·ln R/Rᵢ))·(T/tᵢ)^α,   the last factor where tᵢ > T,
//
// in which the statistical utility, the first term, is no larger than its quantile of 95 %. ε is
// 0.9 in the first round, and then 0.98 of what it was, but no less than 0.2. (1 − ε)K clients are
// drawn by utility, without replacement, among those with 95 % or more of the (1 − ε)K-th largest
// utility; εK are drawn by speed, 1/tᵢ, among those that never took part. The pacer begins with T
// = Δ and adds Δ whenever clients of the last W rounds had less statistical utility than those of
// the W before.
//
// Every participant sends √(Σ ℓ²/|Bᵢ|) with its update, 8 bytes. Durations are stated, or with
// measured = true tᵢ is what the client needed when it took part last, by the completion model;
// that of a client that never took part is as stated. Without either there is no system part: no
// T, and all speeds are equal. Where durations are measured alone, the speeds of those that never
// took part are equal.
//
// Departures: the cohort is min(K, available) clients, always: where there are too few to explore
// more utility is exploited, and the other way round; the copy of the authors' code in FedScale
// can return fewer, and clients that are not available. Losses are those of the model that clients
// were sent, where the authors take a moving average over batches of the first local epoch.
// Windows are compared every W rounds, as in the authors' code; that code has T as a quantile of
// durations, and lowers it, too. It also maps the statistical utility to [0, 1] by its least and
// largest values among those available, without which √(0.1·ln R/Rᵢ) is small beside it: utility =
// "normalised"; its cut is of the next smaller utility. No client is excluded for having been
// selected often. Simulated rounds have no losses, and all are 1 in them.

package selection

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Oort describes the selection mechanism to the registry.
var Oort = fl.SelectionEntry{
	Name:    "oort",
	Summary: "draws clients by losses, samples and durations, and explores new ones",
	Paper:   "lai2021",
	Deviations: "always min(K, available) clients; losses of the model that clients were sent; " +
		"the pacer compares windows every W rounds; no client is excluded; simulated rounds have " +
		"no losses, so that all are 1 in an audit",
	New:     newOort,
	Example: map[string]any{"k": int64(3)},
	Traits:  fl.SelectionTraits{SquaredLosses: true, Seconds: true},
}

type oort struct {
	k                     int
	explore, decay, least float64 // ε of the first round, its factor, and where it ends
	cut, clip             float64
	normalised            bool
	pacer                 *pacer // nil: no durations
}

var _ fl.Selection = (*oort)(nil)

func newOort(p *fl.Params) (fl.Selection, error) {
	return &oort{
		k: p.Int("k", 10, fl.AtLeast(1), "K, clients of a round"),
		explore: p.Float("explore", 0.9, fl.Closed(0, 1),
			"ε of the first round, share of clients that never took part"),
		decay: p.Float("decay", 0.98, fl.Closed(0, 1), "what ε is multiplied by after every round"),
		least: p.Float("least", 0.2, fl.Closed(0, 1), "ε falls no lower than this"),
		cut: p.Float("cut", 0.95, fl.Closed(0, 1), "clients are drawn among those with this "+
			"share or more of the utility that suffices"),
		clip: p.Float("clip", 0.95, fl.Closed(0, 1), "quantile of statistical utilities that none "+
			"exceeds; 1: they are as they are"),
		normalised: p.Choice("utility", "published", "statistical utility: as \"published\", or "+
			"\"normalised\" to [0, 1] among available clients, as in the authors' code",
			"published", "normalised") == "normalised",
		pacer: newPacer(p),
	}, nil
}

// Select implements fl.Selection.
func (s *oort) Select(d *fl.SelectionInput) []int {
	preferred := math.Inf(1)
	if s.pacer != nil {
		preferred = s.pacer.preferred(d)
	}
	n := len(d.Available)
	known, fresh := d.Room(n), d.Room(n)
	for _, i := range d.Available {
		if d.Told(i).Round >= 0 {
			known = append(known, i)
		} else {
			fresh = append(fresh, i)
		}
	}
	exploited, explored := s.split(d.T, len(known), len(fresh))
	utility := d.Scratch(len(known))
	s.utilities(utility, d, known, preferred)
	s.admit(utility, d, exploited)
	speed := d.Scratch(len(fresh))
	for c, i := range fresh {
		speed[c] = s.pacer.speed(i)
	}
	cohort := d.Room(s.k)
	cohort = append(cohort, drawSome(d, known, utility, exploited)...)
	cohort = append(cohort, drawSome(d, fresh, speed, explored)...)
	slices.Sort(cohort)
	return cohort
}

// split returns how many clients of those known and of those that never took part are to be drawn:
// min(K, all) together.
func (s *oort) split(t, known, fresh int) (exploited, explored int) {
	epsilon := s.explore * math.Pow(s.decay, float64(t))
	epsilon = max(epsilon, min(s.least, s.explore))
	exploited = min(int(float64(s.k)*(1-epsilon)+rounding), known)
	explored = min(s.k-exploited, fresh)
	return min(s.k-explored, known), explored
}

// utilities sets dst to the utilities of clients that took part.
func (s *oort) utilities(dst fl.Vector, d *fl.SelectionInput, clients []int, preferred float64) {
	if len(clients) == 0 {
		return
	}
	for c, i := range clients {
		dst[c] = statistical(d, i)
	}
	sorted := d.Scratch(len(dst))
	copy(sorted, dst)
	slices.Sort(sorted)
	last := len(sorted) - 1
	limit := sorted[min(int(float64(len(sorted))*s.clip), last)]
	low, width := 0.0, 1.0
	if s.normalised {
		low = 0.999 * sorted[0]
		width = max(sorted[last]-low, 1e-4)
	}
	for c, i := range clients {
		stale := math.Sqrt(0.1 * math.Log(float64(d.T+1)) / float64(d.Told(i).Round+1))
		dst[c] = ((min(dst[c], limit)-low)/width + stale) * s.pacer.penalty(d, i, preferred)
	}
}

// statistical returns |B|·√(Σ ℓ²/|B|) of a client that took part. Where there are no losses they
// are 1, and where they are too large they are large.
func statistical(d *fl.SelectionInput, client int) float64 {
	rms := d.Told(client).RMS
	if math.IsNaN(rms) {
		rms = 1
	}
	return float64(d.Roster.Samples[client]) * min(rms, 1e150)
}

// admit leaves utility to those clients that have enough of it to be drawn; it is 0 of the others.
// It is above 0 of those that are admitted.
func (s *oort) admit(utility fl.Vector, d *fl.SelectionInput, draws int) {
	if draws == 0 {
		return
	}
	order := tensor.ArgSortDescending(d.Room(len(utility)), utility)
	enough := s.cut * utility[order[draws-1]]
	for c, u := range utility {
		if utility[c] = 0; u >= enough {
			utility[c] = max(u, 1e-300)
		}
	}
}

// drawSome draws k of some clients, one after another by their weights, of which k or more are
// above 0.
func drawSome(d *fl.SelectionInput, clients []int, weights fl.Vector, k int) []int {
	tree := d.Scratch(2 * len(weights))
	stats.SumTree(tree, weights)
	drawn := stats.DrawSuccessive(d.Room(len(weights)), tree, k, d.RNG)
	for c, at := range drawn {
		drawn[c] = clients[at]
	}
	return drawn
}

// Law says false: it depends on the model.
func (s *oort) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
