package builtin

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/privacy"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// spending is a cell whose only metric is ε, after so many rounds.
func spending(clients, rounds int, availability, selection, aggregator study.Pick, params ...any,
) study.Cell {
	c := stepping(rounds, oneStep(0.01), aggregator, selection)
	c.Clients = clients
	c.Picks["availability"] = availability
	c.Measures = []study.Measure{{Pick: pick("epsilon", params...), Key: "epsilon"}}
	return c
}

// bound returns what an accountant gives for a record of rounds.
func bound(t *testing.T, adjacency privacy.Adjacency, pld bool, rounds ...privacy.Round) float64 {
	t.Helper()
	l, err := privacy.NewLedger(adjacency, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rounds {
		if err := l.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	s, err := l.Spend(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if pld {
		return s.PLD.High
	}
	return s.RDP.Epsilon
}

// times repeats a round.
func times(n int, noise float64, d privacy.Draw) (all []privacy.Round) {
	for range n {
		all = append(all, privacy.Round{Noise: noise, Draw: d})
	}
	return all
}

// Amplification is claimed of uniform cohorts of one size and of clients that participate
// independently, at the largest of their rates, whether cohorts are listed or too many; of
// availability in turns, with memory, or with a selection besides, each client that was available
// counts in full. ε is that of the ledger, to the bit.
//
//hansa:verifies theorem metrics/epsilon
func TestEpsilonClaimsWhatTheLawSupports(t *testing.T) {
	all, k2 := pick("all"), pick("uniform-k", "k", int64(2))
	always, coins := pick("always"), pick("bernoulli", "rate", 0.25)
	const replace, add = privacy.ReplaceOne, privacy.AddOrRemoveOne
	for name, c := range map[string]struct {
		clients                 int
		availability, selection study.Pick
		adjacency               privacy.Adjacency
		want                    []privacy.Round
		claim                   string
	}{
		"listed cohorts": {8, always, k2, replace, times(6, 2, privacy.FixedSize(2, 8)),
			"amplified: a cohort of 2 is drawn uniformly from 8"},
		"many cohorts": {400, always, pick("uniform-k", "k", int64(40)), replace,
			times(6, 2, privacy.FixedSize(40, 400)), "a cohort of 40"},
		"cohorts by availability": {8, pick("k-subset", "k", int64(2)), all, replace,
			times(6, 2, privacy.FixedSize(2, 8)), "a cohort of 2"},
		"listed coins": {8, coins, all, add, times(6, 2, privacy.Poisson(0.25)),
			"every client takes part independently"},
		"many coins": {40, coins, all, add, times(6, 2, privacy.Poisson(0.25)), "independently"},
		"replaced coins": {40, coins, all, replace, times(6, 2, privacy.Poisson(0.25)),
			"independently"},
		"unequal coins": {8, pick("bernoulli", "rate", 0.25, "prior", "linear"), all, add,
			times(6, 2, privacy.Poisson(0.25*8*8/36.0)), "independently"},
		"everyone": {8, always, all, add, times(6, 2, privacy.FixedSize(8, 8)), "every client"},
		"turns": {8, pick("cyclic", "blocks", int64(3)), all, replace,
			times(2, 2, privacy.NotRandom("x")), "not amplified: availability does not draw"},
		"turns and cohorts": {8, pick("cyclic", "blocks", int64(3)), k2, replace,
			times(2, 2, privacy.NotRandom("x")), "not amplified: availability and selection both"},
		"separation": {8, pick("minimum-separation", "k", int64(4), "separation", int64(1)), all,
			replace, times(3, 2, privacy.NotRandom("x")), "not amplified"},
	} {
		for _, accountant := range []string{"pld", "rdp"} {
			params := []any{"accountant", accountant}
			if c.adjacency == add {
				params = append(params, "adjacency", "add-or-remove-one")
			}
			p, _, got := ends(t, spending(c.clients, 6, c.availability, c.selection,
				pick("dp-fedavg", "noise", 2.0), params...))
			want := bound(t, c.adjacency, accountant == "pld", c.want...)
			if math.Abs(got[0]/want-1) > 1e-12 {
				t.Errorf("%s: ε = %v by %s, want %v", name, got[0], accountant, want)
			}
			notes := strings.Join(p.Notes.List(), "\n")
			if !strings.Contains(notes, c.claim) || strings.Count(notes, "ε: ") != 1 {
				t.Errorf("%s: claims %q", name, notes)
			}
		}
	}
}

// Of the prefix sums of a tree ε is that of its sensitivity, for clients that are available in
// turns: here six times in eighteen rounds, three rounds apart.
//
//hansa:verifies theorem metrics/epsilon
func TestEpsilonOfATree(t *testing.T) {
	l, err := privacy.NewLedger(privacy.ReplaceOne, 1)
	if err == nil {
		err = l.AddTree(3, 18, 6, 3)
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := l.Spend(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	_, _, got := ends(t, spending(6, 18, pick("cyclic", "blocks", int64(3)), pick("all"),
		pick("dp-ftrl", "noise", 3.0)))
	// What a server makes of the noisy model alone costs nothing more.
	_, _, outer := ends(t, spending(6, 18, pick("cyclic", "blocks", int64(3)), pick("all"),
		pick("fedavgm", "inner", map[string]any{"name": "dp-ftrl", "noise": 3.0})))
	if math.Abs(got[0]/want.PLD.High-1) > 1e-12 || outer[0] != got[0] {
		t.Errorf("ε = %v, within fedavgm %v, want %v", got[0], outer[0], want.PLD.High)
	}
}

// Of trees that restart ε is that of all of them: here three trees of seven, seven and four rounds,
// of which the first two are completed.
//
//hansa:verifies theorem metrics/epsilon
func TestEpsilonOfTreesThatRestart(t *testing.T) {
	l, err := privacy.NewLedger(privacy.ReplaceOne, 1)
	if err == nil {
		err = l.AddTrees(3, privacy.Restarts{Every: 7, Completes: true}, 18, 6, 3)
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := l.Spend(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	_, _, got := ends(t, spending(6, 18, pick("cyclic", "blocks", int64(3)), pick("all"),
		pick("dp-ftrl", "noise", 3.0, "restart", int64(7), "completion", true)))
	if math.Abs(got[0]/want.PLD.High-1) > 1e-12 {
		t.Errorf("ε = %v, want %v", got[0], want.PLD.High)
	}
}

// A cell that counts when clients are available has the same bits with any number of workers, and
// stopped after any round; rounds without clients are played, and their noise is added.
func TestSpendingIsExact(t *testing.T) {
	for _, aggregator := range []study.Pick{pick("dp-fedavg", "adaptive", true),
		pick("dp-ftrl", "momentum", 0.5),
		pick("dp-ftrl", "restart", int64(3), "completion", true),
		pick("dp-ftrl", "restart", int64(5))} {
		c := spending(6, 12, pick("markov", "rate", 0.2), pick("all"), aggregator,
			"accountant", "rdp")
		c.Every = 1
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, v := range contract.Cell(&s, engine.Options{}) {
			t.Error(v)
		}
	}
	c := spending(6, 30, pick("bernoulli", "rate", 0.02), pick("all"), pick("dp-fedavg"))
	s, _, _ := menu(t).Compose(c)
	cell, err := engine.Start(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	empty := 0
	for range s.Rounds {
		before := cell.Checkpoint()
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
		after := cell.Checkpoint()
		if before.Came != after.Came {
			continue
		}
		if empty++; before.Global.Distance(after.Global) == 0 {
			t.Errorf("round %d: the model shows that no client participated", after.Round)
		}
	}
	if empty == 0 || cell.Result().Law.Skipped != 0 {
		t.Errorf("%d empty rounds, %d skipped", empty, cell.Result().Law.Skipped)
	}
}

// ε is refused, with its place, where something is released without noise; and where one client
// more would keep another from participating, unless clients are replaced.
func TestEpsilonIsRefused(t *testing.T) {
	private, always, k2 := pick("dp-fedavg"), pick("always"), pick("uniform-k", "k", int64(2))
	for says, change := range map[string]func(c *study.Cell){
		"aggregator fedavg adds no noise": func(c *study.Cell) { c.Picks["aggregator"] = pick("fedavg") },
		"selection power-of-choice learns": func(c *study.Cell) {
			c.Picks["selection"], c.Law = pick("power-of-choice", "k", int64(2)), false
			c.Picks["aggregator"] = pick("dp-fedavg", "denominator", 2.0)
		},
		"guard nnm stands before the noise": func(c *study.Cell) { c.Picks["guard"] = pick("nnm") },
		"completion durations decides by time": func(c *study.Cell) {
			c.Picks["completion"] = pick("durations", "seconds",
				[]any{1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0})
		},
		"adversary alie makes updates": func(c *study.Cell) { c.Picks["adversary"] = pick("alie") },
	} {
		c := spending(8, 3, always, k2, private)
		change(&c)
		_, _, problems := menu(t).Compose(c)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, says) {
			t.Errorf("%v, want %q", problems, says)
		}
	}
	s, _, problems := menu(t).Compose(spending(8, 3, always, k2, private, "adjacency",
		"add-or-remove-one"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if _, err := engine.Start(&s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "replace-one") {
		t.Errorf("%v", err)
	}
	_, _, without := ends(t, spending(8, 3, always, k2, pick("dp-fedavg", "noise", 0.0)))
	if !math.IsInf(without[0], 1) {
		t.Errorf("without noise ε = %v", without[0])
	}
}

// An audit says of every method with noise what its participation law amplifies, and of no other.
func TestAuditSaysWhatIsAmplified(t *testing.T) {
	always, turns, k2 := pick("always"), pick("cyclic", "blocks", int64(3)), pick("uniform-k", "k",
		int64(2))
	for _, c := range []struct {
		cell  study.Cell
		claim string
	}{
		{spending(8, 3, always, k2, pick("dp-fedavg")), "differential privacy: noise of 1 clipping " +
			"radii on the sum of a round; amplified by sampling: cohorts of 2 are drawn uniformly " +
			"from 8 clients"},
		{spending(8, 3, turns, k2, pick("dp-fedavg", "noise", 0.5)), "differential privacy: noise " +
			"of 0.5 clipping radii on the sum of a round; not amplified by sampling: availability " +
			"and selection both decide on the cohort, and no bound is known of what they make together"},
		{spending(8, 3, always, pick("all"), pick("dp-ftrl")), "differential privacy: noise of 1 " +
			"clipping radii on a node of a tree; not amplified by sampling: sums are over all " +
			"rounds so far"},
		{spending(8, 3, always, k2, pick("dp-fedavg", "noise", 0.0)), "differential privacy: none, " +
			"since there is no noise"},
		{spending(8, 3, always, k2, pick("dp-skellam")), "differential privacy: noise of 1 clipping " +
			"radii on the sum of a round, in shares of the clients; amplified by sampling: cohorts " +
			"of 2 are drawn uniformly from 8 clients"},
		{spending(8, 3, always, pick("all"), pick("fedavg")), ""},
	} {
		c.cell.Measures = nil
		s, resolved, problems := menu(t).Compose(c.cell)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		f, err := audit.Audit(resolved, &s, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.DeleteFunc(f.Notes, func(note string) bool {
			return !strings.HasPrefix(note, "differential privacy")
		})
		if strings.Join(said, "|") != c.claim {
			t.Errorf("the audit says %q, want %q", said, c.claim)
		}
	}
}
