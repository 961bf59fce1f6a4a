package main

import "github.com/hansa-fl/hansa/registry"

// A compiledStrategy is one of the user's that this program was built with.
type compiledStrategy struct {
	digest string // of its code, by which a file of an experiment is known to be it
	add    func(r *registry.Registry) error
}

// compiledStrategies lists them. There are none but in a program that `hansa build` made: it
// puts another file in the place of this one.
func compiledStrategies() []compiledStrategy { return nil }
