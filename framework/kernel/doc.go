// Package kernel holds the hot loops, on flat slices of float64 and nothing else.
//
// A kernel checks the lengths it is given by slicing, so a programmer's mistake
// panics at its first line and the loop below runs without bounds checks. The
// order of every sum is fixed by the code, never by the length of a cache line or
// the number of goroutines: the same input gives the same bits.
package kernel
