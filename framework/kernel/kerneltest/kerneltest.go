// Package kerneltest is what tests of kernels, and of what stands on them, ask in common.
package kerneltest

import "testing"

// Panics calls functions that must panic.
func Panics(t *testing.T, calls map[string]func()) {
	t.Helper()
	for name, call := range calls {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes anything", name)
				}
			}()
			call()
		}()
	}
}

// None fails if a function allocates.
func None(t *testing.T, call func()) {
	t.Helper()
	if n := testing.AllocsPerRun(10, call); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
}
