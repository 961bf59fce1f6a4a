package plugins

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// samples is how many elements of a vector a watch looks at.
const samples = 64

// A watch tells whether a call wrote to vectors that it may only read. It looks at a sample
// of each, so that it costs nothing beside the call: who scales or adds to a vector is found
// out, who changes one element may not be. The contract looks at all of them.
type watch struct {
	names   []string
	vectors []fl.Vector
	was     []uint64
}

func (w *watch) reset() { w.names, w.vectors, w.was = w.names[:0], w.vectors[:0], w.was[:0] }

// add remembers a vector as it is.
func (w *watch) add(name string, v fl.Vector) {
	w.names, w.vectors = append(w.names, name), append(w.vectors, v)
	for i := 0; i < len(v); i += stride(v) {
		w.was = append(w.was, math.Float64bits(v[i]))
	}
}

// changed returns an error that names a vector that is not what it was.
func (w *watch) changed() error {
	k := 0
	for j, v := range w.vectors {
		for i := 0; i < len(v); i += stride(v) {
			if math.Float64bits(v[i]) != w.was[k] {
				return fmt.Errorf("changed %s, which it may only read", w.names[j])
			}
			k++
		}
	}
	return nil
}

func stride(v fl.Vector) int { return max(1, (len(v)+samples-1)/samples) }
