package engine

import "github.com/hansa-fl/hansa/framework/fl"

// ResidualOf returns residual weights.
func ResidualOf(visits, mean fl.Vector, untold string) *residual {
	return &residual{visits, mean, untold}
}

// Untold returns why residual weights are not known.
func Untold(j *residual) string { return j.Untold }
