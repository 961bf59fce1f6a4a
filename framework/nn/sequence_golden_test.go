package nn

import "testing"

// decoder is a small decoder-only transformer.
func decoder() []Layer {
	return []Layer{
		Embedding(7, 4, 1), Position(1),
		Residual(LayerNorm(), Positions(12), Attention(2), Positions(4)),
		Residual(LayerNorm(), Positions(16), GELU(), Positions(4)),
		LayerNorm(), Tied(),
	}
}

func TestGoldenSequenceLayers(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     Shape
		layers []Layer
	}{
		{"lstm", Shape{6, 1, 3}, []Layer{LSTM(4), LSTM(4)}},
		{"tanh", Shape{5, 1, 3}, []Layer{Tanh()}},
		{"sigmoid", Shape{5, 1, 3}, []Layer{Sigmoid()}},
		{"gelu", Shape{5, 1, 3}, []Layer{GELU()}},
		{"quick-gelu", Shape{5, 1, 3}, []Layer{QuickGELU()}},
		{"layer_norm", Shape{5, 1, 6}, []Layer{LayerNorm()}},
		{"attention", Shape{70, 1, 12}, []Layer{Attention(2)}},
		{"gru", Shape{6, 1, 3}, []Layer{GRU(4), GRU(4)}},
		{"self", Shape{66, 1, 12}, []Layer{SelfAttention(2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, net := readGolden(t, "nn_sequence.json", c.name), mustNew(t, c.in, c.layers...)
			x := single(g.Inputs["x"])
			y, grad, dx := gradients(net, single(g.Inputs["params"]), x,
				single(g.Inputs["upstream"]), len(x)/c.in.Len())
			near(t, "y", y, numbers(g.Expected["y"]), 2e-6)
			near(t, "grads", grad, numbers(g.Expected["grads"]), 1e-5)
			near(t, "grad_x", dx, numbers(g.Expected["grad_x"]), 1e-5)
		})
	}
}

func TestGoldenDecoder(t *testing.T) {
	g, net := readGolden(t, "nn_sequence.json", "decoder"), mustNew(t, Shape{5, 1, 1}, decoder()...)
	tape, params := net.Tape(3), single(g.Inputs["params"])
	x, y := single(g.Inputs["tokens"]), classes(g.Inputs["y"])
	scores := tape.Train(params, x, 3)
	near(t, "y", scores, numbers(g.Expected["y"]), 2e-6)
	loss := tape.CrossEntropy(scores, y)
	near(t, "loss", []float32{float32(loss)}, numbers(g.Expected["loss"]), 1e-6)
	grad := make([]float32, len(params))
	tape.Backward(grad, params)
	near(t, "grads", grad, numbers(g.Expected["grads"]), 1e-5)
	if blocks := net.Layout().Blocks; len(blocks) != 16 || net.Params() != len(params) {
		t.Errorf("%d blocks and %d parameters", len(blocks), net.Params())
	}

	want := make([]float64, len(params))
	for i, v := range params {
		want[i] = float64(v) - 0.25*float64(grad[i])
	}
	tape.CrossEntropy(tape.Train(params, x, 3), y)
	tape.Descend(params, 0.25)
	near(t, "a step", params, want, 1e-6)
}
