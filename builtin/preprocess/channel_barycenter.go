// Channel-wise barycenters — every client's images are moved to colours that all have in common,
// once, before training.
//
//	L. M. Pereira, M. H. Amini. Optimal Transport-based Domain Alignment as a Preprocessing Step
//	for Federated Learning. ICIP 2025, Algorithm 1; and the authors' code, which decides where
//	the text is silent.
//
// Notation: client a has nₐ images of pixels in [0, 1]^C, C channels; wₐ = nₐ/Σn, or the same for
// all; WB is a Wasserstein barycenter, equation (4).
//
//	client:  bₐ = WB of its images
//	server:  b = WB of the bₐ, by wₐ
//	client:  every image is projected on b: x ← (1 − τ)x + τT(x)
//
// What of an image is averaged, and how it is projected, is the variant:
//
//   - published: what the authors' code does, with images of random positions as measures on the
//     numbers of the draws: channel_published.go;
//   - histogram: of intensities, with monotone maps: channel_histogram.go;
//   - cloud: of colours in ℝ^C, with maps by transport: channel_cloud.go.
//
// No variant sees a label or a test image before b is broadcast.

package preprocess

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ChannelBarycenter describes the preprocessor to the registry.
var ChannelBarycenter = fl.PreprocessorEntry{
	Name:       "channel-barycenter",
	Summary:    "images to common colours, by Wasserstein barycenters of their channels",
	Paper:      "ot-preprocessing",
	Deviations: "histograms and clouds of colours are ours; the published variant is the code's",
	New:        newChannelBarycenter,
	Example:    map[string]any{"samples": int64(20)},
	Fits: func(s fl.Setting) error {
		_, err := new(colours).Shape(s.Shape)
		return err
	},
	Waives: map[string]string{"identity": "images of one client differ among themselves, and " +
		"each of them is moved to the common colours"},
}

func newChannelBarycenter(p *fl.Params) (fl.Preprocessor, error) {
	variant := p.Choice("variant", "histogram", "what of an image is averaged and moved: "+
		"intensities of each channel; colours; or, as published, masses at random positions",
		"published", "histogram", "cloud")
	c := colours{
		tau: p.Float("tau", 1, fl.Closed(0, 1), "τ: how far images are moved; 0: not at all"),
		equal: p.Choice("weights", "samples", "wₐ, by the number of samples or the same for all",
			"samples", "equal") == "equal",
	}
	source := p.Choice("source", "image", "histogram, cloud: what is moved to the common colours, "+
		"each image by itself, or all images of a client by one map", "image", "client")
	samples := p.Int("samples", 250, fl.Closed(1, 4096), "published, cloud: pixels that are drawn")
	batch := p.Int("batch", 100, fl.AtLeast(1), "published: images that are averaged at once, "+
		"before the averages are")
	bins := p.Int("bins", 256, fl.Closed(2, 4096), "histogram: levels of intensity")
	blurred := p.Choice("barycenter", "exact", "histogram: the mean of quantiles, or the entropic "+
		"barycenter", "exact", "entropic") == "entropic"
	s := solving{
		plan: p.Float(ofPlans, 0.01, fl.AtLeast(0), "λ of plans between colours, in "+
			"units of squared distance; cloud: 0 is an exact plan"),
		barycenter: p.Float(ofBarycenters, 0.1, fl.Above(0), "published, entropic "+
			"histogram: λ of barycenters, in units of the largest cost"),
		epsilon: p.Float("epsilon", 1e-8, fl.Open(0, 1), "ε of entropic plans and barycenters"),
		sweeps:  p.Int("sweeps", 1000, fl.AtLeast(1), "at most, of entropic plans and barycenters"),
	}
	alone := source == "client" && variant != "published"
	if set := p.Setting(); alone && set.Known() {
		if err := needsOwners(set); err != nil {
			p.Fail("source", "%v", err)
		}
	}
	switch variant {
	case "histogram":
		return &histograms{colours: c, solving: s, bins: bins, blurred: blurred, alone: alone}, nil
	case "cloud":
		return &clouds{colours: c, solving: s, samples: samples, alone: alone}, nil
	}
	if s.plan == 0 {
		p.Clash("regularization", "variant", "is 0; the published plans are entropic")
	}
	return &published{colours: c, solving: s, samples: samples, batch: batch}, nil
}

// solving is how plans and barycenters are found.
type solving struct {
	plan, barycenter float64 // λ
	epsilon          float64
	sweeps           int
}

// stopped remarks that something did not converge, and which parameter is to be changed beside the
// number of sweeps.
func (s *solving) stopped(n *fl.Notes, what, parameter string) {
	n.Add(fmt.Sprintf("%s did not converge in %d sweeps: raise sweeps or %s", what, s.sweeps,
		parameter))
}

// Parameters that make what is entropic converge sooner.
const (
	ofPlans       = "regularization"
	ofBarycenters = "regularization_barycenter"
)

// colours is what the variants have in common.
type colours struct {
	tau   float64
	equal bool // wₐ is the same for all
}

// Shape implements fl.Preprocessor: images stay images.
func (*colours) Shape(in fl.Shape) (fl.Shape, error) {
	if in.Image == (fl.Image{}) {
		return in, errNoImages
	}
	return in, nil
}

// weights returns wₐ.
func (c *colours) weights(uploads []fl.Update) fl.Vector {
	w := make(fl.Vector, len(uploads))
	for k, u := range uploads {
		if w[k] = float64(u.Samples); c.equal {
			w[k] = 1
		}
	}
	w.Scale(1 / w.Sum())
	return w
}

// planes returns an image as a matrix: a row holds a channel of all pixels.
func planes(row fl.Vector, shape fl.Image) fl.Matrix {
	return fl.Matrix{Rows: shape.C, Cols: shape.H * shape.W, Data: row}
}

// move calls project for every image, in planes, with a copy of it to be changed. It remarks how
// much of their contrast images keep: that of pixels of the same channel.
func (c *colours) move(m *fl.TransformInput, project func(row int, image fl.Matrix) error) (
	fl.Matrix, error,
) {
	if err := checkPixels(m.Rows); err != nil {
		return fl.Matrix{}, err
	}
	moved := copied(m.Rows)
	err := m.Spread.Each(moved.Rows, func(r int) error {
		row := moved.Row(r)
		if err := project(r, planes(row, m.Shape.Image)); err != nil {
			return fmt.Errorf("image %d: %w", r, err)
		}
		if c.tau < 1 {
			row.Scale(c.tau)
			row.AddScaled(1-c.tau, m.Rows.Row(r))
		}
		return nil
	})
	if err != nil {
		return fl.Matrix{}, err
	}
	m.Notes.Observe("contrast kept", contrast(moved, m.Shape.Image)/contrast(m.Rows, m.Shape.Image))
	return moved, nil
}

// contrast returns the root of the mean variance of the pixels of a channel of an image.
func contrast(x fl.Matrix, shape fl.Image) float64 {
	sum := 0.0
	for r := range x.Rows {
		image := planes(x.Row(r), shape)
		for c := range image.Rows {
			channel := image.Row(c)
			mean := channel.Sum() / float64(len(channel))
			for _, v := range channel {
				sum += (v - mean) * (v - mean)
			}
		}
	}
	return math.Sqrt(sum / float64(len(x.Data)))
}

// checkPixels refuses what is not between 0 and 1.
func checkPixels(x fl.Matrix) error {
	for k, v := range x.Data {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("colours are between 0 and 1, and a pixel of row %d is %v: images "+
				`have scale = "unit" until they are aligned`, k/x.Cols, v)
		}
	}
	return nil
}
