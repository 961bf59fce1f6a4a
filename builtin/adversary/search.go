package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// A search finds the factor of an attack that does most harm against the rule of the server:
//
//	max over x ≥ 0 of ‖θᵗ(x) − (θᵗ⁻¹ + μ)‖,
//
// where θᵗ(x) is what the server makes of the cohort when every faulty client sends base + x·along,
// and μ is the mean of the honest updates. It goes as ByzFL's LineMaximize does: from x = 0 by
// steps that double while the harm grows, and then around the best x by steps that shrink by 0.8,
// for a number of evaluations in all.
type search struct {
	optimal     bool
	evaluations int
}

// Of a search: its first step, and how steps shrink.
const (
	firstStep = 1.0
	shrink    = 0.8
)

func newSearch(p *fl.Params, factor string) search {
	return search{
		optimal: p.Bool("optimal", false, factor+" is found in every round by line search against "+
			"the rule of the server, which the adversary knows then"),
		evaluations: p.Int("evaluations", 16, fl.AtLeast(1), "how often the rule is tried in a "+
			"round where "+factor+" is optimal"),
	}
}

// run has all faulty clients send the best base + x·along.
func (s *search) run(a *fl.Attack, base, along, mean fl.Vector) error {
	aim := a.Scratch(len(mean))
	copy(aim, a.Global)
	aim.Add(mean)
	update := a.Scratch(len(mean))
	send := func(x float64) {
		copy(update, base)
		update.AddScaled(x, along)
		a.Send(update)
	}
	best, err := s.maximise(func(x float64) (float64, error) {
		send(x)
		next, err := a.Try()
		if err != nil {
			return 0, err
		}
		return next.Distance(aim), nil
	})
	if err != nil {
		return err
	}
	send(best)
	return nil
}

// maximise returns the best of the x that it tries. A harm of NaN is none.
func (s *search) maximise(harm func(x float64) (float64, error)) (best float64, err error) {
	most, err := harm(0)
	x, step := 0.0, firstStep
	left := s.evaluations - 1
	for ; err == nil && left > 0; left-- {
		x = best + step
		var y float64
		if y, err = harm(x); !(y > most) {
			step *= shrink
			left--
			break
		}
		best, most = x, y
		step *= 2
	}
	for ; err == nil && left > 0; left-- {
		if x < best {
			x += step
		} else {
			from := x
			for x -= step; x < 0; {
				x = (x + from) / 2
			}
		}
		var y float64
		if y, err = harm(x); y > most {
			best, most = x, y
		}
		step *= shrink
	}
	return best, err
}
