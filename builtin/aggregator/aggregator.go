// Package aggregator holds the server's half of a method: how the models of a cohort
// become the next global model.
package aggregator

import "errors"

// errMixed is why models with different layouts cannot be added up.
var errMixed = errors.New("models with different layouts cannot be averaged")

// errNoUpdates is what an aggregator says to an empty cohort, which the engine never shows it.
var errNoUpdates = errors.New("no updates to aggregate")
