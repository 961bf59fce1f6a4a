package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// A repairing says whether the hidden neurons of a mean of aligned networks are rescaled by REPAIR,
// on the samples that the server holds (fuse.Repair, Jordan et al. 2023).
type repairing bool

// newRepairing declares the parameter.
func newRepairing(p *fl.Params) repairing {
	does := p.Choice("repair", "none", "whether hidden neurons of the mean are rescaled to the "+
		"means and standard deviations that those of aligned networks have on the server's "+
		"samples, of convolutions by channel over pixels; without norms",
		"none", "server") == "server"
	p.Later("repair")
	if s := p.Setting(); s.Known() && does {
		switch {
		case !s.Held:
			p.Fail("repair", "the server's samples are those that it holds; validation = 0.1 "+
				"gives it a tenth")
		case s.Network:
			if _, err := fuse.Repairs(&s.Layout); err != nil {
				p.Fail("repair", "%v", err)
			}
		}
	}
	return repairing(does)
}

// of repairs the mean of networks, a model's parameters, in place.
func (a repairing) of(r *fl.Round, m fl.Model, mean fuse.Mean) error {
	if !a || len(mean.Of) < 2 {
		return nil
	}
	if r.Validation == nil || r.Validation.Len() == 0 {
		return errors.New("the server holds no samples to rescale neurons by")
	}
	worker, ok := m.Worker().(fl.LayerWorker)
	if !ok {
		return errors.New("neurons are rescaled by what they say, which this model does not show")
	}
	l := m.Layout()
	return fuse.Repair(worker, &l, mean, r.Validation.X)
}
