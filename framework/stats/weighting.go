package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Weighting says how evenly weights w ≥ 0 are spread.
type Weighting struct {
	Total     float64 // Σw
	Effective float64 // (Σw)²/Σw²: so many equal weights make a mean of the same variance (Kish)
	Largest   float64 // largest weight as a share of the total
}

// Weigh describes weights. All is zero where none is positive.
func Weigh(w tensor.Vector) Weighting {
	largest := 0.0
	for _, x := range w {
		largest = max(largest, x)
	}
	if largest == 0 {
		return Weighting{}
	}
	// In units of the largest weight, no square overflows.
	sum, squares := 0.0, 0.0
	for _, x := range w {
		x /= largest
		sum += x
		squares += float64(x * x)
	}
	return Weighting{Total: sum * largest, Effective: sum * sum / squares, Largest: 1 / sum}
}

// A WeightError compares inclusion probabilities π with their estimates π̂, ρᵢ = πᵢ/π̂ᵢ: averages
// by 1/π̂ have client i in the limit ρᵢ times as often as they should.
type WeightError struct {
	Epsilon   float64 // maxᵢ |ρᵢ − 1|
	ScaleFree float64 // maxᵢ |ρᵢ/ρ̄ − 1| for the mean ρ̄: a common factor makes no bias
}

// ResidualError returns the residual weight error of inclusion probabilities and their estimates. A
// client that never participates has ρ = 0 for any estimate.
func ResidualError(chance, estimated tensor.Vector) WeightError {
	rho := func(i int) float64 {
		if chance[i] == 0 {
			return 0
		}
		return chance[i] / estimated[i]
	}
	mean := 0.0
	for i := range chance {
		mean += rho(i) / float64(len(chance))
	}
	var e WeightError
	for i := range chance {
		e.Epsilon = max(e.Epsilon, math.Abs(rho(i)-1))
		e.ScaleFree = max(e.ScaleFree, math.Abs(rho(i)/mean-1))
	}
	return e
}
