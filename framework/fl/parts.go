package fl

import "slices"

// Top returns the head: the blocks of the last n layers that have weights, and of all between and
// after them. n = 1 is the layer that computes scores. Where there are no more than n such layers
// that is all blocks, and for n = 0 there are none.
func (l Layout) Top(n int) []Block {
	if n <= 0 {
		return nil
	}
	for k := len(l.Blocks) - 1; k >= 0; k-- {
		if l.Blocks[k].Name != Weight {
			continue
		}
		if n--; n == 0 {
			return l.Blocks[k:]
		}
	}
	return l.Blocks
}

// Body returns the blocks below the last n layers that have weights: all that Top does not return.
func (l Layout) Body(n int) []Block { return l.Blocks[:len(l.Blocks)-len(l.Top(n))] }

// Depth returns the number of layers that have weights.
func (l Layout) Depth() (n int) {
	for _, b := range l.Blocks {
		if b.Name == Weight {
			n++
		}
	}
	return n
}

// Trained returns how many of n parameters gradients train: all before running statistics, which
// are the last ones.
func (l Layout) Trained(n int) int {
	for _, b := range l.Blocks {
		if b.Name == RunningMean || b.Name == RunningVariance {
			n = min(n, b.Offset)
		}
	}
	return n
}

// Norms returns the blocks of the layers that normalise, running statistics included.
func (l Layout) Norms() (norms []Block) {
	for _, layer := range l.Layers {
		if layer.Kind == KindGroupNorm || layer.Kind == KindBatchNorm {
			for _, i := range layer.Blocks {
				norms = append(norms, l.Blocks[i])
			}
		}
	}
	slices.SortFunc(norms, func(a, b Block) int { return a.Offset - b.Offset })
	return norms
}
