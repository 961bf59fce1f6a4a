package store

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// check wants a result to be one that a cell can have: whatever is made of results relies on all
// that is asked for here. A checksum says that a file is what was written; this says that it could
// have been written. Without a cell it asks for what holds for the results of all cells.
func check(r *engine.Result, c *study.Cell) error {
	if r.Parameters < 0 {
		return fmt.Errorf("it has %d parameters", r.Parameters)
	}
	if err := checkRounds(r.Rounds); err != nil {
		return err
	}
	if err := checkSeries(r.Series, len(r.Rounds)); err != nil {
		return err
	}
	if err := checkFacts(r); err != nil || c == nil {
		return err
	}
	switch last := r.Rounds[len(r.Rounds)-1]; {
	case r.Seed != c.Seed:
		return fmt.Errorf("its seed is %d, not %d", r.Seed, c.Seed)
	case last != c.Played():
		return fmt.Errorf("it ends after round %d of %d", last, c.Played())
	case !slices.Equal(r.Rounds, measured(c)):
		return fmt.Errorf("its metrics were not taken every %d rounds", c.Every)
	}
	return checkKeys(r.Series, c.Measures, "series")
}

// measured lists after which rounds the metrics of a cell are taken.
func measured(c *study.Cell) (rounds []int) {
	for t := 0; t < c.Played(); t += max(1, c.Every) {
		rounds = append(rounds, t)
	}
	return append(rounds, c.Played())
}

// checkRounds wants rounds to ascend from 0 on.
func checkRounds(rounds []int) error {
	if len(rounds) == 0 {
		return errors.New("it has no rounds")
	}
	for i, t := range rounds {
		if i == 0 && t != 0 || i > 0 && t <= rounds[i-1] {
			return fmt.Errorf("its rounds do not ascend from 0: number %d of them is %d", i+1, t)
		}
	}
	return nil
}

// checkSeries wants series to have names that differ, and a value for each round.
func checkSeries(list []engine.Series, rounds int) error {
	seen := map[string]bool{}
	for _, s := range list {
		switch {
		case s.Key == "":
			return errors.New("it has a series without a name")
		case seen[s.Key]:
			return fmt.Errorf("it has two series %.80q", s.Key)
		case len(s.Values) != rounds:
			return fmt.Errorf("series %.80q has %d values for %d rounds", s.Key, len(s.Values),
				rounds)
		}
		seen[s.Key] = true
	}
	return nil
}

// checkKeys wants series to be some of those that measures give, in their order.
func checkKeys(list []engine.Series, measures []study.Measure, what string) error {
	next := 0
	for _, s := range list {
		for next < len(measures) && measures[next].Key != s.Key {
			next++
		}
		if next == len(measures) {
			return fmt.Errorf("its %s %.80q is none that was to be taken, or in another order",
				what, s.Key)
		}
		next++
	}
	return nil
}

// checkFacts wants what is said of a run beside its series to be possible.
func checkFacts(r *engine.Result) error {
	last := r.Rounds[len(r.Rounds)-1]
	switch l, d := r.Law, r.Data; {
	case l.Cohorts < 0 || l.Draws < 0 || !(l.Mean >= 0) || math.IsInf(l.Mean, 0):
		return errors.New("its cohort distribution is none")
	case l.Skipped < 0 || l.Skipped > last:
		return fmt.Errorf("it left out %d of %d rounds", l.Skipped, last)
	case d.Samples < 0 || d.LeftOut < 0 || d.SizeCV < 0 || d.EffectiveClasses < 0 || d.MeanTV < 0:
		return errors.New("its data are none")
	}
	for _, o := range r.Observed {
		if o.Name == "" || o.Rounds < 0 || o.Least > o.Most {
			return fmt.Errorf("what it observed of %.80q is impossible", o.Name)
		}
	}
	return nil
}

// sound wants an attempt to be one that a cell can have.
func (r Run) sound(id string, a *Attempt) error {
	wrong := func(why error) error {
		return fmt.Errorf("the attempt of training run %.12s in %s %w: %w",
			id, r.Dir, ErrDamaged, why)
	}
	for _, x := range []float64{a.Seconds, a.Before} {
		if x < 0 {
			return wrong(fmt.Errorf("it took %v seconds", x))
		}
	}
	if c := a.Cost; c != nil && (c.Uploaded < 0 || c.UploadedBits < 0 || c.Downloaded < 0 ||
		c.DownloadedBits < 0 || c.Hours < 0 || c.Clients < 0 || c.Server < 0 ||
		c.Preprocess < 0) {
		return wrong(errors.New("its cost is none"))
	}
	if a.Resumed < 0 || a.Workers < 0 {
		return wrong(errors.New("it counts below 0"))
	}
	return nil
}

// Fits wants an attempt to be that of a result of a cell: what is measured is in one of the two,
// with a value for each round.
func (a *Attempt) Fits(r *engine.Result, c *study.Cell) error {
	wrong := func(why error) error {
		return fmt.Errorf("the attempt of training run %.12s %w: %w", r.ID, ErrDamaged, why)
	}
	if err := checkSeries(a.Volatile, len(r.Rounds)); err != nil {
		return wrong(err)
	}
	if err := checkKeys(a.Volatile, c.Measures, "series"); err != nil {
		return wrong(err)
	}
	has := map[string]bool{}
	for _, s := range slices.Concat(r.Series, a.Volatile) {
		if has[s.Key] {
			return wrong(fmt.Errorf("%.80q is in the result, too", s.Key))
		}
		has[s.Key] = true
	}
	for _, m := range c.Measures {
		if !has[m.Key] {
			return wrong(fmt.Errorf("neither it nor the result has %.80q", m.Key))
		}
	}
	return nil
}
