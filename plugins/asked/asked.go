// Package asked declares the flags by which tests of strategies are asked for more. Every test
// below plugins knows them, so that one command may name all packages:
//
//	go test ./plugins/... -run Corpora -corpora all
package asked

import "flag"

// Corpora says which programs of other people are compiled and interpreted.
var Corpora = flag.String("corpora", "sample", "which programs of other people are compiled and "+
	"interpreted: `sample`, all, or those whose names have this part")
