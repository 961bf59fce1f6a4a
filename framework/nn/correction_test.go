package nn

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// A corrected step is one by the gradient and its correction, in every layer, whether the weights of
// a dense layer are corrected at once or a panel at a time.
func TestDescendCorrectedIsBackwardAndACorrectedStep(t *testing.T) {
	const batch, rate = 5, 0.3
	try := func(name string, s step, c kernel.Correction) {
		tape := s.net.Tape(batch)
		_, grad := s.gradient(tape, 0, batch)
		trained := s.net.Trained()
		c.Add(grad[:trained], s.params[:trained], 1)
		want := wide(s.params)
		for i := range want {
			want[i] -= rate * float64(grad[i])
		}
		tape.CrossEntropy(tape.Train(s.params, s.x, batch), s.y)
		tape.DescendCorrected(s.params, rate, c)
		near(t, name, s.params, want, 2e-6)
	}
	for k, c := range smallNets {
		n := newStep(t, k, batch).net.Trained()
		shift, _ := normals(newRand(11), n)
		anchor, _ := normals(newRand(12), n)
		for _, o := range []kernel.Correction{
			{}, {Shift: shift}, {Anchor: anchor, Pull: 0.5},
			{Shift: shift, Anchor: anchor, Pull: 0.5},
		} {
			try(c.name, newStep(t, k, batch), o)
		}
	}
	wide := step{net: mustNew(t, vector(700), Dense(3*12*(panel/700/12)+5), ReLU(), Dense(10))}
	rng := newRand(13)
	wide.params = wide.net.Init(rng)
	wide.x, _ = normals(rng, batch*700)
	wide.y = labels(rng, batch)
	shift, _ := normals(rng, wide.net.Trained())
	try("panels", wide, kernel.Correction{Shift: shift, Anchor: shift, Pull: 0.1})
}

// A correction by nothing, and a proximal term at its anchor, change no bit of a step.
func TestDescendCorrectedByNothing(t *testing.T) {
	const batch, rate = 5, 0.3
	for k, c := range smallNets {
		plain := newStep(t, k, batch)
		tape := plain.net.Tape(batch)
		tape.CrossEntropy(tape.Train(plain.params, plain.x, batch), plain.y)
		tape.Descend(plain.params, rate)
		for _, o := range []kernel.Correction{
			{Shift: make([]float32, plain.net.Trained())},
			{Anchor: newStep(t, k, batch).params[:plain.net.Trained()], Pull: 0.5},
		} {
			s := newStep(t, k, batch)
			tape.CrossEntropy(tape.Train(s.params, s.x, batch), s.y)
			tape.DescendCorrected(s.params, rate, o)
			if !slices.Equal(s.params, plain.params) {
				t.Errorf("%s: a correction by nothing changes a step", c.name)
			}
		}
	}
}

func TestCorrectedStepsAllocateNothing(t *testing.T) {
	const batch = 4
	for k, c := range smallNets {
		s := newStep(t, k, batch)
		tape := s.net.Tape(batch)
		shift := make([]float32, s.net.Trained())
		train := func() {
			tape.CrossEntropy(tape.Train(s.params, s.x, batch), s.y)
			tape.DescendCorrected(s.params, 1e-3, kernel.Correction{Shift: shift, Anchor: shift, Pull: 1})
		}
		train()
		if n := testing.AllocsPerRun(3, train); n != 0 {
			t.Errorf("%s: %v allocations per step", c.name, n)
		}
	}
}
