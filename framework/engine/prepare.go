package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A World is what a cell finds before its first round.
type World struct {
	Population            *fl.Population
	Roster                *fl.Roster  // as the server knows it
	Environment           *fl.Roster  // as it is
	EnrollmentProbability fl.Vector   // eᵢ, by client: that it enrols; NaN where that is not known
	Pooled                *fl.Dataset // the mixture Σ pᵢ Dᵢ as moments; may be nil
	Facts                 DataFacts
	Folders               []string  // where files are looked for
	initial               fl.Vector // parameters of a file; nil: the model draws them
	memo                  *Memo     // nil: nothing is shared

	Prepared   *fl.Notes // what the source of the data and preprocessors remarked
	Uploaded   int64     // floats that clients sent for them
	Downloaded int64     // floats that clients were sent for them
	Seconds    float64   // that preprocessors took
	summarised string    // the clients that did, where data are moved and not all are enrolled
}

// Open returns a world in which all that is known of clients is their number and how much each
// counts: enough for the cohort distribution.
func Open(pop *fl.Roster) *World { return &World{Roster: pop, Environment: pop} }

// Prepare loads the data, partitions it, asks how much each client counts and which are enrolled,
// and transforms the data by the chain of preprocessors.
func Prepare(s *Setup, o Options) (w *World, err error) {
	defer guard(&err)
	early := s.Model.Facts().Moments && len(s.Preprocess) == 0
	key := memoKey{what: populations, setting: s.DealtKey, moments: early, packed: s.packs()}
	pop, err := remember(o.Memo, key, func() (*fl.Population, error) {
		return populate(s, &o)
	})
	if err != nil {
		return nil, err
	}
	w = &World{Population: pop, Environment: &fl.Roster{N: pop.N(), Samples: make([]int, pop.N())},
		Folders: o.Folders, memo: o.Memo}
	for i := range w.Environment.Samples {
		w.Environment.Samples[i] = pop.Start[i+1] - pop.Start[i]
	}
	w.Facts = facts(pop)
	w.Environment.Covariates = covariates(pop)
	w.Environment.Importance = s.Importance.Weights(w.Environment)
	p, n := w.Environment.Importance, w.Environment.N
	if err := fl.CheckDistribution("weights", p, n, 1e-9); err != nil {
		return nil, &SettingError{"importance", err}
	}
	if err := enroll(s, w); err != nil {
		return nil, err
	}
	if err := preprocess(s, o, w); err != nil {
		return nil, err
	}
	if s.Initial != nil {
		if w.initial, err = s.Initial(o.Folders); err != nil {
			return nil, fmt.Errorf("initial: %w", err)
		}
	}
	s.Public.send(w)
	w.Roster = disclosed(w.Environment, s.Disclosure)
	w.Pooled, err = pooled(s, o, w)
	return w, err
}

// first returns the initial parameters: those of a file, or those that the model draws.
func (w *World) first(s *Setup) fl.Vector {
	if w.initial != nil {
		return w.initial.Clone()
	}
	return s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
}

// A SettingError says that a cell has no population, because of a part of its setting that methods
// share: the data set could not be read, or partitioned, or clients have no weights. Every cell
// with the same part, and the same ones before it, fails so; where the part is drawn at random,
// with the same seed of the data.
type SettingError struct {
	Slot string // of the part: dataset, partition, importance
	Err  error
}

// Error implements error.
func (e *SettingError) Error() string { return e.Slot + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *SettingError) Unwrap() error { return e.Err }

// populate returns the data of all clients, ordered by client.
func populate(s *Setup, o *Options) (pop *fl.Population, err error) {
	defer guard(&err)
	notes, alphabet := new(fl.Notes), []rune(nil)
	train, test, err := s.Source.Load(&fl.LoadInput{
		RNG: fl.NewStream(s.DataSeed, "data").Rand(), Clients: s.Clients, Folders: o.Folders,
		Notes: notes, Packed: s.packs(), Decoded: o.Decoded, Alphabet: &alphabet,
	})
	if err != nil {
		return nil, &SettingError{"dataset", err}
	}
	if !s.packs() {
		train.Unpack()
		test.Unpack()
	}
	train, held := hold(train, s.Held, fl.NewStream(s.DataSeed, "validation").Rand())
	held.Unpack() // which aggregators read
	rows, err := s.Partition.Split(train, s.Clients, fl.NewStream(s.DataSeed, "partition").Rand())
	if err != nil {
		return nil, &SettingError{"partition", err}
	}
	pop = &fl.Population{Test: test, Held: held, Alphabet: alphabet}
	if pop.Public, err = s.Public.load(train, test, &fl.LoadInput{
		RNG: fl.NewStream(s.DataSeed, "public").Rand(), Clients: s.Clients, Folders: o.Folders,
		Notes: notes, Decoded: o.Decoded,
	}); err != nil {
		return nil, &SettingError{"public", err}
	}
	pop.Remarks = notes.List()
	if pop.LeftOut, err = leftOut(rows, train.Len(), s); err != nil {
		return nil, &SettingError{"partition", err}
	}
	pop.Train, pop.Start = arrange(train, rows)
	if own := assigned(train, test, rows); own != nil {
		pop.Test, pop.TestStart = arrange(test, own)
	}
	if err := ownTests(pop, s, train, rows); err != nil {
		return nil, &SettingError{"partition", err}
	}
	if s.Model.Facts().Moments && len(s.Preprocess) == 0 {
		pop.Moments = moments(pop)
	}
	return pop, nil
}

// hold takes a share of the samples, of every class where each has one, for the server.
func hold(d *fl.Dataset, share float64, rng *rand.Rand) (rest, held *fl.Dataset) {
	if share == 0 {
		return d, nil
	}
	quota := []int{int(math.Round(share * float64(d.Len())))}
	classified := d.Y != nil && d.Shape.PerRow() == 1
	if classified {
		quota = make([]int, d.Shape.Classes)
		for c, part := range labels(d.Y, d.Shape.Classes) {
			quota[c] = int(math.Round(share * part * float64(d.Len())))
		}
	}
	var mine, theirs []int
	for _, r := range rng.Perm(d.Len()) {
		class := 0
		if classified {
			class = d.Y[r]
		}
		if quota[class] > 0 {
			quota[class]--
			mine = append(mine, r)
		} else {
			theirs = append(theirs, r)
		}
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	return d.Pick(theirs), d.Pick(mine)
}

// moments returns the moments of every client's regression data, or nil: they are kept
// where they take no more memory than the data themselves, which is also where a
// gradient by moments is the cheaper one.
func moments(pop *fl.Population) []fl.Moments {
	d := pop.Train
	if d.Target == nil || d.Len() < pop.N()*d.X.Cols {
		return nil
	}
	ms := make([]fl.Moments, pop.N())
	for i := range ms {
		c := pop.Client(i)
		ms[i] = *fl.NewMoments(&c.Data, nil)
	}
	return ms
}

// pooled returns the data set of which client i's samples are a share pᵢ, as moments:
// the objective at one point then costs O(d²) instead of a pass over all data.
func pooled(s *Setup, o Options, w *World) (*fl.Dataset, error) {
	d := w.Population.Train
	if !s.Model.Facts().Moments || d.Target == nil || d.X.Cols > 1024 || d.Len() < d.X.Cols {
		return nil, nil
	}
	return remember(o.Memo, w.key(pools, s.GoalKey), func() (*fl.Dataset, error) {
		return &fl.Dataset{Shape: d.Shape, Moments: w.Population.Mix(w.Roster.Importance)}, nil
	})
}

// facts measures how different the clients' data are.
func facts(pop *fl.Population) DataFacts {
	d, n := pop.Train, pop.N()
	f := DataFacts{Samples: d.Len(), LeftOut: pop.LeftOut}
	mean, square := float64(d.Len())/float64(n), 0.0
	for i := range n {
		dev := float64(pop.Start[i+1]-pop.Start[i]) - mean
		square += dev * dev
	}
	f.SizeCV = math.Sqrt(square/float64(n)) / mean
	if d.Shape.Classes == 0 {
		return f
	}
	all, each := labels(d.Y, d.Shape.Classes), d.Shape.PerRow()
	for i := range n {
		own := labels(d.Y[pop.Start[i]*each:pop.Start[i+1]*each], d.Shape.Classes)
		entropy, tv := 0.0, 0.0
		for c, share := range own {
			if share > 0 {
				entropy -= share * math.Log(share)
			}
			tv += math.Abs(share-all[c]) / 2
		}
		f.EffectiveClasses += math.Exp(entropy) / float64(n)
		f.MeanTV += tv / float64(n)
	}
	return f
}

// labels returns the share of every class.
func labels(y []int, classes int) []float64 {
	share := make([]float64, classes)
	for _, c := range y {
		share[c] += 1 / float64(len(y))
	}
	return share
}
