package kernel

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPaths runs each kernel on each path.
func BenchmarkPaths(b *testing.B) {
	m := &maker[float64]{Rand: rand.New(rand.NewPCG(1, 1))}
	m32 := &maker[float32]{Rand: rand.New(rand.NewPCG(1, 2))}
	const rows, cols, long = 100, 20, 1 << 16
	x, y, a := m.slice(long), m.slice(long), m.slice(rows*cols)
	u, v, w := m.slice(rows), m.slice(cols), m.slice(cols)
	x32, y32, u32, v32 := m32.slice(long), m32.slice(long), m32.slice(long), m32.slice(long)
	xs, choice, labels := vectorsOf(m, 12, long), make([]uint8, long/4), make([]int, 64)
	adam := Adam{1e-9, 0.9, 0.999, 1e-3, 0, false}
	c, moments := adam.coefficients(3), [2][]float32{u32, v32}
	far := m32.slice(128)
	for i := range far {
		far[i] = 100
	}
	for _, k := range []struct {
		name string
		run  func(p path)
	}{
		{"dot/65536", func(p path) { dot64(p, x, y) }},
		{"dot/20", func(p path) { dot64(p, v, w) }},
		{"sum/12x65536", func(p path) { weightedSum64(p, y, xs[0][:12], xs) }},
		{"bias+relu/1024x64", func(p path) { addBias(p, x32, y32[:64], 0) }},
		{"relu-back/65536", func(p path) { reluBack32(p, x32, y32) }},
		{"columns/1024x64", func(p path) { addColumns(p, y32[:64], x32) }},
		{"max-pool/512x64", func(p path) {
			maxPool32(p, y32[:long/4], choice, x32[:long/2], x32[long/2:], 64)
		}},
		{"adam/65536", func(p path) { adam.step(p, c, x32, y32, moments) }},
		{"exp/65536", func(p path) { exp64(p, y, x) }},
		{"sigmoid/128/f32", func(p path) { curve32(p, y32[:128], x32[:128], 1, 1, 0) }},
		{"sigmoid/128/f32/saturated", func(p path) { curve32(p, y32[:128], far, 1, 1, 0) }},
		{"expsum/65536/f32", func(p path) { expSum32(p, y32, x32, 0) }},
		{"cross-entropy/64x10/f32", func(p path) {
			crossEntropy32(p, y32[:640], x32[:640], labels, 1)
		}},
		{"gemv/100x20", func(p path) { gemv(p, u, a, cols, v) }},
		{"gemvT/100x20", func(p path) { gemvT(p, v, a, cols, u) }},
		{"least-squares/100x20", func(p path) {
			learn(p, &linearModel{v, w, 0, 1e-9, false}, Samples{a, u})
		}},
		{"dither/65536", func(p path) { dither(p, y, x, Grid{1, 7, 1}, 1) }},
		{"large/65536", func(p path) { large(p, make([]uint64, long/64), x, 2) }},
		{"sinkhorn/256x256", func(p path) {
			sinkhorn(p, y[:256], y[256:512], x, [2][]float64{x[:256], x[:256]})
		}},
	} {
		for _, p := range usable() {
			b.Run(k.name+"/"+p.String(), func(b *testing.B) {
				for b.Loop() {
					k.run(p)
				}
			})
		}
	}
}
