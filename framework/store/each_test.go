package store_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
)

// Each number is visited once.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		visits := make([]int, n)
		store.Each(n, func(k int) { visits[k]++ })
		for k, times := range visits {
			if times != 1 {
				t.Errorf("%d of %d is visited %d times", k, n, times)
			}
		}
	}
}
