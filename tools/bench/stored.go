package main

import (
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// storedRows lists rounds of a perceptron and of softmax regression on images of bytes, as they are
// stored and as numbers of double precision.
func storedRows() (all [][]benchmark) {
	for _, n := range []network{mlp, logits} {
		compose := func(packed bool) func() (engine.Setup, error) {
			return func() (engine.Setup, error) {
				s, err := modelCell(n, "sgd")
				s.Source, s.Packed = levelled{s.Source}, packed
				return s, err
			}
		}
		name := "fl/" + n.name + "-bytes/10/"
		all = append(all, []benchmark{
			{name + "stored", "rounds/s", play(compose(true), engine.Options{})},
			{name + "double", "rounds/s", play(compose(false), engine.Options{})},
		})
	}
	return all
}

// levelled are the rows of a source with pixels from 0 to 1, rounded to 256 levels.
type levelled struct{ fl.Source }

// Load implements fl.Source.
func (s levelled) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	train, test, err = s.Source.Load(l)
	if err != nil {
		return nil, nil, err
	}
	b := make([]uint8, len(train.X.Data))
	for k, v := range train.X.Data {
		b[k] = uint8(math.Round(255 * min(1, max(0, v))))
	}
	train.X.Data, train.Packed = nil, fl.NewBytes(b, train.X.Cols)
	train.Packed.Levels = fl.NewLevels(func(v float64) float64 { return v / 255 })
	if !l.Packed {
		train.Unpack()
	}
	return train, test, nil
}
