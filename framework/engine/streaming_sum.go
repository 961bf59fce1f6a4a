package engine

import (
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
)

// together is how many models fl.Vector.AddWeighted adds in one pass.
const together = 4

// A streamingSum adds the models of a cohort up as its clients finish, four at a time and in the
// order of clients, as fl.WeightedSum does with models that were kept. It holds four models
// and two for every worker of the trainer, whatever the size of the cohort.
type streamingSum struct {
	trainer *trainer
	shared  bool // several workers may work
	w, sum  fl.Vector
	views   [][]float64

	mu    sync.Mutex
	moved sync.Cond   // front has moved
	front int         // models before this one are in the sum
	done  []bool      // by place: trained, and not yet in the sum
	model []fl.Vector // by place; nil when the client uploads none
	busy  bool        // a worker adds

	adding float64 // seconds that it took to add, where the server is timed
}

func newStreamingSum(w *trainer) *streamingSum {
	f := &streamingSum{trainer: w}
	f.moved.L = &f.mu
	return f
}

// begin readies the sum Σₖ w[k]·θₖ of the trainer's job, which is added to sum.
func (f *streamingSum) begin(w, sum fl.Vector) {
	c := f.trainer
	f.w, f.sum, f.front, f.adding = w, sum, 0, 0
	f.shared = len(c.workers) > 1
	spare := 0
	if f.shared {
		spare = 2 * len(c.workers)
	}
	c.reserve(min(len(c.job.cohort), together+spare))
	if n := len(c.places); len(f.done) < n {
		f.done, f.model = make([]bool, n), make([]fl.Vector, n)
	}
	clear(f.done)
}

// await returns once the place of the k-th client is free. Clients are handed out in order,
// so the first one that is not yet in the sum never waits.
func (f *streamingSum) await(k int) {
	if !f.shared {
		return
	}
	f.mu.Lock()
	for k >= f.front+len(f.trainer.places) {
		f.moved.Wait()
	}
	f.mu.Unlock()
}

// take takes the k-th client's model, and adds what can now be added. Only one worker adds
// at a time; it goes on with what others bring meanwhile.
func (f *streamingSum) take(k int, model fl.Vector) {
	place := k % len(f.trainer.places)
	if !f.shared {
		f.model[place] = model
		if hi := f.end(); k+1 == hi {
			f.add(f.front, hi)
			f.front = hi
		}
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done[place], f.model[place] = true, model
	if f.busy {
		return
	}
	f.busy = true
	for f.ready() {
		lo, hi := f.front, f.end()
		f.mu.Unlock()
		f.add(lo, hi)
		f.mu.Lock()
		for i := lo; i < hi; i++ {
			f.done[i%len(f.trainer.places)] = false
		}
		f.front = hi
		f.moved.Broadcast()
	}
	f.busy = false
}

// end returns the end of the models that are added next.
func (f *streamingSum) end() int { return min(f.front+together, len(f.w)) }

// ready reports whether there are models to be added next, and all of them are trained.
func (f *streamingSum) ready() bool {
	for k := f.front; k < f.end(); k++ {
		if !f.done[k%len(f.trainer.places)] {
			return false
		}
	}
	return f.front < len(f.w)
}

// add adds models lo to hi, unless one of them came to nothing.
func (f *streamingSum) add(lo, hi int) {
	c := f.trainer
	f.views = f.views[:0]
	for k := lo; k < hi; k++ {
		if c.errs[k] != nil {
			return
		}
		f.views = append(f.views, f.model[k%len(c.places)])
	}
	watch := c.setup.lap()
	f.sum.AddWeighted(f.w[lo:hi], f.views)
	f.adding += c.setup.since(watch)
}
