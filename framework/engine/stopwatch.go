package engine

import "time"

// A stopwatch is the only clock of the framework. What it shows is reported beside
// results, never in them, and decides nothing.
type stopwatch struct{ start time.Time }

func startWatch() stopwatch { return stopwatch{time.Now()} }

func (w stopwatch) seconds() float64 { return time.Since(w.start).Seconds() }
