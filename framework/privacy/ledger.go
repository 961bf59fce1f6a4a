package privacy

import (
	"errors"
	"fmt"
	"math"
)

// An Adjacency says which populations must be hard to tell apart.
type Adjacency int

const (
	// AddOrRemoveOne: one has a client more. The sum of a round moves by one clipping radius.
	AddOrRemoveOne Adjacency = iota
	// ReplaceOne: one client is another. The sum of a round moves by two clipping radii.
	ReplaceOne
)

// radii returns how far sums lie apart, in clipping radii.
func (a Adjacency) radii() float64 {
	if a == ReplaceOne {
		return 2
	}
	return 1
}

// A Draw is the law by which the clients of a round took part: what really holds of it, not what
// would be convenient. Poisson, FixedSize and NotRandom make one.
type Draw struct {
	sampling  Sampling
	rate      float64
	drawn, of int
	why       string
	notRandom bool
}

// Poisson is the law of clients that take part independently of each other, each with the
// probability rate.
func Poisson(rate float64) Draw { return Draw{sampling: Independently, rate: rate} }

// FixedSize is the law of a cohort of drawn clients, uniform among all cohorts of that size of the
// of clients that could have been drawn.
func FixedSize(drawn, of int) Draw {
	return Draw{sampling: Replacing, drawn: drawn, of: of, rate: float64(drawn) / float64(of)}
}

// NotRandom is the law of a round of which nothing is known that amplifies: what decided on the
// cohort was not chance alone, or is chance that an observer sees. Every client that could take
// part is taken to take part. The reason is part of the claim: "availability is not random".
func NotRandom(why string) Draw { return Draw{why: why, notRandom: true} }

// A Round is what one round released.
type Round struct {
	// Noise is the standard deviation of the noise on the sum, in clipping radii. The number by
	// which the sum is divided afterwards must not depend on the cohort.
	Noise float64
	Draw  Draw
	// Could lists the clients that could have taken part; nil are all. Only rounds that are not
	// random need it: the others count against every client.
	Could []int
}

// A Claim says what amplification is claimed for some rounds, and why, or why not.
type Claim struct {
	Rounds    int
	Amplified bool
	Text      string
}

// A Ledger records the rounds of a run and accounts for the client that they expose most.
//
// Amplification by sampling assumes that the draw is hidden: that the cohort is no part of what is
// released. Noise and rates must not have been chosen from what was released before.
type Ledger struct {
	adjacency Adjacency
	sampled   []part
	common    float64   // Σ (Δ/σ)² of what counts against every client
	squared   []float64 // Σ (Δ/σ)² by client, of the rounds in which it could take part
	times     []int     // how many those are
	always    int       // rounds, not random, in which every client could take part
	claims    []Claim
	reasons   map[string]int // index of a claim, by its text
	nothing   bool           // no noise
}

// NewLedger returns an empty ledger of a population.
func NewLedger(adjacency Adjacency, clients int) (*Ledger, error) {
	if adjacency != AddOrRemoveOne && adjacency != ReplaceOne {
		return nil, fmt.Errorf("adjacency %d: there is no such one", adjacency)
	}
	if clients < 1 {
		return nil, fmt.Errorf("%d clients: there must be at least 1", clients)
	}
	return &Ledger{adjacency: adjacency, squared: make([]float64, clients),
		times: make([]int, clients), reasons: map[string]int{}}, nil
}

// Add records a round.
func (l *Ledger) Add(r Round) error {
	if err := checkNoise(r.Noise, 1); err != nil {
		return err
	}
	if err := r.Draw.check(); err != nil {
		return err
	}
	switch {
	case r.Draw.notRandom:
		return l.addNotRandom(r)
	case r.Draw.rate == 0:
		return nil // no client is ever drawn
	case r.Draw.rate == 1:
		l.claim("not amplified: every client takes part", false, 1)
		l.always++
		l.expose(r.Noise, 1)
		return nil
	case r.Draw.sampling == Replacing && l.adjacency == AddOrRemoveOne:
		return errors.New("a cohort of fixed size is amplified under replace-one adjacency: with " +
			"one client more or less, another takes its place in the cohort")
	}
	m := Mechanism{Sigma: r.Noise, Sampling: Independently, Rate: r.Draw.rate}
	if l.adjacency == ReplaceOne {
		m = Mechanism{Sigma: r.Noise / l.adjacency.radii(), Sampling: Replacing, Rate: r.Draw.rate}
	}
	l.nothing = l.nothing || r.Noise == 0
	l.claim(r.Draw.text(), true, 1)
	for k := range l.sampled {
		if l.sampled[k].mechanism == m {
			l.sampled[k].count++
			return nil
		}
	}
	l.sampled = append(l.sampled, part{m, 1})
	return nil
}

// addNotRandom counts a round against the clients that could take part.
func (l *Ledger) addNotRandom(r Round) error {
	if r.Could == nil {
		l.claim("not amplified: "+r.Draw.why, false, 1)
		l.always++
		l.expose(r.Noise, 1)
		return nil
	}
	for k, i := range r.Could {
		if i < 0 || i >= len(l.squared) {
			return fmt.Errorf("client %d could take part: there are %d clients", i, len(l.squared))
		}
		if k > 0 && i <= r.Could[k-1] {
			return fmt.Errorf("client %d follows %d: clients that could take part must ascend",
				i, r.Could[k-1])
		}
	}
	l.claim("not amplified: "+r.Draw.why, false, 1)
	if r.Noise == 0 && len(r.Could) > 0 {
		l.nothing = true
		return nil
	}
	mu := l.adjacency.radii() / r.Noise
	for _, i := range r.Could {
		l.squared[i] += mu * mu
		l.times[i]++
	}
	return nil
}

// AddTree records a run whose rounds released prefix sums with the noise of a Tree: every node has
// noise of so many clipping radii, and a client takes part in at most most rounds, at least
// separation apart.
func (l *Ledger) AddTree(noise float64, rounds, most, separation int) error {
	return l.AddTrees(noise, Restarts{}, rounds, most, separation)
}

// AddTrees is AddTree where one tree follows another.
func (l *Ledger) AddTrees(noise float64, r Restarts, rounds, most, separation int) error {
	if err := checkNoise(noise, 1); err != nil {
		return err
	}
	squares, _, err := r.Sensitivity(rounds, most, separation)
	if err != nil {
		return err
	}
	if squares == 0 {
		return nil
	}
	text := fmt.Sprintf("not amplified: the noise of %d prefix sums comes from a tree, and a "+
		"client takes part at most %d times, %d rounds apart", rounds, most, separation)
	l.claim(text, false, rounds)
	l.expose(noise, float64(squares))
	return nil
}

// expose counts a sum of squares against every client.
func (l *Ledger) expose(noise, squares float64) {
	if noise == 0 {
		l.nothing = true
		return
	}
	mu := l.adjacency.radii() / noise
	l.common += squares * mu * mu
}

// claim counts rounds under a text.
func (l *Ledger) claim(text string, amplified bool, rounds int) {
	k, ok := l.reasons[text]
	if !ok {
		k = len(l.claims)
		l.reasons[text] = k
		l.claims = append(l.claims, Claim{Text: text, Amplified: amplified})
	}
	l.claims[k].Rounds += rounds
}

// Claims returns what is claimed of the rounds, in the order in which each claim came first.
func (l *Ledger) Claims() []Claim { return append([]Claim(nil), l.claims...) }

// MostRounds returns the largest number of rounds, of those that are not random, in which one
// client could take part.
func (l *Ledger) MostRounds() int {
	most := 0
	for _, n := range l.times {
		most = max(most, n)
	}
	return l.always + most
}

// Account adds the rounds to an accountant: those that are amplified as they are, and all others as
// the one Gaussian mechanism that they are to the client that they expose most.
func (l *Ledger) Account(to Accountant) error {
	if l.nothing {
		return to.Add(Mechanism{Rate: 1}, 1)
	}
	worst := 0.0
	for _, s := range l.squared {
		worst = max(worst, s)
	}
	if worst += l.common; worst > 0 {
		if err := to.Add(Mechanism{Sigma: 1 / math.Sqrt(worst), Rate: 1}, 1); err != nil {
			return err
		}
	}
	for _, p := range l.sampled {
		if err := to.Add(p.mechanism, p.count); err != nil {
			return err
		}
	}
	return nil
}

// Spent is what a run costs at a δ.
type Spent struct {
	RDP Converted // an upper bound
	PLD Interval  // Low is 0 under replace-one adjacency with amplification: it is not known
}

// Spend returns the ε of the rounds so far at a δ, by both accountants.
func (l *Ledger) Spend(delta float64) (Spent, error) {
	rdp, err := NewRDP()
	if err != nil {
		return Spent{}, err
	}
	var pld PLD
	for _, to := range []Accountant{rdp, &pld} {
		if err := l.Account(to); err != nil {
			return Spent{}, err
		}
	}
	var out Spent
	if out.RDP, err = rdp.Epsilon(delta); err != nil {
		return Spent{}, err
	}
	out.PLD, err = pld.Compose().Epsilon(delta)
	return out, err
}

// check refuses what is no law.
func (d Draw) check() error {
	switch {
	case d.notRandom:
		if d.why == "" {
			return errors.New("a round that is not random needs a reason")
		}
	case d.sampling == Independently:
		if !(d.rate >= 0 && d.rate <= 1) {
			return fmt.Errorf("the rate is %v: it must lie between 0 and 1", d.rate)
		}
	case d.sampling == Replacing:
		if d.of < 1 || d.drawn < 0 || d.drawn > d.of {
			return fmt.Errorf("%d of %d clients: that is no cohort", d.drawn, d.of)
		}
	default:
		return errors.New("a round needs the law of its draw")
	}
	return nil
}

// text returns the claim of a law that amplifies.
func (d Draw) text() string {
	if d.sampling == Independently {
		return fmt.Sprintf("amplified: every client takes part independently, "+
			"with probability %.4g", d.rate)
	}
	return fmt.Sprintf("amplified: a cohort of %d is drawn uniformly from %d clients",
		d.drawn, d.of)
}
