// Package compressor holds the compressors: in which bits clients send their updates.
package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// of returns an entry's New for a compressor that cannot fail.
func of[T fl.Compressor](make func(p *fl.Params) T) func(*fl.Params) (fl.Compressor, error) {
	return func(p *fl.Params) (fl.Compressor, error) { return make(p), nil }
}

// single is the square of how far the nearest float32 is at most, of a number.
const single = 0x1p-48

// count is how many numbers of an update are sent.
type count struct {
	k     int
	share float64
}

// newCount declares how many numbers are sent.
func newCount(p *fl.Params) count {
	c := count{
		share: p.Float("share", 0.01, fl.LeftOpen(0, 1), "share of the numbers of an update that "+
			"are sent, rounded up"),
		k: p.Int("k", 0, fl.AtLeast(0), "how many numbers are sent instead, at most all; 0: by "+
			"share"),
	}
	if c.k > 0 && p.Given("share") && p.Given("k") {
		p.Clash("k", "share", "share is given too; leave one of them out")
	}
	return c
}

// of returns how many of n numbers are sent.
func (c count) of(n int) int {
	if c.k > 0 {
		return min(c.k, n)
	}
	return min(n, int(math.Ceil(c.share*float64(n))))
}
