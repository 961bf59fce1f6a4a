// Reinhard — every client's colours have the mean and the standard deviation of all clients' in
// every channel.
//
//	E. Reinhard, M. Ashikhmin, B. Gooch, P. Shirley. Color Transfer between Images. IEEE Computer
//	Graphics and Applications 21(5), 2001.
//
// Notation: channel c of the pixels of client a has the mean μ_ac and the standard deviation σ_ac;
// wₐ = nₐ/Σn, or the same for all; τ ∈ [0, 1] how far images are moved.
//
//	client:  μ_ac, σ_ac
//	server:  μ_c = Σ wₐμ_ac,  σ_c = Σ wₐσ_ac
//	client:  x ← (1 − τ)x + τ·clip(μ_c + (x − μ_ac)·σ_c/σ_ac), clip to [0, 1]
//
// A channel that is constant goes to μ_c. Sent are 2C floats. The target is the Gaussian barycenter
// of one channel (Wasserstein), so that this is channel-wise transport of Gaussians.
//
// space = "lab" is the paper's lαβ of three channels: LMS from RGB, its logarithm to base 10, and
// sums and differences of these, in which channels of natural scenes hardly correlate. space =
// "rgb" has channels as they are, any number of them; there an affine cast of each channel is
// undone, where nothing is clipped.
//
// Departures: the paper has one source and one target image; here all pixels of a client are a
// source, and the target is the mean of all. Linear light is not what pixels are, in the paper
// neither. Before logarithms pixels are raised to 1/255, as implementations do. LMS is by the
// matrix as printed, and the way back by its exact inverse. The inverse that the paper prints, to
// four digits, is another's: of a matrix with 0.1228 where the printed one has 0.1288, which is the
// product of the two from which it is made (RGB to XYZ, and XYZ to LMS), so that 0.1288 seems to be
// a misprint; implementations have it, too. The paper's text was read in parts only, these matrices
// in implementations that agree on them.

package preprocess

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Reinhard describes the preprocessor to the registry.
var Reinhard = fl.PreprocessorEntry{
	Name:    "reinhard",
	Summary: "every client's colours to the mean and deviation of all, by channel or in lαβ",
	Paper:   "reinhard2001",
	Deviations: "the target is the mean of the clients; colours are clipped, and raised to 1/255 " +
		"before logarithms",
	New: newReinhard,
	Fits: func(s fl.Setting) error {
		if _, err := new(colours).Shape(s.Shape); err != nil {
			return err
		}
		return needsOwners(s)
	},
}

type reinhard struct {
	colours
	lab bool
}

var _ fl.Preprocessor = (*reinhard)(nil)

func newReinhard(p *fl.Params) (fl.Preprocessor, error) {
	r := &reinhard{colours: colours{
		tau: p.Float("tau", 1, fl.Closed(0, 1), "τ: how far images are moved; 0: not at all"),
		equal: p.Choice("weights", "samples", "wₐ, by the number of samples or the same for all",
			"samples", "equal") == "equal",
	}}
	r.lab = p.Choice("space", "rgb", "in which moments are: channels as they are, or lαβ of three "+
		"channels", "rgb", "lab") == "lab"
	if s := p.Setting(); s.Known() && r.lab && s.Shape.Image.C != 3 && s.Shape.Image.C > 0 {
		p.Fail("space", "%v", errThreeChannels)
	}
	return r, nil
}

var errThreeChannels = errors.New(`lαβ is of three channels: use space = "rgb"`)

// Shape implements fl.Preprocessor: images stay images.
func (r *reinhard) Shape(in fl.Shape) (fl.Shape, error) {
	if r.lab && in.Image != (fl.Image{}) && in.Image.C != 3 {
		return in, errThreeChannels
	}
	return r.colours.Shape(in)
}

// Summarize returns μ_ac and σ_ac.
func (r *reinhard) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	m, err := r.moments(s.Data)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// moments returns the mean and the standard deviation of every channel of all pixels.
func (r *reinhard) moments(d *fl.Dataset) (fl.Tensors, error) {
	if err := checkPixels(d.X); err != nil {
		return nil, err
	}
	shape := d.Shape.Image
	mean, deviation := make(fl.Vector, shape.C), make(fl.Vector, shape.C)
	image := fl.NewMatrix(shape.C, shape.H*shape.W)
	for turn, to := range []fl.Vector{mean, deviation} {
		for i := range d.Len() {
			copy(image.Data, d.X.Row(i))
			r.enter(image)
			for c := range to {
				for _, x := range image.Row(c) {
					if turn == 0 {
						to[c] += x
					} else {
						to[c] += (x - mean[c]) * (x - mean[c])
					}
				}
			}
		}
		to.Scale(1 / float64(d.Len()*shape.H*shape.W))
	}
	for c, v := range deviation {
		deviation[c] = math.Sqrt(v)
	}
	return fl.Tensors{"mean": vector(mean), "deviation": vector(deviation)}, nil
}

// Combine returns μ_c and σ_c.
func (r *reinhard) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	w, to := r.weights(c.Uploads), fl.Tensors{}
	for _, name := range []string{"mean", "deviation"} {
		v := make(fl.Vector, c.Shape.Image.C)
		for k, u := range c.Uploads {
			v.AddScaled(w[k], u.Payload[name].Data)
		}
		to[name] = vector(v)
	}
	return to, nil
}

// Transform moves images by the moments of their client.
func (r *reinhard) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	own, err := r.moments(m.Own)
	if err != nil {
		return fl.Matrix{}, err
	}
	from, of := own["mean"].Data, own["deviation"].Data
	to, by := m.Reference["mean"].Data, m.Reference["deviation"].Data
	return r.move(m, func(_ int, image fl.Matrix) error {
		r.enter(image)
		for c := range image.Rows {
			const constant = 1e-9 // what rounding leaves of a deviation of 0
			scale := 0.0
			if of[c] > constant {
				scale = by[c] / of[c]
			}
			channel := image.Row(c)
			for p, x := range channel {
				channel[p] = to[c] + scale*(x-from[c])
			}
		}
		r.leave(image)
		clip(image)
		return nil
	})
}

// A colour is a pixel of three channels.
type colour [3]float64

// times returns the product of a matrix, given by rows, and a colour.
func (x colour) times(m [3]colour) (y colour) {
	for i, row := range m {
		y[i] = row[0]*x[0] + row[1]*x[1] + row[2]*x[2]
	}
	return y
}

// LMS of RGB, and the sums and differences of logarithms, whose rows are orthogonal and of
// length 1.
var (
	lms = [3]colour{{0.3811, 0.5783, 0.0402}, {0.1967, 0.7244, 0.0782}, {0.0241, 0.1288, 0.8444}}
	lab = [3]colour{
		{1 / math.Sqrt(3), 1 / math.Sqrt(3), 1 / math.Sqrt(3)},
		{1 / math.Sqrt(6), 1 / math.Sqrt(6), -2 / math.Sqrt(6)},
		{1 / math.Sqrt2, -1 / math.Sqrt2, 0},
	}
	rgbOfLMS = inverted(lms)
	logOfLab = [3]colour{{lab[0][0], lab[1][0], lab[2][0]}, {lab[0][1], lab[1][1], lab[2][1]},
		{lab[0][2], lab[1][2], lab[2][2]}}
)

// inverted returns the inverse of a matrix of three rows, by its adjugate.
func inverted(m [3]colour) (inv [3]colour) {
	minor := func(i, j int) float64 {
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return m[a][c]*m[b][d] - m[a][d]*m[b][c]
	}
	det := m[0][0]*minor(0, 0) + m[0][1]*minor(0, 1) + m[0][2]*minor(0, 2)
	for i := range 3 {
		for j := range 3 {
			inv[j][i] = minor(i, j) / det
		}
	}
	return inv
}

// enter takes an image, in planes, from RGB to lαβ.
func (r *reinhard) enter(image fl.Matrix) {
	const darkest = 1.0 / 255
	r.each(image, func(x colour) colour {
		for c, v := range x {
			x[c] = max(v, darkest)
		}
		x = x.times(lms)
		for c, v := range x {
			x[c] = math.Log10(v)
		}
		return x.times(lab)
	})
}

// leave takes it back.
func (r *reinhard) leave(image fl.Matrix) {
	r.each(image, func(x colour) colour {
		x = x.times(logOfLab)
		for c, v := range x {
			x[c] = math.Pow(10, v)
		}
		return x.times(rgbOfLMS)
	})
}

// each changes every pixel, where the space is lαβ.
func (r *reinhard) each(image fl.Matrix, change func(colour) colour) {
	if !r.lab {
		return
	}
	a, b, c := image.Row(0), image.Row(1), image.Row(2)
	for p := range a {
		x := change(colour{a[p], b[p], c[p]})
		a[p], b[p], c[p] = x[0], x[1], x[2]
	}
}
