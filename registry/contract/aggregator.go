package contract

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func aggregators() exam[fl.Aggregator] {
	return exam[fl.Aggregator]{
		of: registry.Aggregators(),
		checks: []check[*subject[fl.Aggregator]]{
			{"statistics", "where the entry says that it takes something instead of models, a " +
				"local rule of the registry sends it", "", takesStatistics},
			{"length", "θᵗ has the length of θᵗ⁻¹ and only finite elements, whatever the cohort",
				"statistics", onScenes(lengthOfModel)},
			{readOnly, "Aggregate modifies nothing it can reach from the Round but State, " +
				"Broadcast and Notes", "length", onScenes(readsRound)},
			{"consensus", "when every client returns θᵗ⁻¹, so does the server; not asked where " +
				"clients send no models", "length", consensus},
			{"repeatable", "two fresh instances make the same bits of the same rounds",
				"length", onScenes(repeatsRounds)},
			{"state", "nothing lasts outside State and Broadcast: a fresh instance that takes " +
				"over after 1, 2 or 5 rounds makes the same bits of the rounds that follow",
				"repeatable", onScenes(lastsInState)},
			{"references", "it keeps no reference into the Round: what it made of a round stands " +
				"when the memory of the round serves the next",
				"repeatable", onScenes(keepsNoReference)},
			{"numbering", "which client has which number is irrelevant, to 1e-9: with numbers " +
				"from the other end the same models of 6 or 50 clients make the same θᵗ",
				"repeatable", onScenes(numbersClients)},
			{"weighs", "where the entry says that it only weighs, it combines models once a " +
				"round, and makes the same bits when it sees nothing of an update but client " +
				"and samples", "repeatable", weighs},
			{"unknown-law", "it knows only the law it is told: without one it works, or says in " +
				"New or in an error that it cannot", "length", withoutLaw},
			{"undisclosed", "it knows only what is disclosed of clients that are not enrolled: " +
				"with less it works, or says in New or in an error that it cannot",
				"length", undisclosed},
		},
	}
}

// fresh builds a new instance of an aggregator.
type fresh func() fl.Aggregator

// onScenes asks on every scene that the aggregator can be built for.
func onScenes(ask func(build fresh, g *stage) string) func(s *subject[fl.Aggregator]) string {
	return func(s *subject[fl.Aggregator]) string {
		for _, sc := range scenes(s.toy.roster) {
			if _, ok := s.buildFor(sc.roster.N); !ok {
				continue
			}
			build := func() fl.Aggregator {
				a, _ := s.buildFor(sc.roster.N)
				return a
			}
			where := fmt.Sprintf("%d of %d clients", sc.size, sc.roster.N)
			g := stageOf(s, sc)
			if broken := at(where, ask(build, g)); broken != "" {
				return broken
			}
		}
		return ""
	}
}

func lengthOfModel(build fresh, g *stage) string {
	a, want := build(), len(g.global)
	for range 5 {
		played, err := g.play(a, 1)
		switch {
		case err != nil:
			return "error: " + err.Error()
		case len(played[0].next) != want:
			return fmt.Sprintf("%d elements for %d", len(played[0].next), want)
		case !played[0].next.Finite():
			return "NaN or Inf in " + whichRound(g.t-1)
		}
	}
	return ""
}

func readsRound(build fresh, g *stage) string {
	a := build()
	for range 3 {
		r := g.round()
		before := digestOf(r)
		next, err := a.Aggregate(r)
		if err != nil {
			return "error: " + err.Error()
		}
		for k, part := range digestOf(r) {
			if part != before[k] {
				return fmt.Sprintf("%s changed in %s", roundParts()[k], whichRound(r.T))
			}
		}
		g.accept(r, next)
	}
	return ""
}

// roundParts names what an aggregator must not write to.
func roundParts() []string {
	return []string{"Global", "Updates", "Roster", "Law", "Layout", "Context", "Oracle"}
}

// digestOf identifies the parts of a round, in the order of roundParts.
func digestOf(r *fl.Round) []string {
	var parts []string
	for _, write := range []func(d digest){
		func(d digest) { d.floats(r.Global) },
		func(d digest) { d.updates(r.Updates) },
		func(d digest) { d.roster(r.Roster) },
		func(d digest) { d.law(r.Law) },
		func(d digest) { d.text(fmt.Sprint(r.Layout)) },
		func(d digest) { d.matrix(r.Context) },
		func(d digest) { d.oracle(r.Oracle) },
	} {
		d := newDigest()
		write(d)
		parts = append(parts, d.sum())
	}
	return parts
}

// consensus is asked of an aggregator that takes models.
func consensus(s *subject[fl.Aggregator]) string {
	if takenBy(s) != "" {
		return unasked
	}
	return onScenes(agrees)(s)
}

func agrees(build fresh, g *stage) string {
	a := build()
	for range 3 {
		r := g.round()
		for k := range r.Updates {
			copy(r.Updates[k].Params, r.Global)
		}
		next, err := a.Aggregate(r)
		if err != nil {
			return "error: " + err.Error()
		}
		if d := apart(next, g.global, 1e-9); d != "" {
			return at(whichRound(r.T), d)
		}
		g.accept(r, next)
	}
	return ""
}

func repeatsRounds(build fresh, g *stage) string {
	again := g.clone()
	first, err := g.play(build(), 3)
	if err != nil {
		return "error: " + err.Error()
	}
	second, err := again.play(build(), 3)
	if err != nil {
		return "error: " + err.Error()
	}
	return deviate(first, second, 0)
}

func lastsInState(build fresh, g *stage) string {
	const rounds = 8
	a := build()
	stages, all := []*stage{g.clone()}, []outcome(nil)
	for range rounds {
		played, err := g.play(a, 1)
		if err != nil {
			return "error: " + err.Error()
		}
		stages, all = append(stages, g.clone()), append(all, played...)
	}
	for _, after := range []int{1, 2, 5} {
		rest, err := stages[after].play(build(), rounds-after)
		if err != nil {
			return "error: " + err.Error()
		}
		if d := deviate(all[after:], rest, after); d != "" {
			return at("taken over after "+whichRound(after-1), d)
		}
	}
	return ""
}

func keepsNoReference(build fresh, g *stage) string {
	undisturbed, err := g.clone().play(build(), 4)
	if err != nil {
		return "error: " + err.Error()
	}
	a, all := build(), []outcome(nil)
	for range undisturbed {
		r := g.round()
		next, err := a.Aggregate(r)
		if err != nil {
			return "error: " + err.Error()
		}
		next = next.Clone() // the engine copies it, too
		spoil(r)
		g.accept(r, next)
		all = append(all, outcome{g.global, g.broadcast, g.notes.All()})
	}
	return deviate(undisturbed, all, 0)
}

// weighs hides the models from an aggregator whose entry says that it only weighs.
func weighs(s *subject[fl.Aggregator]) string {
	if !s.entry.Weighs {
		return unasked
	}
	return onScenes(weighsUnseen)(s)
}

func weighsUnseen(build fresh, g *stage) string {
	seen, err := g.clone().play(build(), 3)
	if err != nil {
		return "error: " + err.Error()
	}
	a, all := build(), []outcome(nil)
	for range seen {
		r, models, times := g.round(), [][]float64(nil), 0
		for k := range r.Updates {
			u := &r.Updates[k]
			models = append(models, u.Params)
			*u = fl.Update{Client: u.Client, Samples: u.Samples}
		}
		r.Fold = func(w, sum fl.Vector) {
			times++
			sum.AddWeighted(w, models)
		}
		next, err := a.Aggregate(r)
		switch {
		case err != nil:
			return "error: " + err.Error()
		case times != 1:
			return fmt.Sprintf("it combined models %d times in %s", times, whichRound(r.T))
		}
		g.accept(r, next)
		all = append(all, outcome{g.global, g.broadcast, g.notes.All()})
	}
	return deviate(seen, all, 0)
}

func withoutLaw(s *subject[fl.Aggregator]) string {
	in := s.toy.setting
	in.Law = false
	a, problems := s.attempt(s.given, in)
	if len(problems) > 0 {
		return ""
	}
	for _, sc := range scenes(s.toy.roster)[:4] {
		sc.law = nil
		if found := soundOrError(s, a, sc); found != "" {
			return found
		}
	}
	return ""
}

// undisclosed hides the covariates of those that are not enrolled.
func undisclosed(s *subject[fl.Aggregator]) string {
	for _, d := range []fl.Disclosure{fl.DiscloseAggregate, fl.DiscloseNone} {
		in := s.toy.setting
		in.Disclosure = d
		a, problems := s.attempt(s.given, in)
		if len(problems) > 0 {
			continue
		}
		sc := partly(s.toy.roster)
		for i, enrolled := range sc.roster.Enrolled {
			if !enrolled {
				sc.roster.Covariates.Row(i).Fill(math.NaN())
			}
		}
		if d == fl.DiscloseNone {
			sc.roster.Moments = nil
		}
		if found := soundOrError(s, a, sc); found != "" {
			return at(fmt.Sprintf("disclosure = %q", d), found)
		}
	}
	return ""
}

// soundOrError says that an aggregator makes NaN or Inf of a few rounds without an error.
func soundOrError(s *subject[fl.Aggregator], a fl.Aggregator, sc scene) string {
	g := stageOf(s, sc)
	for range 3 {
		played, err := g.play(a, 1)
		if err != nil {
			break
		}
		if !played[0].next.Finite() {
			return fmt.Sprintf("%d of %d clients: NaN or Inf, %s", sc.size, clients,
				whichRound(g.t-1))
		}
	}
	return ""
}
