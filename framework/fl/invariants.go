package fl

import (
	"fmt"
	"math"
	"slices"
)

// CheckClients returns what is wrong with clients that a component names: each is one of
// 0, …, n−1, and they ascend.
func CheckClients(ids []int, n int) error {
	for k, i := range ids {
		if i < 0 || i >= n {
			return fmt.Errorf("client %d, there are clients 0 to %d", i, n-1)
		}
		if err := checkOrder(ids, k); err != nil {
			return err
		}
	}
	return nil
}

// CheckSubset returns what is wrong with clients that are picked of those available: they are
// among them, and ascend as those do.
func CheckSubset(ids, available []int) error {
	for k, i := range ids {
		if err := checkOrder(ids, k); err != nil {
			return err
		}
		at, found := slices.BinarySearch(available, i) // a few of many
		if !found {
			return fmt.Errorf("client %d, which is not available", i)
		}
		available = available[at+1:]
	}
	return nil
}

// checkOrder refuses a client that is not larger than the one before it.
func checkOrder(ids []int, k int) error {
	switch {
	case k == 0 || ids[k] > ids[k-1]:
		return nil
	case ids[k] == ids[k-1]:
		return fmt.Errorf("client %d twice", ids[k])
	}
	return fmt.Errorf("client %d after client %d; want them ascending", ids[k], ids[k-1])
}

// CheckDistribution returns why p is no probability distribution over n elements, called what in
// messages: n numbers, none of them negative, NaN or infinite, whose sum is 1 within slack.
func CheckDistribution(what string, p Vector, n int, slack float64) error {
	if len(p) != n {
		return fmt.Errorf("%d %s, want %d", len(p), what, n)
	}
	sum, rest := 0.0, 0.0 // and its rounding error (Neumaier)
	for i, x := range p {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%s of which element %d is %v", what, i, x)
		}
		next := sum + x
		if sum >= x {
			rest += (sum - next) + x
		} else {
			rest += (x - next) + sum
		}
		sum = next
	}
	if sum += rest; math.Abs(sum-1) > slack {
		return fmt.Errorf("%s that sum to %v, not 1", what, sum)
	}
	return nil
}
