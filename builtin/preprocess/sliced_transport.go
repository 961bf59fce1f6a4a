// Sliced transport — every client's colours are moved, along several directions of the space of
// colours, to the mean quantiles of all clients.
//
//	F. Pitié, A. C. Kokaram, R. Dahyot. Automated Colour Grading Using Colour Distribution
//	Transfer. Computer Vision and Image Understanding 107, 2007: iterative distribution transfer.
//	N. Bonneel, J. Rabin, G. Peyré, H. Pfister. Sliced and Radon Wasserstein Barycenters of
//	Measures. Journal of Mathematical Imaging and Vision 51, 2015: the mean of quantiles along
//	each direction, which is the barycenter of the projections.
//
// Notation: pixels x ∈ [0, 1]^C; B orthonormal bases θ_b1 … θ_bC, of which the first is that of the
// channels; Q levels of quantiles; wₐ = nₐ/Σn, or the same for all; τ ∈ [0, 1].
//
//	client:  q_abc, Q quantiles of ⟨θ_bc, x⟩ over its pixels
//	server:  q_bc = Σ wₐq_abc
//	client:  for every basis in turn, several times over: x ← Σ_c θ_bc·m_bc(⟨θ_bc, x⟩), where m_bc
//	         is linear between quantiles and takes those of its pixels, as they now are, to q_bc;
//	         then x ← (1 − τ)x₀ + τ·clip(x), clip to [0, 1]
//
// Sent are B·C·Q floats, and received as many, once: iterations are a client's own, towards
// quantiles that stay. With one basis this is the map of quantiles of each channel, as
// channel-barycenter has it with variant = "histogram" and source = "client", but for bins; more
// bases see how channels depend on each other, as a cast that mixes channels changes it. No law
// needs to have all mean quantiles at once, so that the last basis decides where they disagree.
//
// Quantiles and maps are of so many pixels of a client, spread evenly over all of them; bases are
// the same in all runs, by points of low discrepancy on the rotations of two or three dimensions
// (K. Shoemake. Uniform Random Rotations. Graphics Gems III, 1992, gives rotations of points). So
// nothing is drawn. Where many pixels are equal they go to the mean of their targets.
//
// Departures: the paper has one target, all of whose colours are known, and a new basis in every
// iteration; here B bases return, since quantiles of others were not sent.

package preprocess

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// SlicedTransport describes the preprocessor to the registry.
var SlicedTransport = fl.PreprocessorEntry{
	Name:       "sliced-transport",
	Summary:    "every client's colours to the mean quantiles of all, along several directions",
	Paper:      "pitie2007",
	Deviations: "the target is the mean of the clients' quantiles, along bases that return",
	New:        newSlicedTransport,
	Fits: func(s fl.Setting) error {
		if _, err := new(sliced).Shape(s.Shape); err != nil {
			return err
		}
		return needsOwners(s)
	},
}

type sliced struct {
	colours
	bases, levels, sweeps, pixels int
}

var _ fl.Preprocessor = (*sliced)(nil)

func newSlicedTransport(p *fl.Params) (fl.Preprocessor, error) {
	return &sliced{
		colours: colours{
			tau: p.Float("tau", 1, fl.Closed(0, 1), "τ: how far images are moved; 0: not at all"),
			equal: p.Choice("weights", "samples", "wₐ, by the number of samples or the same for "+
				"all", "samples", "equal") == "equal",
		},
		bases: p.Int("bases", 4, fl.Closed(1, 256), "B, of which the first is that of the "+
			"channels; images of one channel have no other"),
		levels: p.Int("levels", 64, fl.Closed(2, 4096), "Q, quantiles along every direction"),
		sweeps: p.Int("sweeps", 5, fl.Closed(1, 1000), "how often every basis has its turn, where "+
			"there are several"),
		pixels: p.Int("pixels", 4096, fl.AtLeast(2), "of a client, at most, from which quantiles "+
			"and maps are found"),
	}, nil
}

// Shape implements fl.Preprocessor: images stay images.
func (s *sliced) Shape(in fl.Shape) (fl.Shape, error) {
	if in.Image.C > 3 {
		return in, fmt.Errorf("has directions of up to 3 channels, and these images have %d",
			in.Image.C)
	}
	return s.colours.Shape(in)
}

// chosen returns pixels of all images, C×S, spread evenly: the golden ratio's multiples.
func (s *sliced) chosen(d *fl.Dataset) (fl.Matrix, error) {
	if err := checkPixels(d.X); err != nil {
		return fl.Matrix{}, err
	}
	shape := d.Shape.Image
	size := shape.H * shape.W
	all := d.Len() * size
	own := fl.NewMatrix(shape.C, min(all, s.pixels))
	for i := range own.Cols {
		at := i
		if all > s.pixels {
			_, part := math.Modf((float64(i) + 0.5) / math.Phi)
			at = int(part * float64(all))
		}
		image := planes(d.X.Row(at/size), shape)
		for c := range own.Rows {
			own.Row(c)[i] = image.Row(c)[at%size]
		}
	}
	return own, nil
}

// Summarize returns q_abc, BC×Q.
func (s *sliced) Summarize(in *fl.SummaryInput) (fl.Tensors, error) {
	own, err := s.chosen(in.Data)
	if err != nil {
		return nil, err
	}
	all := fl.Matrix{Cols: s.levels}
	for _, base := range s.turns(own.Rows) {
		projected := base.project(own)
		for c := range own.Rows {
			all.Rows++
			all.Data = append(all.Data, quantiles(projected.Row(c), s.levels)...)
		}
	}
	return fl.Tensors{"quantiles": all}, nil
}

// Combine returns q_bc, BC×Q.
func (s *sliced) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	w := s.weights(c.Uploads)
	first := c.Uploads[0].Payload["quantiles"]
	mean := fl.NewMatrix(first.Rows, first.Cols)
	for k, u := range c.Uploads {
		fl.Vector(mean.Data).AddScaled(w[k], u.Payload["quantiles"].Data)
	}
	return fl.Tensors{"quantiles": mean}, nil
}

// Transform moves images by the maps of their client.
func (s *sliced) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	own, err := s.chosen(m.Own)
	if err != nil {
		return fl.Matrix{}, err
	}
	steps := s.steps(own, m.Reference["quantiles"])
	return s.move(m, func(_ int, image fl.Matrix) error {
		for _, step := range steps {
			step.apply(image)
		}
		clip(image)
		return nil
	})
}

// A slicedStep moves colours along every direction of a basis.
type slicedStep struct {
	base basis
	by   []lineMap
}

func (s slicedStep) apply(colours fl.Matrix) {
	projected := s.base.project(colours)
	for c, by := range s.by {
		line := projected.Row(c)
		for i, x := range line {
			line[i] = by.at(x)
		}
	}
	s.base.restore(colours, projected)
}

// steps returns what moves colours to quantiles, and moves these colours.
func (s *sliced) steps(own, to fl.Matrix) (list []slicedStep) {
	turns, sweeps := s.turns(own.Rows), s.sweeps
	if len(turns) == 1 {
		sweeps = 1
	}
	for range sweeps {
		for b, base := range turns {
			step := slicedStep{base: base}
			projected := base.project(own)
			for c := range own.Rows {
				from := quantiles(projected.Row(c), s.levels)
				step.by = append(step.by, newLineMap(from, to.Row(b*own.Rows+c)))
			}
			step.apply(own)
			list = append(list, step)
		}
	}
	return list
}

// quantiles returns the quantiles of numbers at levels k/(Q − 1), linear between them.
func quantiles(xs fl.Vector, levels int) fl.Vector {
	sorted, q := slices.Clone(xs), make(fl.Vector, levels)
	slices.Sort(sorted)
	for k := range q {
		at := float64(k) * float64(len(sorted)-1) / float64(levels-1)
		low := min(int(at), len(sorted)-1)
		high := min(low+1, len(sorted)-1)
		q[k] = sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
	}
	return q
}

// A lineMap is linear between numbers, and goes on beyond them by the ratio of the whole ranges.
type lineMap struct {
	from, to fl.Vector // from ascending, apart
	slope    float64
	cells    []int   // of equal width over from: the first number that is in the cell, or after it
	width    float64 // of a cell, the inverse
}

// newLineMap returns the map between quantiles. Equal ones go to the mean of their targets.
func newLineMap(from, to fl.Vector) (m lineMap) {
	const equal = 1e-12
	for k := 0; k < len(from); {
		sum, end := 0.0, k
		for ; end < len(from) && from[end]-from[k] <= equal; end++ {
			sum += to[end]
		}
		m.from, m.to = append(m.from, from[k]), append(m.to, sum/float64(end-k))
		k = end
	}
	if last := len(m.from) - 1; last > 0 {
		m.slope = (m.to[last] - m.to[0]) / (m.from[last] - m.from[0])
		m.index()
	}
	return m
}

// index finds the cells, so that a number is looked up in a few steps.
func (m *lineMap) index() {
	count := 2 * len(m.from)
	m.width = float64(count) / (m.from[len(m.from)-1] - m.from[0])
	m.cells = make([]int, count)
	for c, k := 0, 0; c < count; c++ {
		for k < len(m.from) && int((m.from[k]-m.from[0])*m.width) < c {
			k++
		}
		m.cells[c] = k
	}
}

// at returns where a number goes.
func (m lineMap) at(x float64) float64 {
	last := len(m.from) - 1
	switch {
	case !(x > m.from[0]):
		return m.to[0] + m.slope*(x-m.from[0])
	case x > m.from[last]:
		return m.to[last] + m.slope*(x-m.from[last])
	}
	k := m.cells[min(int((x-m.from[0])*m.width), len(m.cells)-1)]
	for m.from[k] < x {
		k++
	}
	part := (x - m.from[k-1]) / (m.from[k] - m.from[k-1])
	return m.to[k-1] + part*(m.to[k]-m.to[k-1])
}

// A basis holds orthonormal directions by row.
type basis fl.Matrix

// project returns the coordinates of colours, C×S as these are.
func (b basis) project(colours fl.Matrix) fl.Matrix {
	to := fl.NewMatrix(colours.Rows, colours.Cols)
	for c := range to.Rows {
		for k, x := range fl.Matrix(b).Row(c) {
			to.Row(c).AddScaled(x, colours.Row(k))
		}
	}
	return to
}

// restore sets colours to those of coordinates.
func (b basis) restore(colours, coordinates fl.Matrix) {
	clear(colours.Data)
	for c := range coordinates.Rows {
		for k, x := range fl.Matrix(b).Row(c) {
			colours.Row(k).AddScaled(x, coordinates.Row(c))
		}
	}
}

// turns returns the bases of a number of channels.
func (s *sliced) turns(channels int) []basis {
	list := make([]basis, s.bases)
	if channels == 1 {
		list = list[:1]
	}
	for b := range list {
		list[b] = turned(channels, b)
	}
	return list
}

// turned returns basis b of C ≤ 3 channels; the first is that of the channels.
func turned(channels, b int) basis {
	base := fl.NewMatrix(channels, channels)
	part := func(by float64) float64 {
		_, x := math.Modf(float64(b) * by)
		return 2 * math.Pi * x
	}
	switch {
	case b == 0:
		for i := range channels {
			base.Row(i)[i] = 1
		}
	case channels == 2:
		sin, cos := math.Sincos(part(1/math.Phi) / 4)
		copy(base.Data, []float64{cos, sin, -sin, cos})
	default:
		const by = 1.2207440846057596 // x⁴ = x + 1: multiples of its powers fill the cube evenly
		u := part(1/by) / (2 * math.Pi)
		x, y := math.Sincos(part(1 / (by * by)))
		z, w := math.Sincos(part(1 / (by * by * by)))
		x, y = x*math.Sqrt(1-u), y*math.Sqrt(1-u)
		z, w = z*math.Sqrt(u), w*math.Sqrt(u)
		copy(base.Data, []float64{
			1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w),
			2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w),
			2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y),
		})
	}
	return basis(base)
}
