package plugins

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// compressor guards an fl.Compressor. Clients that encode at once wait for each other.
type compressor guarding[fl.Compressor]

// guardCompressor guards a compressor, but for one that changes nothing, which the engine is to
// know.
func guardCompressor(g guarded, c fl.Compressor) (fl.Compressor, error) {
	if _, none := c.(fl.NoCompressor); none {
		return c, nil
	}
	return &compressor{g, c}, nil
}

// Encode implements fl.Compressor.
func (c *compressor) Encode(k *fl.Coding) error {
	return c.try("Encode", func() error { return c.of.Encode(k) }, input{"k", k})
}

// Decode implements fl.Compressor.
func (c *compressor) Decode(k *fl.Coding) error {
	parameters := len(k.Out)
	return c.try("Decode", func() error {
		if err := c.of.Decode(k); err != nil {
			return err
		}
		return checkParams(k.Out, parameters)
	}, input{"k", k})
}

// Guarantee implements fl.Compressor.
func (c *compressor) Guarantee(n int) (g fl.Guarantee, known bool) {
	c.must("Guarantee", func() error {
		if g, known = c.of.Guarantee(n); known && !(g.Omega >= 0) {
			return fmt.Errorf("returned an Omega of %v", g.Omega)
		}
		return nil
	})
	return g, known
}

// coding returns an update of so many parameters that is encoded and decoded.
func coding(c fl.Compressor, _ *registry.Registry, parameters int) func() (int, error) {
	rng, shared := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
	k := &fl.Coding{In: normals(rng, parameters), Out: make(fl.Vector, parameters),
		Code: new(fl.Bits), State: fl.NewStore(), RNG: rng, Shared: shared,
		Layout: fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 1, Cols: parameters}}}}
	d := &fl.Coding{Out: k.Out, Code: k.Code, Layout: k.Layout,
		Shared: rand.New(rand.NewPCG(3, 4))}
	return func() (int, error) {
		k.Recycle()
		d.Recycle()
		k.Code.Reset()
		clear(k.Out)
		err := c.Encode(k)
		if err == nil {
			k.Code.Rewind()
			err = c.Decode(d)
		}
		k.T, d.T = k.T+1, d.T+1
		return 1, err
	}
}
