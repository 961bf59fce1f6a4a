package contract

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// A scene is a population and the law of its cohorts, under which p can be realised.
type scene struct {
	roster *fl.Roster
	law    *fl.Law
	size   int // K, of every cohort
}

// scenes returns cohorts of 1, 2, 3 and all of six clients and of 50 out of 60. The six
// have a law that is listed, or that everyone comes; subsets of 60 are too many to list.
func scenes(six *fl.Roster) []scene {
	var list []scene
	for k := 1; k <= 3; k++ {
		sets := stats.Subsets(clients, k)
		law := &fl.Law{Sets: sets, Q: equal(len(sets), 1/float64(len(sets))), Exact: true}
		if k == 1 {
			law.Q = six.Importance
		}
		law.Inclusion = stats.Inclusion(sets, law.Q, clients)
		list = append(list, scene{six, law, k})
	}
	everyone := &fl.Law{Everyone: true, Sets: [][]int{upTo(clients)}, Q: fl.Vector{1},
		Inclusion: equal(clients, 1), Exact: true}
	const n, k = 60, 50
	crowd := &fl.Roster{N: n, Importance: make(fl.Vector, n), Samples: make([]int, n)}
	for i := range n {
		crowd.Importance[i] = float64(n+i) / (n*n + n*(n-1)/2)
		crowd.Samples[i] = 10 + i
	}
	many := &fl.Law{Chance: equal(n, 0.5), Size: k, Inclusion: equal(n, float64(k)/n), Exact: true}
	addCovariates(crowd, fl.NewStream(0, "crowd").Rand())
	return append(list, scene{six, everyone, clients}, partly(six), scene{crowd, many, k})
}

// partly returns cohorts of two out of four clients that are enrolled, of six; the others have
// no importance, so that p can be realised.
func partly(six *fl.Roster) scene {
	sc := scene{roster: cloneRoster(six), size: 2}
	sc.roster.Enrolled = []bool{true, true, false, true, true, false}
	for i, in := range sc.roster.Enrolled {
		if !in {
			sc.roster.Importance[i] = 0
		}
	}
	sc.roster.Importance.Scale(1 / sc.roster.Importance.Sum())
	ids := []int{0, 1, 3, 4}
	sc.law = &fl.Law{Exact: true}
	for _, pair := range stats.Subsets(len(ids), sc.size) {
		sc.law.Sets = append(sc.law.Sets, []int{ids[pair[0]], ids[pair[1]]})
	}
	sc.law.Q = equal(len(sc.law.Sets), 1/float64(len(sc.law.Sets)))
	sc.law.Inclusion = stats.Inclusion(sc.law.Sets, sc.law.Q, clients)
	return sc
}

// equal returns n times x.
func equal(n int, x float64) fl.Vector { return slices.Repeat(fl.Vector{x}, n) }

// A stage is where a server stands between two rounds of a scene.
type stage struct {
	scene
	model  fl.Model
	oracle bool
	held   *fl.Dataset
	public *fl.Dataset
	stream fl.Stream
	t      int
	global fl.Vector
	state  *fl.Store
	shared *fl.Store
	notes  *fl.Notes
	losses bool    // clients send losses
	sender *sender // of what clients send instead of models or beside them; nil: they send models
}

func newStage(sc scene, t *fixture, stream fl.Stream) *stage {
	model := t.model
	return &stage{
		scene: sc, model: model, oracle: t.setting.Oracle, held: held(t), stream: stream,
		state: fl.NewStore(), shared: fl.NewStore(), notes: new(fl.Notes),
		public: t.population.Public,
		global: normals(stream.At(0, 0).Rand(), model.Layout().Len(), 1),
	}
}

// round returns the round that is next. Two calls return equal rounds that share nothing.
func (g *stage) round() *fl.Round {
	rng := g.stream.At(g.t, 1).Rand()
	r := &fl.Round{
		T: g.t, Global: g.global.Clone(), Roster: cloneRoster(g.roster), Law: cloneLaw(g.law),
		Layout: g.model.Layout(), Model: g.model, State: g.state.Clone(), Notes: g.notes.Clone(),
		Shared: g.shared.Clone(), RNG: g.stream.At(g.t, 2).Rand(), Context: g.context(),
		Expected: equal(g.size, float64(g.size)/float64(g.roster.Enrolment())),
	}
	r.Validation, r.Public = g.held, g.public
	if g.oracle {
		r.Oracle = &fl.Oracle{Enrollment: equal(g.roster.N, 0.9)}
		r.Oracle.Inclusion = equal(g.roster.N, float64(g.size)/float64(g.roster.Enrolment()))
	}
	var ids []int
	for i := range g.roster.N {
		if g.roster.Reaches(i) {
			ids = append(ids, i)
		}
	}
	for _, k := range stats.DrawUniform(nil, len(ids), g.size, rng) {
		i := ids[k]
		u := fl.Update{Client: i, Samples: g.roster.Samples[i]}
		if g.sender != nil {
			u.Payload = g.sender.payload(i, rng)
		}
		if g.sender == nil || g.sender.models {
			u.Steps, u.Params = 3, g.global.Clone()
			u.Params.AddScaled(1, normals(rng, len(u.Params), 1))
		}
		r.Updates = append(r.Updates, u)
	}
	if g.losses {
		r.Losses = normals(g.stream.At(g.t, 4).Rand(), g.size, 1)
		r.Losses.Exp()
	}
	return r
}

// held returns the samples that the server has in a toy's setting.
func held(t *fixture) *fl.Dataset {
	if t.setting.Held {
		return t.population.Test
	}
	return nil
}

// context returns Z of the round: a number of each client that is enrolled.
func (g *stage) context() fl.Matrix {
	rng := g.stream.At(g.t, 3).Rand()
	z := fl.Matrix{Rows: g.roster.N, Cols: 1, Data: normals(rng, g.roster.N, 1)}
	for i := range z.Rows {
		if !g.roster.Reaches(i) {
			z.Data[i] = math.NaN()
		}
	}
	return z
}

// accept moves on to the next round, and returns what the server made of this one.
func (g *stage) accept(r *fl.Round, out fl.Outcome) outcome {
	g.t++
	g.global = out.Params.Clone()
	g.state, g.notes = r.State.(*fl.Store).Clone(), r.Notes.Clone()
	g.shared = r.Shared.(*fl.Store).Clone()
	mail := map[int]fl.Tensors{}
	for i, t := range out.Mail {
		mail[i] = cloneTensors(t)
	}
	return outcome{g.global, cloneTensors(out.Broadcast), mail, g.notes.All()}
}

// clone returns a stage of its own at the same place.
func (g *stage) clone() *stage {
	c := *g
	return &c // accept replaces what a stage holds, and nothing else writes to it
}

// An outcome is what a server made of one round.
type outcome struct {
	next      fl.Vector
	broadcast fl.Tensors
	mail      map[int]fl.Tensors
	notes     []string
}

// play lets an aggregator play rounds and returns what it made of each.
func (g *stage) play(a fl.Aggregator, rounds int) ([]outcome, error) {
	var all []outcome
	for range rounds {
		r := g.round()
		out, err := a.Aggregate(r)
		if err != nil {
			return all, fmt.Errorf("%s: %w", whichRound(g.t), err)
		}
		all = append(all, g.accept(r, out))
	}
	return all, nil
}

// deviate says where two plays differ in a bit; the first of a is round from+1.
func deviate(a, b []outcome, from int) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d rounds against %d", len(a), len(b))
	}
	for k := range a {
		where := whichRound(from + k)
		if d := apart(a[k].next, b[k].next, 0); d != "" {
			return at(where, d)
		}
		x, y := newDigest(), newDigest()
		x.tensors(a[k].broadcast)
		y.tensors(b[k].broadcast)
		if x.sum() != y.sum() {
			return at(where, "broadcasts differ")
		}
		x.mail(a[k].mail)
		y.mail(b[k].mail)
		if x.sum() != y.sum() {
			return at(where, "mail differs")
		}
		if !slices.Equal(a[k].notes, b[k].notes) {
			return at(where, fmt.Sprintf("notes %q against %q", a[k].notes, b[k].notes))
		}
	}
	return ""
}

func cloneTensors(t fl.Tensors) fl.Tensors {
	c := fl.Tensors{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		m := t[name]
		m.Data = slices.Clone(m.Data)
		c[name] = m
	}
	return c
}

func cloneLaw(l *fl.Law) *fl.Law {
	if l == nil {
		return nil
	}
	c := *l
	c.Sets = nil
	for _, set := range l.Sets {
		c.Sets = append(c.Sets, slices.Clone(set))
	}
	c.Q, c.Chance, c.Inclusion = l.Q.Clone(), l.Chance.Clone(), l.Inclusion.Clone()
	return &c
}

// spoil overwrites all that a round lent, as the next round does.
func spoil(r *fl.Round) {
	nan := func(v fl.Vector) {
		for k := range v {
			v[k] = math.NaN()
		}
	}
	nan(r.Global)
	for _, u := range r.Updates {
		nan(u.Params)
		for _, m := range u.Payload {
			nan(m.Data)
		}
	}
	nan(r.Losses)
	r.Recycle()
	for range 8 {
		nan(r.Scratch(len(r.Global)))
	}
}
