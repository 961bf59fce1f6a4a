package engine

import "github.com/hansa-fl/hansa/framework/fl"

// A start is what one client was sent to train, and in which round.
type start struct {
	t         int
	global    fl.Vector
	broadcast fl.Tensors
	mail      fl.Tensors
	limit     int // the most steps that it makes; 0: all
}

// start returns what the k-th of the cohort was sent.
func (j *job) start(k int) start {
	if j.starts != nil {
		return j.starts[k]
	}
	s := start{j.t, j.sent, j.broadcast, j.mail.of(j.cohort[k]), 0}
	if j.limits != nil {
		s.limit = j.limits[k]
	}
	return s
}
