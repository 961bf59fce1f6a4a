package registry

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Adversaries are the kind of adversaries. In a cell that names none all clients are honest.
func Adversaries() KindOf[fl.Adversary] {
	return KindOf[fl.Adversary]{
		Kind: Kind{Name: "adversary",
			Meaning: "which clients are faulty, and what they send instead (environment)"},
		table:    func(r *Registry) *Table[fl.Adversary] { return &r.Adversaries },
		says:     attacks,
		declare:  func(p *fl.Params) { fl.NewFaulty(p) },
		place:    func(s *engine.Setup, c fl.Adversary) { s.Adversary.Component = c },
		optional: true, common: firstRound}
}

// attacks says what an adversary knows, by its defaults, and what it changes.
func attacks(e fl.Entry[fl.Adversary], c fl.Adversary) []string {
	switch c.(type) {
	case fl.NoAdversary:
		return nil
	case *fl.PoisonedData:
		return []string{"Changes the data of faulty clients, which follow the method then."}
	}
	p := fl.NewParams(nil, fl.Setting{}, nil)
	if _, err := e.New(p); err != nil {
		return nil
	}
	switch fl.TraitsOf[fl.AdversaryTraits](e).KnowledgeOf(p.Resolved()) {
	case fl.KnowsCohort:
		return []string{"Knows the cohort's updates: models are kept until all clients have " +
			"trained."}
	case fl.KnowsRule:
		return []string{"Knows the cohort's updates and the rule: models are kept until all " +
			"clients have trained."}
	}
	return []string{"Knows what each faulty client knows by itself: its own update."}
}

// adversary says which clients an adversary has and what it knows, and refuses one that corrupts
// models where there are none, or none of one form.
func (b *builder) adversary(s *engine.Setup) {
	pick, named := b.resolved.Picks[Adversaries().Name]
	a := &s.Adversary
	if _, none := a.Component.(fl.NoAdversary); none || !named || a.Component == nil {
		*a = engine.Adversary{}
		return
	}
	e, _ := b.registry.Adversaries.Get(pick.Name)
	a.Name, a.Knows = pick.Name, fl.TraitsOf[fl.AdversaryTraits](e).KnowledgeOf(pick.Params)
	b.setting.Adversary = pick.Name
	for _, name := range slices.Sorted(maps.Keys(pick.Params)) {
		switch x := pick.Params[name].(type) {
		case int64:
			b.setting.Attacks = append(b.setting.Attacks, fl.Number{Name: name, Value: float64(x)})
		case float64:
			b.setting.Attacks = append(b.setting.Attacks, fl.Number{Name: name, Value: x})
		}
	}
	a.Faulty = fl.NewFaulty(fl.NewParams(b.cell.Picks[Adversaries().Name].Params, b.setting, nil))
	if _, data := a.Component.(*fl.PoisonedData); data {
		return
	}
	complain := func(format string, args ...any) {
		b.report(Adversaries().Name, []fl.Problem{{Param: "name",
			Message: fmt.Sprintf("adversary %s: corrupts models, and ", pick.Name) +
				fmt.Sprintf(format, args...)}})
	}
	if s.Statistics != "" {
		complain("local %s sends %s", b.cell.Picks["local"].Name, s.Statistics)
	}
	if s.Model != nil && s.Model.Facts().Mixed() {
		complain("clients train models with different layouts")
	}
}
