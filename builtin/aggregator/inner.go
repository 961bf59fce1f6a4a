package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// stepAlong declares an inner aggregator, and returns one that makes the step of o along what that
// one makes of a round: without it along the weighted mean of deltas.
func stepAlong(p *fl.Params, mean *fedAvg, o fl.ServerOptimizer) fl.Aggregator {
	inner := p.Inner()
	if p.Given(fl.InnerParam) {
		if p.Given("weights") {
			p.Clash("weights", fl.InnerParam, "the inner aggregator takes the place of the "+
				"weighted mean; weights, where it has them, are parameters of it")
		}
		p.Later("weights")
	}
	if inner == nil {
		return fl.WeighThen(mean, o)
	}
	return fl.Nest(inner, o)
}
