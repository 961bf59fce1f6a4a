package fl

import (
	"math"
	"math/rand/v2"
)

// On returns a task that trains a copy of Global on some of this task's samples, given by their
// rows, with batches from rng; nil stands for all samples. It shares the Worker: only one of the
// two may run at a time. Its State is empty, and not kept.
func (t *Task) On(rows []int, rng *rand.Rand) *Task {
	c := *t.Client
	if rows != nil {
		c.Data = *t.Client.Data.Pick(rows)
	}
	return &Task{T: t.T, Client: &c, Global: t.Global, Params: t.Global.Clone(), Model: t.Model,
		Worker: t.Worker, Broadcast: t.Broadcast, Mail: t.Mail, State: NewStore(),
		RNG: rng, Limit: t.Limit}
}

// Validate returns for every learning rate a validation loss, summed over samples. A share of this
// task's samples, drawn at random, at least one and not all of them, is held out; for each rate,
// train trains a task on the others, with the same batches, and its Params are evaluated on those
// held out. A loss that is not finite becomes MaxFloat32. With a single sample nothing can be held
// out, and all losses are 0.
func (t *Task) Validate(rates []float64, share float64, train func(t *Task, rate float64)) Vector {
	losses, n := make(Vector, len(rates)), t.Client.Data.Len()
	if n < 2 {
		return losses
	}
	order := t.RNG.Perm(n)
	held := min(max(1, int(share*float64(n))), n-1)
	validation := t.Client.Data.Pick(order[:held])
	a, b := t.RNG.Uint64(), t.RNG.Uint64()
	for k, rate := range rates {
		trial := t.On(order[held:], rand.New(rand.NewPCG(a, b)))
		train(trial, rate)
		losses[k] = float64(held) * t.Worker.Loss(trial.Params, validation)
		if !(losses[k] <= math.MaxFloat32) {
			losses[k] = math.MaxFloat32
		}
	}
	return losses
}
