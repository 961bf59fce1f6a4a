package contract

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func completions() exam[fl.Completion] {
	type s = *subject[fl.Completion]
	return exam[fl.Completion]{
		of: registry.Completions(),
		checks: []check[s]{
			{"seconds", "Finish sets After of every client that is asked, one or all, to a " +
				"finite number that is not below 0, or fails for want of a file that it names", "",
				finishesInTime},
			{"inspects", "where files are missing Inspect says so as Finish does, and where it " +
				"reads them Inspect finds nothing wrong", "", finishInspects},
			{readOnly, "neither Finish nor Chances modifies what it can reach but After, " +
				"Work and State", "seconds", readsFinishing},
			{"repeatable", "two fresh instances need the same seconds, to the bit", "seconds",
				repeatsFinish},
			{"state", "nothing lasts outside State: a fresh instance that takes over in any " +
				"round needs the same seconds", "repeatable", finishLastsInState},
			{"work", "Work lies between 0 and After, above 0 where the entry says that " +
				"it is set; otherwise it is 0", "seconds", setsWork},
			{"chances", "where it states probabilities, they lie in [0, 1], do not fall with the " +
				"seconds, and 10,000 rounds agree with them (p ≥ 1e-4), for all steps and, " +
				"where Work is set, for one", "state", statesChances},
		},
	}
}

// finishRounds is how many rounds are looked at.
const finishRounds = 20

// finishing plays the rounds of one completion model, as the engine does.
type finishing struct {
	input  fl.Finishing
	stream fl.Stream
}

func newFinishing(s *subject[fl.Completion], stream fl.Stream) *finishing {
	n := &finishing{stream: stream}
	fixed := s.stream("completion fixed")
	n.input = fl.Finishing{Roster: cloneRoster(s.toy.roster), State: fl.NewStore(),
		Folders: s.options.Folders,
		Fixed:   func(i int) *rand.Rand { return fixed.At(0, i).Rand() }}
	n.input.Draw = func(i int) *rand.Rand { return n.stream.At(n.input.T, i).Rand() }
	return n
}

// ask readies clients to be asked.
func (n *finishing) ask(clients []int) *fl.Finishing {
	f := &n.input
	f.Recycle()
	f.Asked, f.Steps, f.Down, f.Up = slices.Clone(clients), nil, nil, nil
	f.After = make(fl.Vector, len(clients))
	f.After.Fill(math.NaN())
	f.Work = make(fl.Vector, len(clients))
	for _, i := range clients {
		f.Steps = append(f.Steps, 2+i)
		f.Down, f.Up = append(f.Down, int64(1e6*(i+1))), append(f.Up, int64(2e6*(i+1)))
	}
	return f
}

// play returns the seconds of clients in round t.
func (n *finishing) play(c fl.Completion, t int, clients []int) (fl.Vector, error) {
	f := n.ask(clients)
	f.T = t
	err := c.Finish(f)
	return f.After, err
}

// askedIn returns which clients are asked in round t: all, one, or some.
func askedIn(t int) []int {
	switch t % 3 {
	case 0:
		return upTo(clients)
	case 1:
		return []int{t % clients}
	}
	return []int{0, 2, 5}
}

func finishesInTime(s *subject[fl.Completion]) string {
	c, n := s.build(), newFinishing(s, s.stream("completion"))
	for t := range finishRounds {
		asked := askedIn(t)
		after, err := n.play(c, t, asked)
		if missing(err) {
			return unasked // and so is all else
		}
		if err != nil {
			return at(whichRound(t), "error: "+err.Error())
		}
		if len(after) != len(asked) {
			return at(whichRound(t), fmt.Sprintf("%d numbers for %d clients", len(after),
				len(asked)))
		}
		for k, x := range after {
			if !(x >= 0) || math.IsInf(x, 0) {
				return at(whichRound(t), fmt.Sprintf("client %d needs %v seconds", asked[k], x))
			}
		}
	}
	return ""
}

func finishInspects(s *subject[fl.Completion]) string {
	try := func(folders []string) error {
		n := newFinishing(s, s.stream("completion"))
		n.input.Folders = folders
		_, err := n.play(s.build(), 0, upTo(clients))
		return err
	}
	return inspection(s, s.build(), missing(try(nil)), try(s.options.Folders) == nil)
}

// works reports whether the entry says that Finish sets Work.
func works(s *subject[fl.Completion]) bool {
	p := s.registry.Params(s.given, s.toy.setting)
	if _, err := s.entry.New(p); err != nil {
		return false
	}
	return fl.TraitsOf[fl.CompletionTraits](s.entry).SetsWork(p.Resolved())
}

func setsWork(s *subject[fl.Completion]) string {
	c, n, said := s.build(), newFinishing(s, s.stream("completion")), works(s)
	for t := range finishRounds {
		after, err := n.play(c, t, askedIn(t))
		if err != nil {
			return at(whichRound(t), "error: "+err.Error())
		}
		for k, x := range n.input.Work {
			if !(x >= 0 && x <= after[k]) || (x > 0) != said && after[k] > 0 {
				return at(whichRound(t), fmt.Sprintf("Work is %v of %v seconds; its traits "+
					"say %t", x, after[k], said))
			}
		}
	}
	return ""
}

func readsFinishing(s *subject[fl.Completion]) string {
	c, n := s.build(), newFinishing(s, s.stream("completion"))
	look := func() string {
		d, f := newDigest(), &n.input
		d.roster(f.Roster)
		d.ints(f.Asked...)
		d.ints(f.Steps...)
		d.text(fmt.Sprint(f.Down, f.Up))
		return d.sum()
	}
	for t := range finishRounds {
		f := n.ask(askedIn(t))
		f.T = t
		before := look()
		if err := c.Finish(f); err != nil {
			return at(whichRound(t), "error: "+err.Error())
		}
		if look() != before {
			return at(whichRound(t), "Finish changed its input")
		}
	}
	n.ask(upTo(clients)) // as chances does
	before := look()
	n.chances(c, 1)
	if look() != before {
		return "Chances changed its input"
	}
	return ""
}

func repeatsFinish(s *subject[fl.Completion]) string {
	a, b := s.build(), s.build()
	x, y := newFinishing(s, s.stream("completion")), newFinishing(s, s.stream("completion"))
	for t := range finishRounds {
		first, err := x.play(a, t, askedIn(t))
		second, other := y.play(b, t, askedIn(t))
		if err != nil || other != nil {
			return at(whichRound(t), fmt.Sprint("errors: ", err, other))
		}
		if differs := apart(first, second, 0); differs != "" {
			return at(whichRound(t), "two instances differ: "+differs)
		}
	}
	return ""
}

func finishLastsInState(s *subject[fl.Completion]) string {
	lasting, n := s.build(), newFinishing(s, s.stream("completion"))
	for t := range finishRounds {
		other := newFinishing(s, n.stream)
		other.input.State = n.input.State.(*fl.Store).Clone()
		first, err := n.play(lasting, t, askedIn(t))
		second, also := other.play(s.build(), t, askedIn(t))
		if err != nil || also != nil {
			return at(whichRound(t), fmt.Sprint("errors: ", err, also))
		}
		if differs := apart(first, second, 0); differs != "" {
			return at(whichRound(t), "an instance that takes over differs: "+differs)
		}
		if d := unlikeStates(n.input.State.(*fl.Store), other.input.State.(*fl.Store)); d != "" {
			return at(whichRound(t), d)
		}
	}
	return ""
}

// chances returns the probabilities of all clients, nil where there are none.
func (n *finishing) chances(c fl.Completion, seconds float64) fl.Vector {
	f := n.ask(upTo(clients))
	draw, state := f.Draw, f.State
	f.Draw, f.State, f.T = nil, nil, 0
	p, known := c.Chances(f, seconds)
	f.Draw, f.State = draw, state
	if !known {
		return nil
	}
	return p.Clone()
}

func statesChances(s *subject[fl.Completion]) string {
	found := agreesWithRounds(s, false)
	if found == "" && works(s) {
		found = at("one step", agreesWithRounds(s, true))
	}
	return found
}

// agreesWithRounds looks at probabilities, of all steps or of one alone, at seconds that rounds
// show to be low, middling and high.
func agreesWithRounds(s *subject[fl.Completion], partial bool) string {
	c, n := s.build(), newFinishing(s, s.stream("completion"))
	n.input.Partial = partial
	if n.chances(c, 1) == nil {
		return ""
	}
	seen := make([]fl.Vector, clients)
	var all fl.Vector
	for t := range draws {
		after, err := n.play(c, t, upTo(clients))
		if err != nil {
			return at(whichRound(t), "error: "+err.Error())
		}
		for i := range after {
			if work := n.input.Work[i]; partial {
				after[i] += work/float64(n.input.Steps[i]) - work
			}
			seen[i] = append(seen[i], after[i])
		}
		all = append(all, after...)
	}
	slices.Sort(all)
	before := make(fl.Vector, clients)
	for _, share := range []float64{0.1, 0.5, 0.9} {
		// A little more than a number that was seen, which rounding must not decide about.
		seconds := math.Nextafter(all[int(share*float64(len(all)))]*(1+1e-9), math.Inf(1))
		p := n.chances(c, seconds)
		if len(p) != clients {
			return fmt.Sprintf("%d probabilities of %d clients", len(p), clients)
		}
		for i, x := range p {
			if !(x >= 0 && x <= 1) {
				return fmt.Sprintf("client %d finishes with probability %v", i, x)
			}
			if x < before[i]-slack {
				return fmt.Sprintf("client %d finishes in %v seconds with probability %v, and in "+
					"fewer with %v", i, seconds, x, before[i])
			}
			if broken := unlikely(seen[i], seconds, x); broken != "" {
				return fmt.Sprintf("client %d %s", i, broken)
			}
		}
		before = p
	}
	return ""
}

// unlikely says where the numbers that are at most seconds are not as many as a probability makes
// them. A p-value of 1e-4, two-sided, is shared by clients and three thresholds.
func unlikely(seen fl.Vector, seconds, p float64) string {
	count := 0.0
	for _, x := range seen {
		if x <= seconds {
			count++
		}
	}
	n := float64(len(seen))
	z := math.Abs(count-n*p) / math.Sqrt(n*p*(1-p)+1e-9)
	if distuv.UnitNormal.Survival(z) < doubt/clients/6 && math.Abs(count-n*p) > 5 {
		return fmt.Sprintf("finishes in %v seconds in %v of %v rounds, its probability is %v",
			seconds, count, n, p)
	}
	return ""
}
