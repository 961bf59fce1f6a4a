// Package asked declares the flags by which tests of strategies are asked for more. Every test
// below plugins knows them, so that one command may name all packages:
//
//	go test ./plugins/... -run Corpora -corpora all
package asked

import "flag"

// Corpora says which programs of other people are compiled and interpreted.
var Corpora = flag.String("corpora", "sample", "which programs of other people are compiled and "+
	"interpreted: `sample`, all, or those whose names have this part")

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
