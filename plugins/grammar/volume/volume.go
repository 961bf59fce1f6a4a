// Package volume holds the flags that say how many random programs the tests below plugins compile
// and interpret. All of these tests import it, so that one command can set them for all:
//
//	go test ./plugins/... -fuzz-programs 200000
package volume

import "flag"

var (
	// Programs is how many random programs there are.
	Programs = flag.Int("fuzz-programs", 2000,
		"how many random programs are compiled and interpreted")
	// Seed is that of the random programs.
	Seed = flag.Uint64("fuzz-seed", 1, "of the random programs")
	// Minimised is how many differences are made smaller before they are shown.
	Minimised = flag.Int("fuzz-minimised", 4, "how many differences are made smaller")
	// Store says that what is found is stored for the README.
	Store = flag.Bool("fuzz-store", false, "store the coverage matrix for the README")
)
