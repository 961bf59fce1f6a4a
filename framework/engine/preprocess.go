package engine

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// A Stage is one preprocessor of a chain.
type Stage struct {
	Name         string
	Preprocessor fl.Preprocessor
	Labelled     bool // see fl.Entry
}

// A prepared population is what a chain of preprocessors made of one, and what that took.
type prepared struct {
	pop        *fl.Population
	notes      *fl.Notes
	uploaded   int64 // floats sent by clients
	downloaded int64 // floats sent to clients
	seconds    float64
}

// preprocess transforms the data of a world by the chain of a setup.
func preprocess(s *Setup, o Options, w *World) error {
	w.Prepared = remarks(w.Population)
	if len(s.Preprocess) == 0 {
		return nil
	}
	if w.Environment.Enrolled != nil { // the clients that summarise decide what the data become
		w.summarised = fmt.Sprint(w.Environment.Enrolled)
	}
	key := w.key(preparations, s.DataKey)
	key.moments = s.Model.Facts().Moments
	p, err := remember(o.Memo, key, func() (*prepared, error) { return prepare(s, o, w) })
	if err != nil {
		return fmt.Errorf("preprocess: %w", err)
	}
	w.Population, w.Prepared = p.pop, p.notes
	w.Uploaded, w.Downloaded, w.Seconds = p.uploaded, p.downloaded, p.seconds
	return nil
}

// remarks returns what the source of the data remarked.
func remarks(pop *fl.Population) *fl.Notes {
	notes := new(fl.Notes)
	for _, remark := range pop.Remarks {
		notes.Add(remark)
	}
	return notes
}

// key returns the key of what depends on the data of this world.
func (w *World) key(what memoized, setting string) memoKey {
	return memoKey{what: what, setting: setting, enrolled: w.summarised}
}

func prepare(s *Setup, o Options, w *World) (*prepared, error) {
	watch := startWatch()
	p := &prepared{pop: w.Population, notes: remarks(w.Population)}
	workers := newPool(max(o.Workers, o.Movers, 1))
	for k, stage := range s.Preprocess {
		if p.pop.Blends != nil {
			return nil, fmt.Errorf("%s moves rows epoch by epoch, so that %s cannot follow it",
				s.Preprocess[k-1].Name, stage.Name)
		}
		a := &stageRun{Stage: stage, prepared: p, roster: w.Environment, opts: o,
			streams: fl.NewStream(s.DataSeed, "preprocess"), k: k, pool: workers}
		if err := a.run(); err != nil {
			return nil, fmt.Errorf("%s: %w", stage.Name, err)
		}
	}
	if s.Model.Facts().Moments {
		p.pop.Moments = moments(p.pop)
	}
	p.seconds = max(0, p.seconds+watch.seconds())
	return p, nil
}

// A stageRun is one stage of a chain at work on the population.
type stageRun struct {
	Stage
	*prepared
	roster  *fl.Roster
	opts    Options
	streams fl.Stream
	k       int // which of the chain
	pool    *pool
	meter   *meter

	shape     fl.Shape // of the rows before
	next      fl.Shape // and after
	reference fl.Tensors
	mu        sync.Mutex
}

// Purposes of the random streams of a stageRun.
const (
	toSummarize = iota
	toCombine
	toMoveTrain // and what the server holds of the training samples
	toMoveTest
	purposes

	toMoveOwn    = 1 << 20 // test samples of clients beside the test data
	toMovePublic = 2 << 20
)

func (a *stageRun) rng(purpose, client int) *rand.Rand {
	return a.streams.At(purposes*a.k+purpose, client).Rand()
}

// run has enrolled clients summarise, the server combine, and the rows of all transformed.
func (a *stageRun) run() (err error) {
	defer guard(&err)
	a.shape, a.meter = a.pop.Train.Shape, a.metered()
	if a.next, err = a.Preprocessor.Shape(a.shape); err != nil {
		return err
	}
	uploads, err := a.summarize()
	if err != nil {
		return err
	}
	a.reference, err = a.Preprocessor.Combine(&fl.CombineInput{Uploads: uploads, Shape: a.shape,
		RNG: a.rng(toCombine, 0), Notes: a.notes, Folders: a.opts.Folders, Recall: a.recall})
	if err != nil {
		return err
	}
	if a.Labelled {
		a.notes.Add(a.Name + " sees the clients' labels: for comparison, no method")
	}
	a.count(uploads)
	return a.transformAll()
}

// recall is Options.recall. What was made before takes the seconds that it took then.
func (a *stageRun) recall(
	key string, make func() (fl.Tensors, error),
) (fl.Tensors, error) {
	watch := startWatch()
	made, seconds, err := a.opts.recall(key, make)
	a.mu.Lock()
	a.seconds += seconds - watch.seconds()
	a.mu.Unlock()
	return made, err
}

// count adds up what is sent before the first round, and says so: a single round it is not.
func (a *stageRun) count(uploads []fl.Update) {
	most, back := 0, a.reference.Floats()
	for _, u := range uploads {
		n := u.Payload.Floats()
		a.uploaded += int64(n)
		most = max(most, n)
	}
	a.downloaded += int64(len(uploads)) * int64(back)
	if most+back > 0 {
		a.notes.Add(fmt.Sprintf("%s: before the first round every client sends %s and gets %s",
			a.Name, host.Bytes(float64(fl.BytesPerNumber*most)),
			host.Bytes(float64(fl.BytesPerNumber*back))))
	}
}

func (a *stageRun) summarize() ([]fl.Update, error) {
	var uploads []fl.Update
	for i := range a.pop.N() {
		if a.roster.Reaches(i) {
			uploads = append(uploads, fl.Update{Client: i, Samples: a.roster.Samples[i]})
		}
	}
	notes := make([]fl.Notes, len(uploads))
	err := a.pool.spread(len(uploads), func(k int) (err error) {
		u := &uploads[k]
		defer guardClient(&err, u.Client)
		part := a.part(u.Samples)
		defer part.end()
		u.Payload, err = a.Preprocessor.Summarize(&fl.SummaryInput{Client: u.Client,
			Data: a.seen(u.Client), RNG: a.rng(toSummarize, u.Client), Notes: &notes[k],
			Spread: part.spread})
		if err != nil {
			return fmt.Errorf("client %d: %w", u.Client, err)
		}
		return nil
	})
	for k := range notes {
		a.notes.Join(&notes[k])
	}
	return uploads, err
}

// seen returns the training samples of a client as the preprocessor may see them.
func (a *stageRun) seen(client int) *fl.Dataset {
	d := a.pop.Client(client).Data
	if !a.Labelled {
		d.Y, d.Target, d.Moments = nil, nil, nil
	}
	return &d
}
