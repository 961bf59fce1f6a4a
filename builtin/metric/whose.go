package metric

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// newWhose declares with which parameters clients predict.
func newWhose(p *fl.Params) fl.Whose {
	const global, personal, tuned, deployed = fl.GlobalModel, fl.PersonalModel, fl.FineTunedModel,
		fl.DeployedModel
	w := fl.Whose(p.Choice("model", string(global), "with which each client predicts: the global "+
		"one; the personal one, which its local rule keeps, and the global one before it trained; "+
		"the global one after fine-tuning on its training samples by its local rule; or deployed, "+
		"which of these the method is about", string(global), string(personal), string(tuned),
		string(deployed)))
	p.Later("model")
	switch s := p.Setting(); {
	case !s.Known() || w == global:
	case w == personal && !s.Personal:
		p.Fail("model", "personal needs a local rule that keeps a model of each client, such as "+
			"ditto or fedper")
	case w == tuned && !s.Models:
		p.Fail("model", "fine-tuned needs a local rule that trains models")
	}
	return w
}

// mean returns the mean of a measurement of clients at the parameters with which they predict, over
// their test samples: these count the same, or clients do, or clients by p.
func (w perClient) own(s *fl.Snapshot, m part) (float64, error) {
	x, err := m.byClient(s)
	if err != nil {
		return 0, err
	}
	tests, start := s.Population.ClientTests()
	sum := 0.0
	for i := range x {
		n := start[i+1] - start[i]
		share := 1 / float64(len(x))
		switch w {
		case "samples":
			share = float64(n) / float64(tests.Len())
		case "importance":
			share = s.Roster.Importance[i]
		}
		if n > 0 {
			sum += share * x[i]
		} else if w != "samples" {
			return 0, errors.New("a client has no test samples")
		}
	}
	return sum, nil
}
