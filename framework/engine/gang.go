package engine

import (
	"sync"
	"sync/atomic"
)

// A gang is a number of workers for what is long. What one of them does may be spread in turn, over
// those that are idle by then.
type gang struct{ idle atomic.Int64 }

// newGang returns a gang of so many workers, of which the caller is one.
func newGang(workers int) *gang {
	g := new(gang)
	g.idle.Store(int64(workers - 1))
	return g
}

// spread calls do for 0 … n−1, several at once, and returns the error of the first that has one.
// The caller works as well; before each call of its own it is joined by those that are idle. A
// panic is an error.
func (g *gang) spread(n int, do func(k int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func(k int) {
		defer guard(&errs[k])
		errs[k] = do(k)
	}
	for k := take(&next); k < n; k = take(&next) {
		for left := n - k - 1; left > 0 && g.hire(); left-- {
			wg.Go(func() {
				defer g.idle.Add(1)
				for k := take(&next); k < n; k = take(&next) {
					work(k)
				}
			})
		}
		work(k)
	}
	g.idle.Add(1) // who waits is idle: the others may spread what they do
	wg.Wait()
	g.idle.Add(-1)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func take(next *atomic.Int64) int { return int(next.Add(1)) - 1 }

// hire reports whether a worker was idle, who is not any more.
func (g *gang) hire() bool {
	for {
		idle := g.idle.Load()
		if idle <= 0 {
			return false
		}
		if g.idle.CompareAndSwap(idle, idle-1) {
			return true
		}
	}
}
