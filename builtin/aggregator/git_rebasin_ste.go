package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// A straightThrough finds permutations by the loss half way between two networks,
//
//	S. K. Ainsworth, J. Hayase, S. Srinivasa. Git Re-Basin. ICLR 2023, Algorithm 2.
//
//	θ̂ ← θ_A;  repeat:  π ← argmax ⟨θ̂, π(θ_B)⟩;  θ̂ ← θ̂ − η·½∇L(½(θ_A + π(θ_B)))
//
// The gradient is taken as if θ̂ were π(θ_B), which is what the name means. L is over batches of
// the samples that the server holds: gradients of one client's samples would be those of another
// task, and permutations would cost rounds. The result is the π, of those that were met, with the
// least L over all samples; the first is weight matching, so that it is never worse than that
// there. Networks are matched one by one with the most accurate, θ_A: the paper has two. Layers are
// visited in random orders, so that a part of what is gained is that of several tries.
type straightThrough struct {
	steps, batch int
	lr           float64
}

// newStraightThrough declares the parameters.
func newStraightThrough(p *fl.Params) (on bool, s straightThrough) {
	on = p.Choice("matching", "weights", "what permutations make agree: weights of all networks, "+
		"or by the straight-through estimator the loss half way to the most accurate network, on "+
		"the server's samples", "weights", "straight-through") == "straight-through"
	s.steps = p.Int("ste_steps", 100, fl.AtLeast(0), "steps of the estimator; 0: weight matching "+
		"with the most accurate")
	s.batch = p.Int("ste_batch", 32, fl.AtLeast(1), "samples of a step")
	s.lr = p.Float("ste_lr", 0.1, fl.Above(0), "η of a step")
	for _, name := range []string{"matching", "ste_steps", "ste_batch", "ste_lr"} {
		p.Later(name)
	}
	if set := p.Setting(); set.Known() && on && !set.Held {
		p.Fail("matching", "the loss is of samples that the server holds; validation = 0.1 gives "+
			"it a tenth")
	}
	return on, s
}

// agree permutes the neurons of networks, which are those of updates in the order of clients.
func (s *straightThrough) agree(r *fl.Round, own []fl.Vector) error {
	if r.Validation == nil || r.Validation.Len() == 0 {
		return errors.New("the server holds no samples to match networks by")
	}
	order, err := ranked(r)
	if err != nil {
		return err
	}
	best, m := order[len(order)-1], new(fuse.Matcher)
	for i, k := range byClient(r) {
		if k != best {
			if err := s.pair(r, m, r.Updates[best].Params, own[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair permutes the neurons of b to match those of a.
func (s *straightThrough) pair(r *fl.Round, m *fuse.Matcher, a, b fl.Vector) error {
	n, d := len(a), r.Validation
	guide, grad, middle := a.Clone(), make(fl.Vector, n), make(fl.Vector, n)
	pi, best := b.Clone(), make(fl.Vector, n)
	w, l, least := r.Model.Worker(), r.Model.Layout(), 0.0
	trained := l.Trained(n)
	for step := range s.steps + 1 {
		if _, err := m.Match(pi, guide, &l, r.RNG); err != nil {
			return err
		}
		copy(middle, a)
		middle.Scale(0.5)
		middle.AddScaled(0.5, pi)
		if loss := w.Loss(middle, d); step == 0 || loss < least {
			least = loss
			copy(best, pi)
		}
		rows := r.Room(s.batch)
		for range min(s.batch, d.Len()) {
			rows = append(rows, r.RNG.IntN(d.Len()))
		}
		clear(grad)
		w.Gradient(grad, middle, d, rows)
		guide[:trained].AddScaled(-s.lr/2, grad[:trained])
	}
	r.Notes.Observe("loss half way to the most accurate", least)
	copy(b, best)
	return nil
}
