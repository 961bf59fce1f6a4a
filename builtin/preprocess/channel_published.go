// The published variant of channel-barycenter, as the authors' code has it.
//
// Notation: S pixels are drawn of an image, with replacement; λ_b and λ the regularisations of
// barycenters and plans; WB(λ_b) the entropic barycenter of measures on the numbers 1 … S of the
// draws, at cost (i − j)²/(S − 1)².
//
//	client:  for every channel and image, S intensities over their sum, a measure on 1 … S;
//	         bₐ = WB of the WB of 100 images each
//	server:  b = WB of the bₐ; row s of (b_red, b_green, b_blue) is a target colour y_s
//	client:  of every image S colours x₁ … x_S; the plan of least ⟨T, C⟩ + λ Σ T(log T − 1),
//	         Cᵢⱼ = ‖xᵢ − yⱼ‖²; xᵢ goes to the mean of its targets, other pixels along with the
//	         nearest xᵢ
//
// Positions are drawn at random, so a measure on the numbers of the draws has no colour in it: b is
// 1/S nearly everywhere, and images go to a grey of that. The paper has λ = 0.01 and λ_b = 0.1, its
// code the other way round.
//
// Departures: averages of batches count by their images, the last one too, where the code has equal
// weights. An image without any intensity is even. The draws of pixels depend on the image only:
// equal images of a client have equal results.

package preprocess

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

type published struct {
	colours
	solving
	samples, batch int
}

var _ fl.Preprocessor = (*published)(nil)

// Summarize returns bₐ, C×S.
func (p *published) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	x, shape := s.Data.X, s.Data.Shape.Image
	if err := checkPixels(x); err != nil {
		return nil, err
	}
	batches := (x.Rows + p.batch - 1) / p.batch
	w := make(fl.Vector, batches) // images
	parts := make([]fl.Matrix, shape.C)
	for c := range parts {
		parts[c] = fl.NewMatrix(batches, p.samples)
	}
	stream := fl.NewStream(s.RNG.Uint64(), "positions")
	var stuck atomic.Bool
	err := s.Spread.Each(batches*shape.C, func(k int) error {
		b, c := k/shape.C, k%shape.C
		lo, hi := b*p.batch, min((b+1)*p.batch, x.Rows)
		if c == 0 {
			w[b] = float64(hi - lo)
		}
		a, rng := fl.NewMatrix(hi-lo, p.samples), stream.At(b, c).Rand()
		for r := range a.Rows {
			draw(a.Row(r), planes(x.Row(lo+r), shape).Row(c), rng)
		}
		return p.average(parts[c].Row(b), a, nil, &stuck)
	})
	own := fl.NewMatrix(shape.C, p.samples)
	for c := range own.Rows {
		if err == nil {
			err = p.average(own.Row(c), parts[c], w, &stuck)
		}
	}
	if stuck.Load() {
		p.stopped(s.Notes, "barycenters of images", ofBarycenters)
	}
	return fl.Tensors{"barycenter": own}, err
}

// draw draws intensities of a channel, as masses of sum 1.
func draw(mass, channel fl.Vector, rng *rand.Rand) {
	for k := range mass {
		mass[k] = channel[rng.IntN(len(channel))]
	}
	if sum := mass.Sum(); sum > 0 {
		mass.Scale(1 / sum)
		return
	}
	mass.Fill(1 / float64(len(mass)))
}

// average sets dst to the barycenter of the rows of a, which are measures on the numbers of draws;
// without weights, all count the same. One alone is that.
func (p *published) average(dst fl.Vector, a fl.Matrix, w fl.Vector, stuck *atomic.Bool) error {
	if a.Rows == 1 {
		copy(dst, a.Row(0))
		return nil
	}
	if w == nil {
		w = make(fl.Vector, a.Rows)
		w.Fill(1)
	}
	b := ot.Bregman{Lambda: p.barycenter, Epsilon: p.epsilon, MaxSweeps: p.sweeps}
	found, err := b.Barycenter(ot.SquaredGrid(1, a.Cols), w, a)
	if err != nil {
		return err
	}
	if !found.Converged {
		stuck.Store(true)
	}
	copy(dst, found.Mass)
	return nil
}

// Combine returns b, C×S.
func (p *published) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	w, target := p.weights(c.Uploads), fl.NewMatrix(c.Shape.Image.C, p.samples)
	var stuck atomic.Bool
	for k := range target.Rows {
		a := fl.NewMatrix(len(w), p.samples)
		for i, u := range c.Uploads {
			copy(a.Row(i), u.Payload["barycenter"].Row(k))
		}
		if err := p.average(target.Row(k), a, w, &stuck); err != nil {
			return nil, err
		}
	}
	if stuck.Load() {
		p.stopped(c.Notes, "the barycenter of clients", ofBarycenters)
	}
	return fl.Tensors{"target": target}, nil
}

// Transform moves every image to b.
func (p *published) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	return p.moveApart(m, &p.colours, p.samples, func(fl.Matrix) {})
}

// moveApart moves every image by a plan of its own from colours that are drawn of it to the
// target.
func (s *solving) moveApart(
	m *fl.TransformInput, c *colours, samples int, finish func(image fl.Matrix),
) (fl.Matrix, error) {
	target, seed := m.Reference["target"], m.RNG.Uint64()
	maps := sync.Pool{New: func() any { return s.newMap() }}
	var stuck atomic.Bool
	moved, err := c.move(m, func(r int, image fl.Matrix) error {
		by := maps.Get().(*ot.CloudMap)
		defer maps.Put(by)
		from := fl.NewMatrix(image.Rows, samples)
		drawColours(from, image, drawOf(seed, m.Rows.Row(r)))
		plan, err := by.Fit(from, target)
		if err != nil {
			return err
		}
		if !plan.Converged {
			stuck.Store(true)
		}
		err = by.Apply(image, image)
		finish(image)
		return err
	})
	if stuck.Load() {
		s.stopped(m.Notes, "plans of images", ofPlans)
	}
	return moved, err
}

func (s *solving) newMap() *ot.CloudMap {
	return &ot.CloudMap{Lambda: s.plan, Epsilon: s.epsilon, MaxSweeps: s.sweeps}
}

// drawColours draws pixels of an image in planes.
func drawColours(dst, image fl.Matrix, rng *rand.Rand) {
	for i := range dst.Cols {
		p := rng.IntN(image.Cols)
		for c := range dst.Rows {
			dst.Row(c)[i] = image.Row(c)[p]
		}
	}
}

// drawOf returns a stream for an image: what becomes of it depends on nothing that is beside it.
func drawOf(seed uint64, row fl.Vector) *rand.Rand {
	h, word := fnv.New64a(), make([]byte, 8*len(row))
	for k, v := range row {
		binary.LittleEndian.PutUint64(word[8*k:], math.Float64bits(v))
	}
	h.Write(word)
	return fl.NewStream(seed^h.Sum64(), "pixels").Rand()
}
