package adversary

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A perturbation is the direction p in which min-max and min-sum move the mean of honest updates.
type perturbation string

func newPerturbation(p *fl.Params) perturbation {
	return perturbation(p.Choice("perturbation", "inverse-std", "direction in which the mean is "+
		"moved: against it, against the deviations, or against its signs", "inverse-unit",
		"inverse-std", "inverse-sign"))
}

// of makes the deviations of the updates the direction, given their mean.
func (d perturbation) of(mean, deviation fl.Vector) fl.Vector {
	switch d {
	case "inverse-std":
		deviation.Scale(-1)
		return deviation
	case "inverse-sign":
		copy(deviation, mean)
		deviation.Sign()
		deviation.Scale(-1)
		return deviation
	}
	copy(deviation, mean)
	if norm := mean.Norm(); norm > 0 {
		deviation.Scale(-1 / norm)
	}
	return deviation
}

// distances returns ‖Δᵢ − Δⱼ‖² of the updates that an attack sees.
func distances(a *fl.Attack) fl.Matrix {
	models := a.Models()
	n := len(models)
	d := fl.Matrix{Rows: n, Cols: n, Data: a.Scratch(n * n)}
	tensor.SquaredDistances(d, models)
	return d
}
