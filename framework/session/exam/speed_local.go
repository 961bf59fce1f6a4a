package exam

import (
	"math/rand/v2"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// Sizes at which a local rule is measured: so few samples that gradients take little beside a loop
// over parameters.
const (
	localSamples = 4
	localParams  = 50_000
	// perStep is the limit for a parameter in a step of a client: interpreted, one line of a loop
	// over parameters takes as long alone, and a compiled step an eighth of it.
	perStep = 40 * time.Nanosecond
)

// training returns a call of a local rule by a client of a linear model, which counts its steps.
func training(r *registry.Registry, name string, steps *int) func() error {
	rule, ok := built(r, &r.LocalRules, name)
	if !ok {
		return nil
	}
	e, _ := r.Models.Get("linear")
	shape := fl.Shape{Features: localParams - 1}
	entry, err := e.New(r.Params(nil, fl.Setting{Clients: 1, Rounds: 1, Shape: shape}))
	if err != nil {
		return nil
	}
	model, err := entry.For(shape)
	if err != nil {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	own := fl.Dataset{Shape: shape, X: fl.NewMatrix(localSamples, shape.Features)}
	for k := range own.X.Data {
		own.X.Data[k] = rng.NormFloat64()
	}
	for range localSamples {
		own.Target = append(own.Target, rng.NormFloat64())
	}
	global := make(fl.Vector, model.Layout().Len())
	t := &fl.Task{Client: &fl.Client{Data: own}, Global: global, Params: global.Clone(),
		Model: model, Worker: model.Worker(), Broadcast: fl.Tensors{}, RNG: rng}
	return func() (err error) {
		defer recovered(&err)
		t.Recycle()
		copy(t.Params, t.Global)
		u, err := rule.Run(t)
		*steps = u.Steps
		return err
	}
}
