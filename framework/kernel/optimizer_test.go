package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

func TestOptimizersOnAllPaths(t *testing.T) {
	samePaths(t, 2000, func(p path, m *maker[float32]) []float32 {
		n := m.length()
		w, grad, v, square := m.slice(n), m.slice(n), m.slice(n), m.slice(n)
		for _, nesterov := range []bool{false, true} {
			o := Momentum{Rate: 0.1, Momentum: 0.9, Decay: m.Float64(), Nesterov: nesterov}
			o.step(p, w, grad, v)
		}
		o := Adam{1e-2, 0.9, 0.999, 1e-8, m.Float64(), m.IntN(2) == 0}
		o.step(p, o.coefficients(1+m.IntN(5)), w, grad, [2][]float32{v, square})
		return nil
	})
}

// TestMomentumAgainstPyTorchsFormulas follows torch.optim.SGD in float64.
func TestMomentumAgainstPyTorchsFormulas(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(6, 6))}
	for _, nesterov := range []bool{false, true} {
		const n, eta, mu, lambda = 37, 0.05, 0.9, 0.01
		o := Momentum{eta, mu, lambda, nesterov}
		w, v := m.slice(n), make([]float32, n)
		want, velocity := widen(w), make([]float64, n)
		for range 20 {
			grad := m.slice(n)
			for i := range want {
				g := float64(grad[i]) + lambda*want[i]
				velocity[i] = mu*velocity[i] + g
				if nesterov {
					g += mu * velocity[i]
				} else {
					g = velocity[i]
				}
				want[i] -= eta * g
			}
			o.Step(w, grad, v)
		}
		close32(t, "parameters", w, want, 1e-6)
		close32(t, "velocity", v, velocity, 1e-6)
	}
}

// TestAdamAgainstPyTorchsFormulas follows torch.optim.Adam and AdamW in float64.
func TestAdamAgainstPyTorchsFormulas(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(7, 7))}
	for _, decoupled := range []bool{false, true} {
		const n, eta, beta1, beta2, epsilon, lambda = 37, 0.05, 0.9, 0.99, 1e-3, 0.1
		o := Adam{eta, beta1, beta2, epsilon, lambda, decoupled}
		w, mean, square := m.slice(n), make([]float32, n), make([]float32, n)
		want, m1, m2 := widen(w), make([]float64, n), make([]float64, n)
		for step := 1; step <= 20; step++ {
			grad := m.slice(n)
			for i := range want {
				g := float64(grad[i])
				if decoupled {
					want[i] -= eta * lambda * want[i]
				} else {
					g += lambda * want[i]
				}
				m1[i] = beta1*m1[i] + (1-beta1)*g
				m2[i] = beta2*m2[i] + (1-beta2)*g*g
				first := m1[i] / (1 - math.Pow(beta1, float64(step)))
				second := m2[i] / (1 - math.Pow(beta2, float64(step)))
				want[i] -= eta * first / (math.Sqrt(second) + epsilon)
			}
			o.Step(step, w, grad, mean, square)
		}
		close32(t, "parameters", w, want, 2e-6)
		close32(t, "first moment", mean, m1, 1e-6)
		close32(t, "second moment", square, m2, 1e-6)
	}
}

func TestOptimizersThatDoNotFitPanic(t *testing.T) {
	x, y := make([]float32, 3), make([]float32, 4)
	kerneltest.Panics(t, map[string]func(){
		"gradient":      func() { new(Momentum).Step(x, y, x) },
		"velocity":      func() { new(Momentum).Step(x, x, y) },
		"first moment":  func() { new(Adam).Step(1, x, x, y, x) },
		"second moment": func() { new(Adam).Step(1, x, x, x, y) },
		"step 0":        func() { new(Adam).Step(0, x, x, x, x) },
	})
}

func TestOptimizersAllocateNothing(t *testing.T) {
	var x, y, z, v [64]float32
	kerneltest.None(t, func() {
		(&Momentum{Rate: 0.1, Nesterov: true}).Step(x[:], y[:], z[:])
		(&Adam{Rate: 0.1}).Step(1, x[:], y[:], z[:], v[:])
	})
}
