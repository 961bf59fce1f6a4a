package main

import "github.com/hansa-fl/hansa/plugins"

// compiledStrategies returns what is compiled into this program of strategies, by their digests.
// There is nothing but in programs that package compile made: it puts another file in the place of
// this one.
func compiledStrategies() map[string]plugins.Compiled { return nil }
