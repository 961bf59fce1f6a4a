package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A preprocessRun is a whole population on its way through a preprocessor: its clients, what they
// sent and what was made of it.
type preprocessRun struct {
	s     *subject[fl.Preprocessor]
	pop   *fl.Population
	by    fl.Preprocessor
	shown bool // labels, to one that should not see them
	dice  []*counter

	shape     fl.Shape
	uploads   []fl.Update
	reference fl.Tensors
	train     []fl.Matrix // by client
	test      []fl.Matrix
	moving    []*fl.TransformInput // of the training rows
}

func newPreprocessRun(
	s *subject[fl.Preprocessor], pop *fl.Population, by fl.Preprocessor,
) *preprocessRun {
	return &preprocessRun{s: s, pop: pop, by: by}
}

// runPreprocess has a fresh instance transform a population.
func runPreprocess(s *subject[fl.Preprocessor], pop *fl.Population) (*preprocessRun, error) {
	k := newPreprocessRun(s, pop, s.build())
	return k, k.arrive()
}

// Purposes of random streams.
const (
	summarizing = iota
	combining
	moveTrain
	moveTest
)

// rng returns the stream of a purpose for a client, always from its beginning.
func (k *preprocessRun) rng(purpose, client int) *rand.Rand {
	c := &counter{Source: k.s.stream("preprocess").At(purpose, client).Rand()}
	k.dice = append(k.dice, c)
	return rand.New(c)
}

// drawn reports whether a generator was used.
func (k *preprocessRun) drawn() bool {
	return slices.ContainsFunc(k.dice, func(c *counter) bool { return c.drawn > 0 })
}

// seen returns the samples of a client as the component may see them.
func (k *preprocessRun) seen(client int) *fl.Dataset {
	d := k.pop.Client(client).Data
	d.Moments = nil
	if !k.shown && !fl.TraitsOf[fl.PreprocessTraits](k.s.entry).Labelled {
		d.Y, d.Target = nil, nil
	}
	return &d
}

// summarize returns what a client uploads.
func (k *preprocessRun) summarize(client int) (fl.Update, error) {
	payload, err := k.by.Summarize(&fl.SummaryInput{Client: client, Data: k.seen(client),
		RNG: k.rng(summarizing, client)})
	u := fl.Update{Client: client, Samples: k.pop.Start[client+1] - k.pop.Start[client]}
	if payload != nil {
		u.Payload = cloneTensors(payload)
	}
	return u, err
}

// move moves rows of a client, or of none.
func (k *preprocessRun) move(
	client, purpose int, rows fl.Matrix,
) (fl.Matrix, *fl.TransformInput, error) {
	m := &fl.TransformInput{Client: client, Rows: rows, Shape: k.pop.Train.Shape,
		Reference: k.reference, RNG: k.rng(purpose, client), Notes: new(fl.Notes)}
	if client >= 0 {
		m.Own = k.seen(client)
	}
	x, err := k.by.Transform(m)
	x.Data = slices.Clone(x.Data)
	return x, m, err
}

func (k *preprocessRun) summarizeAll() (err error) {
	if k.shape, err = k.by.Shape(k.pop.Train.Shape); err != nil {
		return fmt.Errorf("Shape: %w", err)
	}
	for i := range k.pop.N() {
		u, err := k.summarize(i)
		if err != nil {
			return fmt.Errorf("client %d: Summarize: %w", i, err)
		}
		k.uploads = append(k.uploads, u)
	}
	return nil
}

func (k *preprocessRun) combine() (err error) {
	k.reference, err = k.by.Combine(&fl.CombineInput{Uploads: k.uploads, Shape: k.pop.Train.Shape,
		RNG: k.rng(combining, 0), Notes: new(fl.Notes), Folders: k.s.options.Folders})
	if err != nil {
		return fmt.Errorf("Combine: %w", err)
	}
	return nil
}

func (k *preprocessRun) moveAll() error {
	for i := range k.pop.N() {
		x, m, err := k.move(i, moveTrain, k.pop.Client(i).Data.X)
		if err != nil {
			return fmt.Errorf("client %d: Transform: %w", i, err)
		}
		y, _, err := k.move(i, moveTest, k.pop.ClientTest(i).X)
		if err != nil {
			return fmt.Errorf("client %d: Transform of test rows: %w", i, err)
		}
		k.train, k.test, k.moving = append(k.train, x), append(k.test, y), append(k.moving, m)
	}
	return nil
}

// arrive has everyone summarise, the server combine and everyone move.
func (k *preprocessRun) arrive() error {
	for _, part := range []func() error{k.summarizeAll, k.combine, k.moveAll} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// look returns digests of what is only to be read.
func (k *preprocessRun) look() (data, uploads, reference string) {
	d, u := newDigest(), newDigest()
	d.dataset(k.pop.Train)
	d.dataset(k.pop.Test)
	u.updates(k.uploads)
	return d.sum(), u.sum(), sumOf(k.reference)
}

func sumOf(t fl.Tensors) string {
	d := newDigest()
	d.tensors(t)
	return d.sum()
}

// unlike says where two runs differ by more than a tolerance, relative to the largest number
// of a matrix; client i of k is client order[i] of o.
func (k *preprocessRun) unlike(o *preprocessRun, order []int, tolerance float64) string {
	for i, j := range order {
		where := fmt.Sprintf("client %d", i)
		if tolerance == 0 && sumOf(k.uploads[i].Payload) != sumOf(o.uploads[j].Payload) {
			return at(where, "uploads differ")
		}
		if found := apart(k.train[i].Data, o.train[j].Data, tolerance); found != "" {
			return at(where, found)
		}
		if found := apart(k.test[i].Data, o.test[j].Data, tolerance); found != "" {
			return at(where+", test rows", found)
		}
	}
	return ""
}

// wrong says what is wrong with moved rows.
func (k *preprocessRun) wrong(x fl.Matrix, rows int) string {
	switch {
	case x.Rows != rows || x.Cols != k.shape.Features || len(x.Data) != x.Rows*x.Cols:
		return fmt.Sprintf("%d rows became %d×%d, want %d features", rows, x.Rows, x.Cols,
			k.shape.Features)
	case !fl.Vector(x.Data).Finite():
		return "NaN or Inf"
	}
	return ""
}
