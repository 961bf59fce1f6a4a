package registry

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Completions are the kind of completion models. In a cell that names none all clients that are
// asked finish at once.
func Completions() KindOf[fl.Completion] {
	return KindOf[fl.Completion]{
		Kind: Kind{Name: "completion", Noun: "completion model",
			Meaning: "which of the clients that are asked finish, and when (environment)"},
		table:    func(r *Registry) *Table[fl.Completion] { return &r.Completions },
		declare:  func(p *fl.Params) { fl.NewRoundPolicy(p) },
		place:    func(s *engine.Setup, c fl.Completion) { s.Completion.Component = c },
		optional: true, common: firstRound, choosing: true}
}

// completion says when rounds end.
func (b *builder) completion(s *engine.Setup) {
	pick, named := b.resolved.Picks[Completions().Name]
	c := &s.Completion
	if !named || c.Component == nil {
		*c = engine.Completion{}
		return
	}
	c.Name = pick.Name
	c.Policy = fl.NewRoundPolicy(fl.NewParams(pick.Params, b.setting, nil))
	if _, immediate := c.Component.(fl.Immediate); immediate && c.Policy.Waits() {
		*c = engine.Completion{}
	}
}

// completes says how many steps clients make, and refuses a completion model where the size of
// what clients send is not known before they train.
func (b *builder) completes(s *engine.Setup) {
	c := &s.Completion
	if c.Component == nil {
		return
	}
	local := b.resolved.Picks["local"]
	rule := traits[fl.LocalTraits](&b.registry.LocalRules, local.Name)
	c.Steps = stepsOf(local.Params, rule)
	if s.Statistics != "" {
		b.report(Completions().Name, []fl.Problem{{Param: "name",
			Message: fmt.Sprintf("completion %s: times updates of models, and local %s sends %s",
				c.Name, b.cell.Picks["local"].Name, s.Statistics)}})
	}
	if c.Policy.Asynchronous() {
		b.overlaps(s)
	}
	if c.Policy.Cuts() {
		b.cuts(c, rule)
	}
}

// cuts refuses partial work where a local rule does not heed a limit of its steps, or a completion
// model does not say how long steps take.
func (b *builder) cuts(c *engine.Completion, rule fl.LocalTraits) {
	pick := b.resolved.Picks[Completions().Name]
	refuse := func(param, format string, args ...any) {
		b.report(Completions().Name, []fl.Problem{{Param: param,
			Message: fmt.Sprintf(format, args...)}})
	}
	param := "partial"
	if !c.Policy.Partial {
		param = "stragglers"
	}
	model := traits[fl.CompletionTraits](&b.registry.Completions, pick.Name)
	switch {
	case rule.Whole:
		refuse(param, "local %s makes all its steps or none", b.cell.Picks["local"].Name)
	case c.Policy.Partial && !model.SetsWork(pick.Params):
		refuse(param, "completion %s does not say how long local steps take, which partial work "+
			"shortens%s", pick.Name, hint(model.Works != nil))
	}
}

// hint says how a completion model can be told how long steps take, where a parameter says it.
func hint(parameter bool) string {
	if parameter {
		return ": set work"
	}
	return ""
}

// overlaps refuses for an asynchronous server what has no meaning where rounds overlap.
func (b *builder) overlaps(s *engine.Setup) {
	rule := b.cell.Picks["aggregator"].Name
	if traits[fl.AggregatorTraits](&b.registry.Aggregators, rule).Synchronous {
		b.report("aggregator", []fl.Problem{{Param: "name", Message: fmt.Sprintf("aggregator %s: "+
			"aggregates updates of one model, and an asynchronous server gets some of earlier ones",
			rule)}})
	}
	if s.Selects.Repeats {
		b.report("selection", []fl.Problem{{Param: "name", Message: fmt.Sprintf("selection %s: "+
			"may select a client several times in a round, and an asynchronous server asks it once",
			b.cell.Picks["selection"].Name)}})
	}
	if s.Model != nil && s.Model.Facts().Mixed() && b.cell.Rounds > 1 {
		b.report(Completions().Name, []fl.Problem{{Param: "name", Message: fmt.Sprintf(
			"completion %s: an asynchronous server keeps earlier models, and clients train models "+
				"with different layouts", s.Completion.Name)}})
	}
}

// stepsOf returns the number of local steps of a client with so many samples, by the parameters
// steps, or epochs and batch, which local rules have in common, and by the traits of a rule. It is
// 1 where a rule has none of them.
func stepsOf(params map[string]any, traits fl.LocalTraits) func(samples int) int {
	whole := func(name string) int {
		x, _ := params[name].(int64)
		return int(x)
	}
	steps, epochs, batch := whole("steps"), max(1, whole("epochs")), whole("batch")
	_, passes := params["batch"]
	return func(samples int) int {
		epoch := 1
		if passes && batch > 0 && batch < samples {
			epoch = (samples + batch - 1) / batch
		}
		usual := epochs * epoch
		switch {
		case steps > 0:
			usual = steps
		case !passes:
			usual = 1
		}
		if traits.Steps != nil {
			return traits.Steps(params, usual, epoch)
		}
		return usual
	}
}
