//go:build !linux

package host

// Installed returns 0: it is not known how much memory the machine has.
func Installed() uint64 { return 0 }

// Room reports that it is not known how much room a folder has.
func Room(string) (bytes uint64, ok bool) { return 0, false }
