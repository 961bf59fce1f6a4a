// Histograms of intensities: channel-barycenter as its text reads.
//
// Notation: B levels (k − 1)/(B − 1); h the histogram of a channel on them, Q_h its quantile
// function, F_h its distribution function.
//
//	client:  bₐ = WB of the histograms of its images; with source = "client", the histogram of
//	         all of them
//	server:  b = WB of the bₐ, by wₐ
//	client:  x ← Q_b(F_h(x)) for the histogram h of an image, or of its client
//
// The exact WB in one dimension has the mean quantile function Σ wₐQₐ (F. Santambrogio. Optimal
// Transport for Applied Mathematicians. Birkhäuser, 2015, Section 2.1). It is sent as a histogram
// again: mass between two levels is split so that its mean stays. Where F_h jumps, a level goes to
// the mean of what its mass becomes; between two levels the map is linear.

package preprocess

import (
	"math"
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

type histograms struct {
	colours
	solving
	bins    int
	blurred bool // barycenters are entropic
	alone   bool // all images of a client are moved by one map
}

var _ fl.Preprocessor = (*histograms)(nil)

// levels returns where bins are.
func (h *histograms) levels() fl.Vector {
	at := make(fl.Vector, h.bins)
	for k := range at {
		at[k] = float64(k) / float64(h.bins-1)
	}
	return at
}

// of adds the histogram of intensities to one, each with some mass.
func (h *histograms) of(mass, channel fl.Vector, each float64) {
	for _, x := range channel {
		mass[int(math.Round(x*float64(h.bins-1)))] += each
	}
}

// pooled returns the histogram of every channel of all images, C×B.
func (h *histograms) pooled(d *fl.Dataset) fl.Matrix {
	shape := d.Shape.Image
	own := fl.NewMatrix(shape.C, h.bins)
	for r := range d.Len() {
		image := planes(d.X.Row(r), shape)
		for c := range image.Rows {
			h.of(own.Row(c), image.Row(c), 1)
		}
	}
	for c := range own.Rows {
		own.Row(c).Scale(1 / own.Row(c).Sum())
	}
	return own
}

// Summarize returns bₐ, C×B.
func (h *histograms) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	if err := checkPixels(s.Data.X); err != nil {
		return nil, err
	}
	if h.alone {
		return fl.Tensors{"histogram": h.pooled(s.Data)}, nil
	}
	x, shape := s.Data.X, s.Data.Shape.Image
	own, w := fl.NewMatrix(shape.C, h.bins), make(fl.Vector, x.Rows)
	w.Fill(1)
	var notes sync.Mutex
	err := s.Spread.Each(shape.C, func(c int) error {
		all := fl.NewMatrix(x.Rows, h.bins)
		for r := range x.Rows {
			channel := planes(x.Row(r), shape).Row(c)
			h.of(all.Row(r), channel, 1)
			all.Row(r).Scale(1 / float64(len(channel)))
		}
		converged, err := h.average(own.Row(c), w, all)
		if !converged {
			notes.Lock()
			defer notes.Unlock()
			h.stopped(s.Notes, "barycenters of images", ofBarycenters)
		}
		return err
	})
	return fl.Tensors{"histogram": own}, err
}

// average sets dst to the barycenter of the histograms in the rows of a.
func (h *histograms) average(dst, w fl.Vector, a fl.Matrix) (converged bool, err error) {
	if h.blurred {
		b := ot.Bregman{Lambda: h.barycenter, Epsilon: h.epsilon, MaxSweeps: h.sweeps}
		found, err := b.Barycenter(ot.SquaredGrid(1, h.bins), w, a)
		copy(dst, found.Mass)
		return found.Converged || err != nil, err
	}
	at, lines := h.levels(), make([]ot.Line, a.Rows)
	for k := range lines {
		lines[k] = ot.Line{At: at, Mass: a.Row(k)}
	}
	b, err := new(ot.Quantiles).Barycenter(w, lines)
	if err != nil {
		return true, err
	}
	for k, x := range b.At {
		low, part := h.below(x)
		dst[low] += b.Mass[k] * (1 - part)
		if part > 0 {
			dst[low+1] += b.Mass[k] * part
		}
	}
	dst.Scale(1 / dst.Sum())
	return true, nil
}

// below returns the level below an intensity, and how far that is on its way to the next.
func (h *histograms) below(x float64) (level int, part float64) {
	at := x * float64(h.bins-1)
	near := math.Round(at)
	if math.Abs(at-near) < 1e-9 { // levels are rounded themselves
		return min(int(near), h.bins-1), 0
	}
	level = int(at)
	return level, at - float64(level)
}

// Combine returns b, C×B.
func (h *histograms) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	w, target := h.weights(c.Uploads), fl.NewMatrix(c.Shape.Image.C, h.bins)
	for k := range target.Rows {
		a := fl.NewMatrix(len(w), h.bins)
		for i, u := range c.Uploads {
			copy(a.Row(i), u.Payload["histogram"].Row(k))
		}
		converged, err := h.average(target.Row(k), w, a)
		if err != nil {
			return nil, err
		}
		if !converged {
			h.stopped(c.Notes, "the barycenter of clients", ofBarycenters)
		}
	}
	return fl.Tensors{"target": target}, nil
}

// Transform moves images by the maps of their channels.
func (h *histograms) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	target, at := m.Reference["target"], h.levels()
	var own fl.Matrix
	if h.alone {
		if m.Own == nil {
			return fl.Matrix{}, errNoClient
		}
		own = h.pooled(m.Own)
		if err := h.maps(own, own, target, at); err != nil {
			return fl.Matrix{}, err
		}
	}
	return h.move(m, func(_ int, image fl.Matrix) error {
		by := own
		if !h.alone {
			by = fl.NewMatrix(image.Rows, h.bins)
			for c := range image.Rows {
				h.of(by.Row(c), image.Row(c), 1/float64(image.Cols))
			}
			if err := h.maps(by, by, target, at); err != nil {
				return err
			}
		}
		for c := range image.Rows {
			h.project(image.Row(c), by.Row(c))
		}
		return nil
	})
}

// maps sets dst to where the levels of histograms go, for every channel.
func (h *histograms) maps(dst, from, target fl.Matrix, at fl.Vector) error {
	to := make(fl.Vector, h.bins)
	for c := range from.Rows {
		a, b := ot.Line{At: at, Mass: from.Row(c)}, ot.Line{At: at, Mass: target.Row(c)}
		if err := new(ot.Quantiles).Map(to, a, b); err != nil {
			return err
		}
		copy(dst.Row(c), to)
	}
	return nil
}

// project moves intensities by a map of the levels.
func (h *histograms) project(channel, to fl.Vector) {
	for p, x := range channel {
		low, part := h.below(x)
		y := to[low]
		if part > 0 {
			y += part * (to[low+1] - y)
		}
		channel[p] = y
	}
}
