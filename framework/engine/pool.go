package engine

import (
	"sync"
	"sync/atomic"
)

// A pool is a number of workers for long tasks. A task may spread its own parts in turn, over the
// workers that are idle by then.
type pool struct{ idle chan struct{} } // as many elements as workers are idle

// newPool returns a pool of so many workers, of which the caller is one.
func newPool(workers int) *pool {
	g := &pool{make(chan struct{}, workers)}
	for range workers - 1 {
		g.idle <- struct{}{}
	}
	return g
}

// spread calls do for 0 … n−1, several at once, and returns the error of the first that has one.
// The caller works as well; before each call of its own it is joined by those that are idle. A
// panic is an error.
func (g *pool) spread(n int, do func(k int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func(k int) {
		defer guard(&errs[k])
		errs[k] = do(k)
	}
	for k := take(&next); k < n; k = take(&next) {
		for left := n - k - 1; left > 0 && g.acquire(); left-- {
			wg.Go(func() {
				defer g.release()
				for k := take(&next); k < n; k = take(&next) {
					work(k)
				}
			})
		}
		work(k)
	}
	g.release() // a caller that waits is idle: the others may spread their parts
	wg.Wait()
	<-g.idle // and goes on once it is its turn again, so that there are never more workers
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func take(next *atomic.Int64) int { return int(next.Add(1)) - 1 }

// acquire reports whether a worker was idle; it is not any more.
func (g *pool) acquire() bool {
	select {
	case <-g.idle:
		return true
	default:
		return false
	}
}

func (g *pool) release() { g.idle <- struct{}{} }
