package kinds

import "github.com/hansa-fl/hansa/framework/fl"

// Drag is an adversary that keeps state and sees the updates of the cohort.
var Drag = fl.AdversaryEntry{
	Name:    "drag",
	Summary: "faulty clients send the reverse of a running mean of honest updates",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return &drag{p.Float("pull", 1, fl.AtLeast(0), "times which it is reversed")}, nil
	},
	Traits: fl.AdversaryTraits{Knows: fl.KnowsCohort},
}

type drag struct{ pull float64 }

// Corrupt reverses the running mean.
func (d *drag) Corrupt(a *fl.Attack) error {
	mean, _ := a.Moments()
	running := a.State.Vector("running", len(mean))
	running.Scale(0.5)
	running.AddScaled(0.5, mean)
	copy(mean, running)
	mean.Scale(-d.pull)
	a.Send(mean)
	return nil
}

// Blur poisons data.
var Blur = fl.AdversaryEntry{
	Name:    "blur",
	Summary: "faulty clients train on rows with noise",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return fl.DataAttack(&blur{p.Float("sigma", 1, fl.AtLeast(0), "deviation")}), nil
	},
}

type blur struct{ sigma float64 }

// Poison adds noise.
func (b *blur) Poison(p *fl.Poisoning) error {
	for r := 0; r < p.Data.Len(); r++ {
		p.Data.X.Row(r).AddNoise(b.sigma, p.RNG)
	}
	return nil
}
