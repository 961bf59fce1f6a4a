package privacy

import (
	"math"
	"sort"
)

// Delta returns bounds of the least δ with which the releases are (ε, δ)-private.
func (p *Profile) Delta(epsilon float64) (Interval, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return Interval{}, err
	}
	if p.nothing {
		return Interval{1, 1}, nil
	}
	var out Interval
	for _, c := range p.above {
		out.High = max(out.High, min(1, c.at(epsilon)+c.ends+p.Allowance))
	}
	for _, c := range p.below {
		out.Low = max(out.Low, c.at(epsilon)-outside-p.Allowance)
	}
	return out, nil
}

// Epsilon returns bounds of the least ε ≥ 0 with which the releases are (ε, δ)-private. The upper
// one is +Inf when δ is less than what lies beyond the window and the allowance for rounding.
func (p *Profile) Epsilon(delta float64) (Interval, error) {
	if err := checkDelta(delta); err != nil {
		return Interval{}, err
	}
	if p.nothing {
		return Interval{math.Inf(1), math.Inf(1)}, nil
	}
	var out Interval
	for _, c := range p.above {
		out.High = max(out.High, c.inverse(delta-c.ends-p.Allowance))
	}
	for _, c := range p.below {
		out.Low = max(out.Low, c.inverse(delta+outside+p.Allowance))
	}
	return out, nil
}

// at returns the profile at a loss: between grid points it is linear in e^ε.
func (c *composed) at(epsilon float64) float64 {
	position := epsilon/c.step - float64(c.first)
	k := int(math.Floor(position))
	switch {
	case position >= float64(len(c.delta)-1):
		return 0
	case position < 0:
		// Every loss in the window is larger: the profile goes to the total mass, linearly in e^ε.
		return c.total - math.Exp(position*c.step)*(c.total-c.delta[0])
	}
	t := math.Expm1((position-float64(k))*c.step) / math.Expm1(c.step)
	return c.delta[k] + t*(c.delta[k+1]-c.delta[k])
}

// inverse returns the least ε ≥ 0 with a profile of at most delta, +Inf when delta is negative.
func (c *composed) inverse(delta float64) float64 {
	if delta < 0 {
		return math.Inf(1)
	}
	// The first point whose δ is small enough.
	k := sort.Search(len(c.delta), func(k int) bool { return c.delta[k] <= delta })
	switch {
	case k == 0 && delta >= c.total:
		return 0
	case k == 0:
		before := math.Log((c.total - delta) / (c.total - c.delta[0]))
		return max(0, float64(c.first)*c.step+before)
	}
	left := float64(c.first+k-1) * c.step
	t := (c.delta[k-1] - delta) / (c.delta[k-1] - c.delta[k])
	return max(0, left+math.Log1p(t*math.Expm1(c.step)))
}
