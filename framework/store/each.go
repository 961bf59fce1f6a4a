package store

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each visits 0 … n−1, as many of them at once as there are processors, and returns when all are
// visited: reading many records takes waiting more than computing.
func Each(n int, visit func(k int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				visit(k)
			}
		})
	}
	workers.Wait()
}
