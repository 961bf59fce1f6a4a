package fl

import "math"

// A correction is what a Descent does to gradients in float64.
type correction struct {
	d      *Descent
	start  Vector // frozen parameters, one block after another
	before Vector // θ while the gradient is taken elsewhere
}

// corrects reports whether d asks for any correction.
func (d *Descent) corrects() bool {
	return d.Shifts() || d.Pull > 0 || d.Ascent > 0 || d.Clip > 0 || len(d.Freeze) > 0
}

// begin readies what Follow needs in every step.
func (c *correction) begin() {
	d := c.d
	if len(d.Freeze) > 0 {
		c.start = d.task.Scratch(Layout{Blocks: d.Freeze}.Len())
		at := 0
		for k := range d.Freeze {
			at += copy(c.start[at:], c.frozen(k, d.Params))
		}
	}
	if d.Ascent > 0 {
		c.before = d.task.Scratch(len(d.Params))
	}
}

// Anchored returns the anchor of the proximal term: Anchor, or where that is nil Task.Global.
func (d *Descent) Anchored() Vector {
	if d.Anchor != nil {
		return d.Anchor
	}
	return d.task.Global
}

// Shifts reports whether a vector is added to every gradient.
func (d *Descent) Shifts() bool { return d.Shift != nil || d.Unshift != nil }

// AddShift adds Shift − Unshift to dst, the elements of both from one of them on.
func (d *Descent) AddShift(dst Vector, from int) {
	switch {
	case d.Unshift == nil && d.Shift == nil:
	case d.Unshift == nil:
		dst.Add(d.Shift[from : from+len(dst)])
	case d.Shift == nil:
		dst.Sub(d.Unshift[from : from+len(dst)])
	default:
		plus, minus := d.Shift[from:][:len(dst)], d.Unshift[from:][:len(dst)]
		for i := range dst {
			dst[i] += plus[i] - minus[i]
		}
	}
}

// correct makes of the gradient of a batch what the step goes along.
func (c *correction) correct(w Worker, rows []int) {
	d, grad, theta := c.d, c.d.step.Grad, c.d.step.Params
	if d.Ascent > 0 {
		c.ascend(w, rows)
	}
	d.AddShift(grad, 0)
	if d.Pull > 0 {
		for i, a := range d.Anchored()[:len(grad)] {
			grad[i] += float64(d.Pull * (theta[i] - a))
		}
	}
	c.mask(grad)
	if d.Clip > 0 {
		if norm := grad.Norm(); norm > d.Clip {
			grad.Scale(d.Clip / norm)
		}
	}
}

// ascend takes the gradient at θ + ρg/‖g‖ instead of at θ.
func (c *correction) ascend(w Worker, rows []int) {
	d, grad, theta := c.d, c.d.step.Grad, c.d.step.Params
	c.mask(grad)
	norm := grad.Norm()
	if norm == 0 || math.IsNaN(norm) {
		return // there is no direction
	}
	copy(c.before, theta)
	theta.AddScaled(d.Ascent/norm, grad)
	clear(grad)
	d.ascended = true
	d.Gradient(w, grad, theta, rows)
	d.ascended = false
	copy(theta, c.before)
}

// Ascended reports whether the gradient that Follow asks for is the second one of a step, which
// Ascent takes elsewhere.
func (d *Descent) Ascended() bool { return d.ascended }

// mask makes the gradient of frozen parameters 0.
func (c *correction) mask(grad Vector) {
	for k := range c.d.Freeze {
		clear(c.frozen(k, grad))
	}
}

// hold puts frozen parameters back where they were.
func (c *correction) hold() {
	at := 0
	for k := range c.d.Freeze {
		at += copy(c.frozen(k, c.d.step.Params), c.start[at:])
	}
}

// frozen returns the part of v that the k-th frozen block is: nothing where v ends before it, as
// it does before blocks that have no gradient.
func (c *correction) frozen(k int, v Vector) Vector {
	b := &c.d.Freeze[k]
	if b.Offset >= len(v) {
		return nil
	}
	return b.Of(v).Data
}
