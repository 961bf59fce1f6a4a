package engine

import "time"

// A stopwatch is the only clock of the framework. What it shows is reported beside
// results, never in them, and decides nothing.
type stopwatch struct {
	start  time.Time
	before float64 // seconds that were taken before the start
}

func startWatch() stopwatch { return stopwatch{start: time.Now()} }

func (w stopwatch) seconds() float64 { return w.before + time.Since(w.start).Seconds() }
