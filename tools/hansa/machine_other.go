//go:build !linux

package main

// installed returns 0: it is not known how much memory the machine has.
func installed() uint64 { return 0 }

// room reports that it is not known how much room a folder has.
func room(string) (bytes uint64, ok bool) { return 0, false }
