package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func aggregators() exam[fl.Aggregator] {
	return exam[fl.Aggregator]{
		of: registry.Aggregators(),
		checks: []check[*subject[fl.Aggregator]]{
			{"statistics", "where the entry says that it takes something instead of models, a " +
				"local rule of the registry sends it; where it is half of a method, one is the " +
				"other half", "", takesStatistics},
			{"length", "θᵗ has the length of θᵗ⁻¹ and only finite elements, whatever the cohort",
				"statistics", onScenes(lengthOfModel)},
			{readOnly, "Aggregate modifies nothing it can reach from the Round but State, " +
				"Shared and Notes",
				"length", onScenes(readsRound)},
			{"consensus", "when every client returns θᵗ⁻¹, so does the server; not asked where " +
				"clients send no models", "length", consensus},
			{"repeatable", "two fresh instances make the same bits of the same rounds",
				"length", onScenes(repeatsRounds)},
			{"state", "nothing lasts outside State and Shared: a fresh instance that takes over " +
				"after 1, 2 or 5 rounds makes the same bits of the rounds that follow",
				"repeatable", onScenes(lastsInState)},
			{"references", "it keeps no reference into the Round: what it made of a round stands " +
				"when the memory of the round serves the next",
				"repeatable", onScenes(keepsNoReference)},
			{"numbering", "which client has which number is irrelevant, to 1e-9: with numbers " +
				"from the other end the same models of 6 or 50 clients make the same θᵗ",
				"repeatable", onScenes(numbersClients)},
			{"weighs", "a weighted sum makes the same bits when its weights are asked for before " +
				"there are models, and it sees nothing of an update but client and samples",
				"repeatable", weighs},
			{"repeats", "Times of 1 make the bits of no Times; where the entry says that it " +
				"counts repeated clients, a client that is counted twice makes others",
				"repeatable", countsRepeated},
			{"stale", "of an asynchronous server Staleness of 0 makes the bits of no Staleness, " +
				"and two fresh instances make the same bits of stale updates",
				"repeatable", countsStale},
			{"unknown-law", "it knows only the cohort distribution it is told: without one it " +
				"works, or says in New or in an error that it cannot", "length", withoutLaw},
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
		out, err := a.Aggregate(r)
		if err != nil {
			return "error: " + err.Error()
		}
		for k, part := range digestOf(r) {
			if part != before[k] {
				return fmt.Sprintf("%s changed in %s", roundParts()[k], whichRound(r.T))
			}
		}
		g.accept(r, out)
	}
	return ""
}

// roundParts names what an aggregator must not write to.
func roundParts() []string {
	return []string{"Global", "Updates", "Roster", "Law", "Layout", "Context", "Oracle",
		"Times", "Expected", "Public", "Losses"}
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
		func(d digest) { d.ints(r.Times...) },
		func(d digest) { d.floats(r.Expected) },
		func(d digest) { d.dataset(r.Public) },
		func(d digest) { d.floats(r.Losses) },
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
		out, err := a.Aggregate(r)
		if err != nil {
			return "error: " + err.Error()
		}
		if d := apart(out.Params, g.global, 1e-9); d != "" {
			return at(whichRound(r.T), d)
		}
		g.accept(r, out)
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
		out, err := a.Aggregate(r)
		if err != nil {
			return "error: " + err.Error()
		}
		all = append(all, g.accept(r, out)) // which copies it, as the engine does
		spoil(r)
	}
	return deviate(undisturbed, all, 0)
}

// weighs shows the parts of a weighted sum all of the updates, and then clients and samples alone.
func weighs(s *subject[fl.Aggregator]) string {
	if _, sums := s.build().(*fl.WeightedSum); !sums {
		return unasked
	}
	return onScenes(weighsUnseen)(s)
}

func weighsUnseen(build fresh, g *stage) string {
	seen, err := g.clone().weigh(build().(*fl.WeightedSum), 3, false)
	if err != nil {
		return "error: " + err.Error()
	}
	unseen, err := g.weigh(build().(*fl.WeightedSum), 3, true)
	if err != nil {
		return "error: " + err.Error()
	}
	return deviate(seen, unseen, 0)
}

// weigh is play for a weighted sum as the engine has it: models are added up once there are
// weights. They can be hidden from its parts.
func (g *stage) weigh(a *fl.WeightedSum, rounds int, hide bool) (all []outcome, err error) {
	for range rounds {
		r := g.round()
		models := slices.Clone(r.Models())
		for k, u := range r.Updates {
			if hide {
				r.Updates[k] = fl.Update{Client: u.Client, Samples: u.Samples}
			}
		}
		w, err := a.Weights(r)
		if err != nil {
			return all, err
		}
		sum := r.Scratch(len(r.Global))
		sum.AddWeighted(w.By, models)
		out, err := a.Finish(r, w, sum)
		if err != nil {
			return all, err
		}
		all = append(all, g.accept(r, out))
	}
	return all, nil
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
