package registry

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// release returns what a private aggregator releases, nil where the aggregator is none. A strategy
// may say what cannot be.
func (b *builder) release(of fl.AggregatorTraits) (r *fl.Release) {
	if of.Private == nil {
		return nil
	}
	pick, path := innermost(b.resolved.Picks["aggregator"])
	complain := func(format string, args ...any) {
		r = nil
		b.report("aggregator", []fl.Problem{{Param: path + "name", Message: fmt.Sprintf(
			"aggregator %s: what it says of its noise: "+format, append([]any{pick.Name},
				args...)...)}})
	}
	defer func() {
		if p := recover(); p != nil {
			complain("%v", p)
		}
	}()
	said := of.Private(fl.NewResolved(pick.Params))
	if !(said.Noise >= 0) || math.IsInf(said.Noise, 1) {
		complain("%v clipping radii; it must be a number of at least 0", said.Noise)
		return nil
	}
	return &said
}

// private refuses metrics that account for privacy where what is released of updates is not what
// the aggregator says of itself, and no more.
func (b *builder) private(s *engine.Setup) {
	if !slices.ContainsFunc(s.Measures, func(m engine.Measure) bool { return m.Accounts }) {
		return // what would be said is not asked
	}
	reason, hint := b.unaccounted(s)
	if reason == "" {
		return
	}
	for i, m := range s.Measures {
		if !m.Accounts {
			continue
		}
		b.report(fmt.Sprintf("%s[%d]", Metrics().Name, i), []fl.Problem{{Param: "name", Hint: hint,
			Message: fmt.Sprintf("metric %s: %s", b.cell.Measures[i].Name, reason)}})
	}
}

// unaccounted says why privacy cannot be accounted for, "" where it can.
func (b *builder) unaccounted(s *engine.Setup) (reason, hint string) {
	if s.Aggregator == nil || s.Selection == nil { // there is another problem already
		return "", ""
	}
	aggregator := b.cell.Picks["aggregator"].Name
	switch {
	case s.Release == nil:
		return fmt.Sprintf("aggregator %s adds no noise: its ε is infinite", aggregator),
			offers(&b.registry.Aggregators, "aggregator = %q", " adds noise",
				func(t fl.AggregatorTraits) bool { return t.Private != nil })
	case s.Selects.Adapts():
		return fmt.Sprintf("selection %s learns from clients without noise which ones to select",
			b.cell.Picks["selection"].Name), ""
	case s.Completion.Component != nil:
		return fmt.Sprintf("completion %s decides by time whose updates count, which no account "+
			"covers", b.cell.Picks[Completions().Name].Name), ""
	case s.Guard.Component != nil:
		return fmt.Sprintf("guard %s stands before the noise, and may carry what one client sends "+
			"into the updates of others", s.Guard.Name), ""
	case s.Adversary.Colludes():
		return fmt.Sprintf("adversary %s makes updates of those of other clients",
			s.Adversary.Name), ""
	}
	return "", ""
}

// perSample returns the noise on what a local rule sends, nil where it is no mechanism.
func (b *builder) perSample(of fl.LocalTraits) *float64 {
	if of.PerSample == nil {
		return nil
	}
	noise := of.PerSample(fl.NewResolved(b.resolved.Picks["local"].Params))
	return &noise
}

// privateSamples refuses metrics that account for privacy of samples where clients send what has no
// noise of its own.
func (b *builder) privateSamples(s *engine.Setup) {
	local := b.cell.Picks["local"].Name
	e, ok := b.registry.LocalRules.Get(local)
	if !ok || s.Aggregator == nil {
		return
	}
	s.PerSample = b.perSample(fl.TraitsOf[fl.LocalTraits](e))
	if !slices.ContainsFunc(s.Measures, func(m engine.Measure) bool { return m.AccountsSamples }) {
		return
	}
	reason, hint := "", ""
	switch {
	case s.PerSample == nil:
		reason = fmt.Sprintf("local %s sends what has no noise for single samples", local)
		hint = offers(&b.registry.LocalRules, "local = %q", " adds noise",
			func(t fl.LocalTraits) bool { return t.PerSample != nil })
	case s.Losses || s.Selects.Adapts():
		reason = "clients tell their losses or norms, without noise"
	case s.Adversary.Component != nil:
		reason = fmt.Sprintf("adversary %s changes what clients have or send", s.Adversary.Name)
	}
	if reason == "" {
		return
	}
	for i, m := range s.Measures {
		if m.AccountsSamples {
			message := fmt.Sprintf("metric %s: %s", b.cell.Measures[i].Name, reason)
			b.report(fmt.Sprintf("%s[%d]", Metrics().Name, i),
				[]fl.Problem{{Param: "name", Hint: hint, Message: message}})
		}
	}
}
