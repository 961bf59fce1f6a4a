package session

import (
	"errors"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// means returns what some settings of a search are worth after a round, NaN of those that diverged
// with some seed, and whether some trials have yet to end.
func (t *Tuning) means(k int, settings []int, stop int) (means []float64, missing bool) {
	for _, i := range settings {
		one := &t.Sets[k].Trials[i]
		*one = Trial{Values: one.Values, Results: map[uint64]float64{}}
		key := trial{k, i, stop}
		one.Rounds = t.trials.Cells[t.index[key]].Played()
		var values []float64
		for n, seed := range t.base.Tune.Seeds {
			x, done := t.worst(key, n)
			switch {
			case !done:
				missing = true
				one.Failed = one.Failed || t.stumbles(key, n)
			case math.IsNaN(x) || math.IsInf(x, 0):
				one.Lost = append(one.Lost, seed)
			default:
				one.Results[seed] = x
				values = append(values, x)
			}
		}
		mean := math.NaN()
		if len(values) == len(t.base.Tune.Seeds) {
			var sd float64
			mean, sd = infer.MeanSD(values)
			if one.Mean = &mean; len(values) > 1 {
				one.SD = &sd
			}
		}
		means = append(means, mean)
	}
	return means, missing
}

// at returns the index among the trials of the one of a setting with one of the seeds at a point.
func (t *Tuning) at(key trial, point, seed int) int {
	return t.index[key] + point*len(t.base.Tune.Seeds) + seed
}

// stumbles reports whether a trial of a setting with one of the seeds failed and did not diverge.
func (t *Tuning) stumbles(key trial, seed int) bool {
	for n := range t.searches[key.search].arms {
		if t.stumbled[t.trials.IDs[t.at(key, n, seed)]] {
			return true
		}
	}
	return false
}

// worst returns the worst that a setting with one of the seeds measured over its points: NaN where
// it diverged at one. Points at which all settings failed count for none.
func (t *Tuning) worst(key trial, seed int) (x float64, done bool) {
	for n := range t.searches[key.search].arms {
		if t.failed[place{key.search, n}] {
			continue
		}
		one, known := t.value(t.at(key, n, seed))
		if !known {
			return 0, false
		}
		if !done || math.IsNaN(one) || t.higher && one < x || !t.higher && one > x {
			x, done = one, true
		}
	}
	return x, done
}

// missed returns the points over which a search chooses one setting at which all trials failed.
func (t *Tuning) missed(k int) (points [][]study.Coordinate) {
	for n, arm := range t.searches[k].arms {
		if t.failed[place{k, n}] {
			points = append(points, t.base.Tune.Joined(t.base.Cells[arm].Point))
		}
	}
	return points
}

// fails reports whether all trials of a search failed, and did not diverge.
func (t *Tuning) fails(k int) bool { return len(t.missed(k)) == len(t.searches[k].arms) }

// leastLost returns the setting of a search whose trials until a round diverged least often, where
// all settings diverged at the point, or at some point of an axis with one setting: a method that
// an attack ruins at every rate has one, too. It reports whether all trials diverged.
func (t *Tuning) leastLost(k int, settings []int, stop int) (best int, all bool) {
	each := len(t.searches[k].arms) * len(t.base.Tune.Seeds)
	least := each + 1
	for _, i := range settings {
		lost := 0
		first := t.index[trial{k, i, stop}]
		for n := range each {
			if x, done := t.value(first + n); done && math.IsNaN(x) {
				lost++
			}
		}
		if lost < least {
			best, least = i, lost
		}
	}
	return best, least == each-len(t.missed(k))*len(t.base.Tune.Seeds)
}

// value returns what a trial measured: the mean over the window of the report, at its end. It is
// NaN of one that diverged.
func (t *Tuning) value(at int) (x float64, done bool) {
	id, run := t.trials.IDs[at], Trials(t.run)
	if x, done = t.values[id]; done {
		return x, true
	}
	result, err := run.Get(id, &t.trials.Cells[at])
	if err != nil && !errors.Is(err, store.ErrCorrupt) { // which is computed again
		t.Unreadable(err)
	}
	if result == nil {
		failure, err := run.LoadFailure(id)
		if err != nil || failure == nil {
			return 0, false
		}
		if !engine.Diverged(failure.Message) {
			t.stumbled[id] = true
			return 0, false
		}
		t.values[id] = math.NaN()
		return t.values[id], true
	}
	for _, s := range result.Series {
		if s.Key != t.base.Tune.By {
			continue
		}
		window := infer.Window(t.plan.Report.Final, result.Rounds)
		for _, round := range window {
			x += s.Values[slices.Index(result.Rounds, round)] / float64(len(window))
		}
		t.values[id], t.higher, t.unit = x, s.Higher, s.Unit
	}
	return x, true
}
