package engine

import "slices"

// cut sets the most steps of every client that is asked, and the time that it needs for these: of
// stragglers, and where work is partial, of those that would be late.
func (m *completion) cut(t int) {
	f, n := &m.input, len(m.input.Asked)
	m.limits = slices.Grow(m.limits[:0], n)[:n]
	clear(m.limits)
	if !m.Policy.Cuts() {
		return
	}
	for k, i := range f.Asked {
		if f.Steps[k] < 2 {
			continue
		}
		if share := m.Policy.Stragglers; share > 0 {
			rng := m.random.Open(m.slow.At(t, i))
			if rng.Float64() < share {
				m.shorten(k, 1+rng.IntN(f.Steps[k]))
			}
		}
		if m.Policy.Partial {
			m.fit(k)
		}
	}
}

// shorten has the k-th client that is asked make so many of its steps.
func (m *completion) shorten(k, steps int) {
	f := &m.input
	if all := f.Steps[k]; steps < all {
		rest := f.After[k] - f.Work[k]
		f.Work[k] *= float64(steps) / float64(all)
		f.After[k] = rest + f.Work[k]
		f.Steps[k], m.limits[k] = steps, steps
	}
}

// fit has the k-th client that is asked make as many steps as let it meet the deadline; where no
// step does, it is late with all of them.
func (m *completion) fit(k int) {
	f, limit := &m.input, m.Policy.Deadline
	if f.After[k] <= limit || f.Work[k] == 0 {
		return
	}
	left, each := limit-(f.After[k]-f.Work[k]), f.Work[k]/float64(f.Steps[k])
	if !(left >= each) {
		return
	}
	// Rounding must not have it late after all.
	m.shorten(k, max(1, min(f.Steps[k]-1, int(left/each))))
	f.After[k] = min(f.After[k], limit)
}

// limits returns the most steps of each client of the cohort of a synchronous server, 0 where it
// makes all. Nil: all make all.
func (c *Cell) limits() []int {
	m := c.participation.completion
	if m == nil || !m.Policy.Cuts() || c.participation.asynchronous != nil {
		return nil
	}
	return m.most
}
