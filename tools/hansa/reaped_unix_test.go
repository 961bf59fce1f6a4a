//go:build unix

package main

import (
	"syscall"
	"testing"
	"time"
)

// reaped returns how long processes that ended have computed for this one.
func reaped(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
