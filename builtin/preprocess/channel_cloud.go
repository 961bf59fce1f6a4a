// Clouds of colours: channel-barycenter with all channels at once, and a target that is colours.
//
// Notation: S colours x₁ … x_S ∈ ℝ^C, each of mass 1/S; λ the regularisation of plans.
//
//	client:  xₐ, drawn of all its images
//	server:  b = argmin Σ wₐ·W₂²(xₐ, b) over S points, by exact plans
//	client:  of an image, or with source = "client" of all of a client's, S colours; the plan
//	         to b of least ⟨T, C⟩ + λ Σ T(log T − 1); colours go to the mean of their targets,
//	         for λ = 0 too, where a colour is that of many pixels; other pixels go along with
//	         the nearest of them; then they are clipped to [0, 1]
//
// Clients send S of their pixels as they are.

package preprocess

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

type clouds struct {
	colours
	solving
	samples int
	alone   bool // all images of a client are moved by one map
}

var _ fl.Preprocessor = (*clouds)(nil)

// Summarize returns xₐ, C×S.
func (c *clouds) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	if err := checkPixels(s.Data.X); err != nil {
		return nil, err
	}
	return fl.Tensors{"colours": c.drawn(s.Data, s.RNG.IntN)}, nil
}

// drawn returns colours of all images.
func (c *clouds) drawn(d *fl.Dataset, draw func(n int) int) fl.Matrix {
	own := fl.NewMatrix(d.Shape.Image.C, c.samples)
	for i := range own.Cols {
		image := planes(d.X.Row(draw(d.Len())), d.Shape.Image)
		p := draw(image.Cols)
		for k := range own.Rows {
			own.Row(k)[i] = image.Row(k)[p]
		}
	}
	return own
}

// How exact the barycenter of clouds is: a hundredth of a level of an image of 8 bits, and how
// many steps there are at most.
const stepOfCloud, stepsOfCloud = 0.01 / 255, 100

// Combine returns b, C×S. It begins with colours of clients that are drawn by wₐ.
func (c *clouds) Combine(in *fl.CombineInput) (fl.Tensors, error) {
	w, all := c.weights(in.Uploads), make([]fl.Matrix, len(in.Uploads))
	for k, u := range in.Uploads {
		all[k] = u.Payload["colours"]
	}
	from := fl.NewMatrix(in.Shape.Image.C, c.samples)
	for i := range from.Cols {
		at, k := in.RNG.Float64(), 0
		for ; k < len(w)-1 && at >= w[k]; k++ {
			at -= w[k]
		}
		p := in.RNG.IntN(c.samples)
		for d := range from.Rows {
			from.Row(d)[i] = all[k].Row(d)[p]
		}
	}
	b, err := new(ot.CloudMap).Barycenter(w, all, from, stepOfCloud, stepsOfCloud)
	if err != nil {
		return nil, err
	}
	if !b.Converged {
		in.Notes.Add(fmt.Sprintf("the barycenter of colours did not converge: a step of %.1e "+
			"after %d: raise regularization or sweeps, or lower samples", b.Moved, b.Steps))
	}
	return fl.Tensors{"target": b.Points}, nil
}

// Transform moves images by plans.
func (c *clouds) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if !c.alone {
		return c.moveApart(m, &c.colours, c.samples, clip)
	}
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	by := c.newMap()
	plan, err := by.Fit(c.drawn(m.Own, m.RNG.IntN), m.Reference["target"])
	if err != nil {
		return fl.Matrix{}, err
	}
	if !plan.Converged {
		c.stopped(m.Notes, "plans of clients", ofPlans)
	}
	return c.move(m, func(_ int, image fl.Matrix) error {
		err := by.Apply(image, image)
		clip(image)
		return err
	})
}

func clip(image fl.Matrix) { fl.Vector(image.Data).Clamp(0, 1) }
