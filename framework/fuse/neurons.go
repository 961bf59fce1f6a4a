package fuse

import "github.com/hansa-fl/hansa/framework/fl"

// Activations returns what the neurons of a network say of the rows of x: by layer of its layout a
// matrix with a row for each neuron and a column for each sample, or for each pixel of each sample;
// nothing for layers that feed no dense layer, and for the input. They are as the dense layer gets
// them: after rectifiers, norms and pools.
func Activations(w fl.DenseWorker, n *Network, x fl.Matrix) []fl.Matrix {
	t, at := tie(&n.Layout), map[int]int{} // of a weight, by the number of its blocks
	for i := range n.Layout.Layers {
		l := &n.Layout.Layers[i]
		if l.Kind == fl.KindDense && t.root(l.From[0]) != t.root(input) {
			at[n.Layout.Block(i, fl.Weight).Layer] = t.root(l.From[0]) - 1
		}
	}
	said := make([][]float64, len(n.Layout.Layers)) // sample by sample, neurons innermost
	w.DenseInputs(n.Params, x, func(weight *fl.Block, z fl.Matrix) {
		if i, ok := at[weight.Layer]; ok {
			said[i] = append(said[i], z.Data...)
		}
	})
	list := make([]fl.Matrix, len(said))
	for i, all := range said {
		if len(all) == 0 {
			continue
		}
		neurons := n.Layout.Layers[i].Out.C
		list[i] = fl.NewMatrix(neurons, len(all)/neurons)
		for k, v := range all {
			list[i].Row(k % neurons)[k/neurons] = v
		}
	}
	return list
}
