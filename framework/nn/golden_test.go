package nn

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// A golden is a case of a file under testdata, made by PyTorch in float64 and channels first. It is
// compared at the precision of float32.
type golden struct {
	Name             string
	Inputs, Expected map[string]any
}

// readGolden returns the case of a name.
func readGolden(t *testing.T, file, name string) golden {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var content struct{ Cases []golden }
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	for _, c := range content.Cases {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%s has no case %s", file, name)
	return golden{}
}

// numbers returns all numbers of nested lists, in order.
func numbers(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var all []float64
		for _, e := range v {
			all = append(all, numbers(e)...)
		}
		return all
	}
	return nil
}

// single returns numbers as float32.
func single(v any) []float32 {
	var all []float32
	for _, e := range numbers(v) {
		all = append(all, float32(e))
	}
	return all
}

// classes returns numbers as classes.
func classes(v any) []int {
	var all []int
	for _, e := range numbers(v) {
		all = append(all, int(e))
	}
	return all
}

// last turns images or windows of a shape from channels first to channels last.
func last(v []float64, s Shape) []float64 {
	turned := make([]float64, len(v))
	for b := range len(v) / s.Len() {
		for p := range s.H * s.W {
			for c := range s.C {
				turned[b*s.Len()+p*s.C+c] = v[b*s.Len()+c*s.H*s.W+p]
			}
		}
	}
	return turned
}

// narrow returns v as float32.
func narrow(v []float64) []float32 {
	w := make([]float32, len(v))
	for i := range v {
		w[i] = float32(v[i])
	}
	return w
}

func TestGoldenSoftmaxRegression(t *testing.T) {
	g := readGolden(t, "nn_dense.json", "softmax_regression")
	params := append(single(g.Inputs["W"]), single(g.Inputs["b"])...)
	tape := mustNew(t, vector(4), Dense(3)).Tape(7)
	loss := tape.CrossEntropy(tape.Train(params, single(g.Inputs["X"]), 7), classes(g.Inputs["y"]))
	grad := make([]float32, len(params))
	tape.Backward(grad, params)
	// The net knows no penalty: the golden case adds l2/2·‖W‖².
	l2 := g.Inputs["l2_on_W"].(float64)
	for i, w := range single(g.Inputs["W"]) {
		loss += l2 / 2 * float64(w) * float64(w)
		grad[i] += float32(l2) * w
	}
	near(t, "loss", []float32{float32(loss)}, numbers(g.Expected["loss"]), 1e-6)
	near(t, "W", grad[:12], numbers(g.Expected["grad_W"]), 1e-6)
	near(t, "b", grad[12:], numbers(g.Expected["grad_b"]), 1e-6)
}

func TestGoldenCrossEntropyOfExtremeScores(t *testing.T) {
	g := readGolden(t, "nn_dense.json", "cross_entropy_extreme_logits")
	tape := mustNew(t, vector(3), Flatten()).Tape(2)
	scores := tape.Train(nil, single(g.Inputs["logits"]), 2)
	for key, y := range map[string][]int{"loss": {0, 2}, "loss_if_first_label_is_2": {2, 2}} {
		if got := tape.CrossEntropy(scores, y); math.Abs(got-g.Expected[key].(float64)) > 1e-6*got {
			t.Errorf("%s: %v, want %v", key, got, g.Expected[key])
		}
	}
}

func TestGoldenDoubleSoftmax(t *testing.T) {
	g := readGolden(t, "nn_dense.json", "double_softmax_loss")
	const n, c = 4, 3
	prob := numbers(g.Inputs["logits"])
	for k := range n {
		sum := 0.0
		for i := range c {
			prob[k*c+i] = math.Exp(prob[k*c+i])
			sum += prob[k*c+i]
		}
		for i := range c {
			prob[k*c+i] /= sum
		}
	}
	tape := mustNew(t, vector(c), Flatten()).Tape(n)
	loss := tape.CrossEntropy(tape.Train(nil, narrow(prob), n), classes(g.Inputs["y"]))
	near(t, "loss", []float32{float32(loss)}, numbers(g.Expected["loss"]), 1e-6)
	got := make([]float32, n*c)
	for k := range n {
		mean := 0.0
		for i := range c {
			mean += prob[k*c+i] * float64(tape.slopes[k*c+i])
		}
		for i := range c {
			got[k*c+i] = float32(prob[k*c+i] * (float64(tape.slopes[k*c+i]) - mean))
		}
	}
	near(t, "gradient", got, numbers(g.Expected["grad"]), 1e-6)
}

func TestGoldenHalfMeanSquaredError(t *testing.T) {
	g := readGolden(t, "nn_dense.json", "half_mean_squared_error")
	params := append(single(g.Inputs["w"]), 0)
	tape := mustNew(t, vector(4), Dense(1)).Tape(7)
	loss := tape.SquaredError(tape.Train(params, single(g.Inputs["X"]), 7), numbers(g.Inputs["t"]))
	grad := make([]float32, 5)
	tape.Backward(grad, params)
	kernel.Scale32(grad, 0.5)
	near(t, "loss", []float32{float32(loss / 2)}, numbers(g.Expected["loss"]), 1e-6)
	near(t, "gradient", grad[:4], numbers(g.Expected["grad"]), 1e-6)
}

// checkTraining compares scores, loss and gradients, and two steps of gradient descent.
// blocks turns the tensors of a parameter list into our order.
func checkTraining(t *testing.T, g golden, net *Net, x []float32, blocks func(any) []float64) {
	t.Helper()
	y := classes(g.Inputs["y"])
	first := "params"
	if g.Inputs[first] == nil {
		first = "params_W_then_b_per_layer"
	}
	params := narrow(blocks(g.Inputs[first]))
	tape, grad := net.Tape(len(y)), make([]float32, len(params))
	scores := tape.Train(params, x, len(y))
	near(t, "scores", scores, numbers(g.Expected["logits"]), 1e-6)
	loss := tape.CrossEntropy(scores, y)
	near(t, "loss", []float32{float32(loss)}, numbers(g.Expected["loss"]), 1e-6)
	tape.Backward(grad, params)
	near(t, "gradients", grad, blocks(g.Expected["grads"]), 2e-6)

	sgd := g.Expected["after_two_steps"].(map[string]any)["sgd"].(map[string]any)
	rate := sgd["hyper"].(map[string]any)["lr"].(float64)
	for _, step := range []string{"step1", "step2"} {
		tape.CrossEntropy(tape.Train(params, x, len(y)), y)
		tape.Descend(params, float32(rate))
		near(t, step, params, blocks(sgd[step]), 1e-6)
	}
}

func TestGoldenMLP(t *testing.T) {
	g := readGolden(t, "nn_dense.json", "mlp_relu")
	net := mustNew(t, vector(5), Dense(6), ReLU(), Dense(4), ReLU(), Dense(3))
	checkTraining(t, g, net, single(g.Inputs["X"]), func(v any) []float64 { return numbers(v) })
}

func TestGoldenConvNet(t *testing.T) {
	g := readGolden(t, "nn_conv.json", "conv_net")
	in := Shape{8, 8, 2}
	net := mustNew(t, in, Conv(3, 3, 1, 1), ReLU(), MaxPool(2, 2),
		Conv(4, 3, 1, 1), ReLU(), MaxPool(2, 2), Flatten(), Dense(3))
	checkTraining(t, g, net, narrow(last(numbers(g.Inputs["X"]), in)), func(v any) (all []float64) {
		for i, e := range v.([]any) {
			// A weight's rows are windows; those of the last one, flattened images.
			if s, ok := map[int]Shape{0: {3, 3, 2}, 2: {3, 3, 3}, 4: {2, 2, 4}}[i]; ok {
				all = append(all, last(numbers(e), s)...)
			} else {
				all = append(all, numbers(e)...)
			}
		}
		return all
	})
}

// checkLayer compares the output and the gradients of one layer for a given gradient at
// the output, and returns the gradient at its parameters.
func checkLayer(t *testing.T, g golden, net *Net, params []float32, output string) []float32 {
	t.Helper()
	x := narrow(last(numbers(g.Inputs["x"]), net.in))
	up := narrow(last(numbers(g.Inputs["upstream"]), net.out))
	y, grad, dx := gradients(net, params, x, up, len(x)/net.in.Len())
	near(t, g.Name+": y", y, last(numbers(g.Expected[output]), net.out), 1e-6)
	near(t, g.Name+": x", dx, last(numbers(g.Expected["grad_x"]), net.in), 2e-6)
	return grad
}

func TestGoldenConvolutions(t *testing.T) {
	for name, w := range map[string]window{
		"conv2d_stride1_pad0": {kh: 3, kw: 2, stride: 1},
		"conv2d_stride2_pad1": {kh: 3, kw: 2, stride: 2, pad: 1},
	} {
		g := readGolden(t, "nn_conv.json", name)
		net := mustNew(t, Shape{6, 5, 3}, convolution{out: 4, window: w})
		weight := last(numbers(g.Inputs["w"]), Shape{3, 2, 3})
		grad := checkLayer(t, g, net, append(narrow(weight), single(g.Inputs["b"])...), "y")
		near(t, "w", grad[:72], last(numbers(g.Expected["grad_w"]), Shape{3, 2, 3}), 2e-6)
		near(t, "b", grad[72:], numbers(g.Expected["grad_b"]), 1e-6)
	}
}

func TestGoldenMaxPool(t *testing.T) {
	g := readGolden(t, "nn_conv.json", "maxpool2_floor")
	checkLayer(t, g, mustNew(t, Shape{5, 4, 2}, MaxPool(2, 2)), nil, "y")
}

func TestGoldenBatchNorm(t *testing.T) {
	g := readGolden(t, "nn_conv.json", "batchnorm2d")
	in := Shape{4, 3, 2}
	net := mustNew(t, in, BatchNorm())
	params := append(append(single(g.Inputs["gamma"]), single(g.Inputs["beta"])...), 0, 0, 1, 1)
	grad := checkLayer(t, g, net, params, "y_train")
	near(t, "gamma", grad[:2], numbers(g.Expected["grad_gamma"]), 2e-6)
	near(t, "beta", grad[2:4], numbers(g.Expected["grad_beta"]), 1e-6)

	tape, x := net.Tape(3), narrow(last(numbers(g.Inputs["x"]), in))
	tape.Train(params, x, 3)
	tape.Track(params)
	near(t, "mean", params[4:6], numbers(g.Expected["running_mean"]), 1e-6)
	near(t, "variance", params[6:8], numbers(g.Expected["running_var"]), 1e-6)
	y := tape.Forward(params, x, 3)
	near(t, "evaluation", y, last(numbers(g.Expected["y_eval_after"]), in), 2e-6)
}
