package engine

import "github.com/hansa-fl/hansa/framework/fl"

// JudgeOf returns what a judge saw.
func JudgeOf(visits, mean fl.Vector, untold string) *judge { return &judge{visits, mean, untold} }

// Untold returns why a judge knows nothing.
func Untold(j *judge) string { return j.Untold }
