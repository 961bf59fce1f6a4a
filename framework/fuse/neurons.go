package fuse

import "github.com/hansa-fl/hansa/framework/fl"

// Activations returns what the neurons of a network say of the rows of x: by layer of its layout a
// matrix with a row for each neuron and a column for each sample, or for each pixel or position of
// each sample; nothing for layers that feed no dense layer or convolution, and for the input. They
// are as the first of these gets them: after rectifiers, norms and pools. Of heads they are what
// attention makes of values.
func Activations(w fl.LayerWorker, n *Network, x fl.Matrix) []fl.Matrix {
	l, t := &n.Layout, tie(&n.Layout)
	at, said := map[int]int{}, map[int][]float64{} // of a weight, by the number of its blocks
	seen := map[int]bool{}
	for i := range l.Layers {
		layer := &l.Layers[i]
		if layer.Kind != fl.KindDense && layer.Kind != fl.KindConv {
			continue
		}
		if from := t.root(layer.From[0]); from != t.root(input) && !seen[from] {
			seen[from] = true
			at[l.Block(i, fl.Weight).Layer] = from
		}
	}
	w.LayerInputs(n.Params, x, func(weight *fl.Block, z fl.Matrix) {
		if root, ok := at[weight.Layer]; ok { // sample by sample, neurons innermost
			said[root] = append(said[root], z.Data...)
		}
	})
	list := make([]fl.Matrix, len(l.Layers))
	for i := range l.Layers {
		root := t.root(i)
		all := said[root]
		if len(all) == 0 || root != i+1 {
			continue
		}
		neurons := l.Layers[i].Out.C
		if h, ok := n.heads(t)[root]; ok {
			neurons = h.n * h.unit
		}
		list[i] = fl.NewMatrix(neurons, len(all)/neurons)
		for k, v := range all {
			list[i].Row(k % neurons)[k/neurons] = v
		}
	}
	return list
}

// heads returns those of a network, none where they cannot be aligned, which an alignment says.
func (n *Network) heads(t ties) map[int]heads {
	found, err := headsOf(&n.Layout, t)
	if err != nil {
		return nil
	}
	return found
}
