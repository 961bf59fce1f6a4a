package engine

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// takeShare draws a share of each client's training samples and takes them away. A client keeps at
// least one sample to train on, and of two or more at least one is drawn.
func takeShare(pop *fl.Population, share float64, rng *rand.Rand) (*fl.Dataset, []int, error) {
	train, test := make([][]int, pop.N()), make([][]int, pop.N())
	drawn := 0
	for i := range pop.N() {
		lo, n := pop.Start[i], pop.Start[i+1]-pop.Start[i]
		most := n - 1
		take := min(max(int(math.Round(share*float64(n))), 1), most)
		order := rng.Perm(n)
		for k, r := range order {
			if k < take {
				test[i] = append(test[i], lo+r)
			} else {
				train[i] = append(train[i], lo+r)
			}
		}
		slices.Sort(test[i])
		slices.Sort(train[i])
		drawn += take
	}
	if drawn == 0 {
		return nil, nil, errors.New("no client has two training samples, one of which could be " +
			"held out")
	}
	own, start := arrange(pop.Train, test)
	pop.Train, pop.Start = arrange(pop.Train, train)
	return own, start, nil
}
