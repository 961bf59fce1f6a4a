//go:build !amd64

package kernel

func sinkhornFours(path, []float64, []float64, []float64, [2][]float64) int { return 0 }
