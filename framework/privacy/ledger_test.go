package privacy

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func mustLedger(t testing.TB, a Adjacency, clients int) *Ledger {
	t.Helper()
	l, err := NewLedger(a, clients)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustRecord(t testing.TB, l *Ledger, rounds ...Round) {
	t.Helper()
	for _, r := range rounds {
		if err := l.Add(r); err != nil {
			t.Fatal(err)
		}
	}
}

// The same cohorts cost more when they are not random: amplification is claimed for the law, not
// for the rounds. Without it the worst client counts, and with a common one the closed form.
func TestLedgerClaimsTheLaw(t *testing.T) {
	random, not, some := mustLedger(t, AddOrRemoveOne, 100), mustLedger(t, AddOrRemoveOne, 100),
		mustLedger(t, AddOrRemoveOne, 100)
	for round := range 200 {
		mustRecord(t, random, Round{Noise: 2, Draw: Poisson(0.1)})
		mustRecord(t, not, Round{Noise: 2, Draw: NotRandom("availability is not random")})
		mustRecord(t, some, Round{Noise: 2, Draw: NotRandom("availability is not random"),
			Could: []int{round % 7, 50 + round%40}})
	}
	spent := map[string]Spent{}
	for name, l := range map[string]*Ledger{"random": random, "not": not, "some": some} {
		s, err := l.Spend(1e-5)
		if err != nil {
			t.Fatal(err)
		}
		spent[name] = s
		if s.PLD.High > s.RDP.Epsilon {
			t.Errorf("%s: PLD %v, RDP %v", name, s.PLD, s.RDP)
		}
	}
	if !(spent["random"].PLD.High < spent["not"].PLD.Low/3) {
		t.Errorf("random %v, not random %v", spent["random"].PLD, spent["not"].PLD)
	}
	// Client 0 could take part in ⌈200/7⌉ = 29 rounds.
	if not.MostRounds() != 200 || some.MostRounds() != 29 || random.MostRounds() != 0 {
		t.Errorf("most rounds %d, %d, %d", not.MostRounds(), some.MostRounds(), random.MostRounds())
	}
	for name, count := range map[string]int{"not": 200, "some": 29} {
		var exact Gaussian
		if err := exact.Add(2, count); err != nil {
			t.Fatal(err)
		}
		if e, got := exact.Epsilon(1e-5), spent[name].PLD; !(got.Low <= e && e <= got.High) {
			t.Errorf("%s: %v, want %v", name, got, e)
		}
	}
	for _, c := range []struct {
		l         *Ledger
		amplified bool
		text      string
	}{
		{random, true, "amplified: every client takes part independently, with probability 0.1"},
		{not, false, "not amplified: availability is not random"},
	} {
		want := Claim{Rounds: 200, Amplified: c.amplified, Text: c.text}
		if got := c.l.Claims(); len(got) != 1 || got[0] != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// Under replace-one adjacency sums lie two clipping radii apart, for every law.
func TestLedgerAdjacency(t *testing.T) {
	one, two := mustLedger(t, AddOrRemoveOne, 9), mustLedger(t, ReplaceOne, 9)
	mustRecord(t, one, Round{Noise: 3, Draw: NotRandom("trace")})
	mustRecord(t, two, Round{Noise: 6, Draw: NotRandom("trace")})
	a, err := one.Spend(1e-4)
	if err != nil {
		t.Fatal(err)
	}
	b, err := two.Spend(1e-4)
	if err != nil || a != b {
		t.Errorf("%v, with twice the noise %v (%v)", a, b, err)
	}
	fixed := mustLedger(t, ReplaceOne, 1000)
	law := Mechanism{Sigma: 1.25, Sampling: Replacing, Rate: 0.01}
	for range 50 {
		mustRecord(t, fixed, Round{Noise: 2.5, Draw: FixedSize(10, 1000)})
	}
	got, err := fixed.Spend(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if want := epsilonRDP(t, nil, 1e-5, law, 50); math.Abs(got.RDP.Epsilon-want.Epsilon) > 1e-12 {
		t.Errorf("%v, want %v", got.RDP, want)
	}
	if want := epsilonPLD(t, 1e-5, 50, law); got.PLD != want {
		t.Errorf("%v, want %v", got.PLD, want)
	}
	// Independent draws have the same bound under this adjacency.
	poisson := mustLedger(t, ReplaceOne, 1000)
	for range 50 {
		mustRecord(t, poisson, Round{Noise: 2.5, Draw: Poisson(0.01)})
	}
	if same, err := poisson.Spend(1e-5); err != nil || same != got {
		t.Errorf("%v, want %v (%v)", same, got, err)
	}
	err = one.Add(Round{Noise: 3, Draw: FixedSize(1, 9)})
	if err == nil || !strings.Contains(err.Error(), "replace-one") {
		t.Errorf("a fixed size under add-or-remove-one adjacency: %v", err)
	}
	// All of them need no chance, and no amplification.
	mustRecord(t, one, Round{Noise: 3, Draw: FixedSize(9, 9)}, Round{Noise: 3, Draw: Poisson(1)},
		Round{Noise: 3, Draw: Poisson(0)})
	all := Claim{2, false, "not amplified: every client takes part"}
	if c := one.Claims(); len(c) != 2 || c[1] != all {
		t.Errorf("%+v", c)
	}
	if one.MostRounds() != 3 {
		t.Errorf("%d rounds", one.MostRounds())
	}
}

// Rounds of all kinds together: the sum of what each adds to the worst client.
func TestLedgerMixes(t *testing.T) {
	l := mustLedger(t, AddOrRemoveOne, 20)
	mustRecord(t, l,
		Round{Noise: 4, Draw: Poisson(0.2)},
		Round{Noise: 4, Draw: Poisson(0.2)},
		Round{Noise: 5, Draw: Poisson(0.2)},
		Round{Noise: 8, Draw: NotRandom("a trace"), Could: []int{1, 2, 3}},
		Round{Noise: 7, Draw: NotRandom("a trace"), Could: []int{3, 4}},
		Round{Noise: 9, Draw: NotRandom("a trace"), Could: []int{}},
		Round{Noise: 10, Draw: NotRandom("the server decides")},
	)
	if err := l.AddTree(30, 16, 2, 8); err != nil {
		t.Fatal(err)
	}
	var p PLD
	mustAdd(t, &p, sampled(4, 0.2), 2)
	mustAdd(t, &p, sampled(5, 0.2), 1)
	squares := squaresOf(t, 16, 2, 8)
	worst := 1./64 + 1./49 + 1./100 + float64(squares)/900
	mustAdd(t, &p, everyone(1/math.Sqrt(worst)), 1)
	want, err := p.Compose().Epsilon(1e-4)
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Spend(1e-4)
	if err != nil || math.Abs(got.PLD.High-want.High) > 1e-6 || math.Abs(got.PLD.Low-want.Low) > 1e-6 {
		t.Errorf("%v, want %v (%v)", got.PLD, want, err)
	}
	rounds := 0
	for _, c := range l.Claims() {
		rounds += c.Rounds
	}
	if rounds != 7+16 || len(l.Claims()) != 4 || l.MostRounds() != 3 {
		t.Errorf("%d rounds in %+v, at most %d", rounds, l.Claims(), l.MostRounds())
	}
}

func TestLedgerRefusals(t *testing.T) {
	if _, err := NewLedger(7, 1); err == nil {
		t.Error("an adjacency was accepted")
	}
	if _, err := NewLedger(ReplaceOne, 0); err == nil {
		t.Error("no clients were accepted")
	}
	l := mustLedger(t, ReplaceOne, 5)
	for want, r := range map[string]Round{
		"needs the law": {Noise: 1},
		"reason":        {Noise: 1, Draw: NotRandom("")},
		"rate":          {Noise: 1, Draw: Poisson(2)},
		"cohort":        {Noise: 1, Draw: FixedSize(6, 5)},
		"no cohort":     {Noise: 1, Draw: FixedSize(0, 0)},
		"noise":         {Noise: -1, Draw: Poisson(0.5)},
		"5 clients":     {Noise: 1, Draw: NotRandom("x"), Could: []int{5}},
		"ascend":        {Noise: 1, Draw: NotRandom("x"), Could: []int{2, 2}},
	} {
		if err := l.Add(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if l.AddTree(-1, 1, 1, 1) == nil || l.AddTree(1, 1, 1, 0) == nil {
		t.Error("a tree was accepted")
	}
	if got, err := l.Spend(1e-5); err != nil || got.PLD != (Interval{}) || got.RDP.Epsilon != 0 {
		t.Errorf("what was refused costs %v (%v)", got, err)
	}
	mustRecord(t, l, Round{Noise: 0, Draw: NotRandom("x"), Could: []int{2}})
	if got, err := l.Spend(1e-5); err != nil || !math.IsInf(got.PLD.Low, 1) {
		t.Errorf("a round without noise costs %v (%v)", got, err)
	}
}

func ExampleLedger() {
	// 100 rounds of FedAvg: the devices that are charging take part, which is no chance.
	l, err := NewLedger(AddOrRemoveOne, 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	for round := range 100 {
		charging := []int{round % 10, 500 + round}
		err := l.Add(Round{Noise: 4, Draw: NotRandom("availability is not random"), Could: charging})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	spent, err := l.Spend(1e-5)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range l.Claims() {
		fmt.Printf("%d rounds %s; a client could take part in %d at most\n",
			c.Rounds, c.Text, l.MostRounds())
	}
	fmt.Printf("ε between %.4f and %.4f at δ = 1e-5\n", spent.PLD.Low, spent.PLD.High)
	// Output:
	// 100 rounds not amplified: availability is not random; a client could take part in 10 at most
	// ε between 3.3414 and 3.3414 at δ = 1e-5
}
