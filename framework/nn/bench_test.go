package nn

import "testing"

// BenchmarkStep is a training step of the models that papers use, with plain gradient
// descent: samples per second.
func BenchmarkStep(b *testing.B) {
	for _, m := range []struct {
		name   string
		batch  int
		in     Shape
		layers []Layer
	}{
		{"mlp", 64, vector(784), []Layer{
			Dense(400), ReLU(), Dense(200), ReLU(), Dense(100), ReLU(), Dense(10),
		}},
		{"cnn", 16, Shape{32, 32, 3}, []Layer{
			Conv(64, 5, 1, 0), ReLU(), MaxPool(2, 2), Conv(128, 5, 1, 0), ReLU(), MaxPool(2, 2),
			Flatten(), Dense(256), ReLU(), Dense(128), ReLU(), Dense(10),
		}},
		{"resnet9", 32, Shape{32, 32, 3}, resnet9()},
		{"vgg11", 32, Shape{32, 32, 3}, vgg11()},
		{"resnet18", 32, Shape{32, 32, 3}, resnet18()},
		{"mcmahan", 32, Shape{28, 28, 1}, []Layer{
			Conv(32, 5, 1, 2), ReLU(), MaxPool(2, 2), Conv(64, 5, 1, 2), ReLU(), MaxPool(2, 2),
			Flatten(), Dense(512), ReLU(), Dense(10),
		}},
	} {
		b.Run(m.name, func(b *testing.B) {
			rng := newRand(1)
			net := mustNew(b, m.in, m.layers...)
			params, tape := net.Init(rng), net.Tape(m.batch)
			_, data := normals(rng, m.batch*m.in.Len())
			y := labels(rng, m.batch)
			for b.Loop() {
				x := tape.Gather(data, nil)
				tape.CrossEntropy(tape.Train(params, x, m.batch), y)
				tape.Descend(params, 1e-4)
			}
			perSecond := float64(b.N*m.batch) / b.Elapsed().Seconds()
			b.ReportMetric(perSecond, "samples/s")
			// Backward takes twice the products of forward, but for the input's.
			b.ReportMetric(3*float64(net.FLOPs())*perSecond/1e9, "GFLOPS")
		})
	}
}

func resnet9() []Layer {
	block := func(c int) []Layer { return []Layer{Conv(c, 3, 1, 1), GroupNorm(8), ReLU()} }
	pooled := func(c int) []Layer { return append(block(c), MaxPool(2, 2)) }
	var l []Layer
	l = append(append(l, block(64)...), pooled(128)...)
	l = append(append(l, Residual(append(block(128), block(128)...)...)), pooled(256)...)
	l = append(append(l, pooled(512)...), Residual(append(block(512), block(512)...)...))
	return append(l, MaxPool(4, 4), Flatten(), Dense(10))
}

func resnet18() []Layer {
	l, in := []Layer{ConvBare(64, 3, 1, 1), GroupNorm(32), ReLU()}, 64
	for k := range 4 {
		for i := range 2 {
			out, stride := 64<<k, 1
			if k > 0 && i == 0 {
				stride = 2
			}
			main := []Layer{ConvBare(out, 3, stride, 1), GroupNorm(32), ReLU(),
				ConvBare(out, 3, 1, 1), GroupNorm(32)}
			if in == out {
				l = append(l, Residual(main...), ReLU())
			} else {
				l = append(l, ResidualBy([]Layer{ConvBare(out, 1, stride, 0), GroupNorm(32)}, main...),
					ReLU())
			}
			in = out
		}
	}
	return append(l, GlobalAvgPool(), Flatten(), Dense(10))
}

func vgg11() (l []Layer) {
	for _, stage := range [][]int{{64}, {128}, {256, 256}, {512, 512}, {512, 512}} {
		for _, c := range stage {
			l = append(l, Conv(c, 3, 1, 1), ReLU())
		}
		l = append(l, MaxPool(2, 2))
	}
	return append(l, Flatten(), Dense(10))
}
