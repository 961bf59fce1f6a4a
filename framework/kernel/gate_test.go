package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

// units returns a random number of them, which fills registers more often than not.
func (m *maker[T]) units() int { return m.IntN(5) * []int{1, 8, 16}[m.IntN(3)] }

func TestGatesOnAllPaths(t *testing.T) {
	samePaths(t, 600, func(p path, m *maker[float32]) []float32 {
		n := m.units()
		lstmBack(p, m.slice(4*n), m.slice(n), [3][]float32{m.slice(n), m.slice(n), m.slice(n)})
		gruBack(p, m.slice(3*n), m.slice(n), m.slice(n), [2][]float32{m.slice(n), m.slice(n)})
		return nil
	})
}

// squash returns 1/(1 + e^−x).
func squash(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// slopes compares a gradient with differences of a function of some numbers.
func slopes(t *testing.T, x []float64, got []float32, f func(x []float64) float64) {
	t.Helper()
	const h = 1e-5
	for k, v := range x {
		x[k] = v + h
		above := f(x)
		x[k] = v - h
		want := (above - f(x)) / (2 * h)
		x[k] = v
		if math.Abs(float64(got[k])-want) > 1e-5 {
			t.Errorf("the gradient at %d is %v, want %v", k, got[k], want)
		}
	}
}

func TestGatesGoBackByTheGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := random(rng, 5) // four gates before their curves, and the cell or state before
	d, later := rng.NormFloat64(), rng.NormFloat64()

	cell := func(x []float64) float64 {
		return squash(x[1])*x[4] + squash(x[0])*math.Tanh(x[2])
	}
	gates := []float32{float32(squash(x[0])), float32(squash(x[1])), float32(math.Tanh(x[2])),
		float32(squash(x[3]))}
	own := []float32{float32(later)}
	LSTMBackward32(gates, own, []float32{float32(d)}, []float32{float32(math.Tanh(cell(x)))},
		[]float32{float32(x[4])})
	slopes(t, x, append(gates, own...), func(x []float64) float64 {
		return d*squash(x[3])*math.Tanh(cell(x)) + later*cell(x)
	})

	y := append(random(rng, 3), x[3], x[4]) // gates, what the reset gate multiplies, and the state
	state := math.Tanh(y[2] + squash(y[0])*y[3])
	gates = []float32{float32(squash(y[0])), float32(squash(y[1])), float32(state)}
	inner, held := []float32{float32(y[3])}, []float32{0}
	GRUBackward32(gates, inner, held, []float32{float32(y[4])}, []float32{float32(d)})
	slopes(t, y, append(append(gates, inner...), held...), func(y []float64) float64 {
		u := squash(y[1])
		return d * ((1-u)*math.Tanh(y[2]+squash(y[0])*y[3]) + u*y[4])
	})
}

func TestGatesThatDoNotFitPanic(t *testing.T) {
	of := func(n int) []float32 { return make([]float32, n) }
	kerneltest.Panics(t, map[string]func(){
		"lstm gates":  func() { LSTMBackward32(of(7), of(2), of(2), of(2), of(2)) },
		"lstm before": func() { LSTMBackward32(of(8), of(2), of(2), of(2), of(1)) },
		"gru gates":   func() { GRUBackward32(of(7), of(2), of(2), of(2), of(2)) },
		"gru inner":   func() { GRUBackward32(of(6), of(3), of(2), of(2), of(2)) },
	})
}
