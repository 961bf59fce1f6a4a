package optimizer_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
)

// trajectory is the case of testdata/nn_dense.json in which PyTorch's optimizers make two
// steps on a small network.
type trajectory struct {
	Inputs struct {
		X      [][]float64
		Y      []int
		Sizes  []int
		Params []json.RawMessage `json:"params_W_then_b_per_layer"`
	}
	Expected struct {
		Loss  float64
		Grads []json.RawMessage
		After map[string]struct {
			Hyper        map[string]any
			Step1, Step2 []json.RawMessage
		} `json:"after_two_steps"`
	}
	Tol struct{ Abs, Rel float64 }
}

func readTrajectory(t *testing.T) *trajectory {
	t.Helper()
	text, err := os.ReadFile("testdata/nn_dense.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		var head struct{ Name string }
		if err := json.Unmarshal(c, &head); err != nil {
			t.Fatal(err)
		}
		if head.Name != "mlp_relu" {
			continue
		}
		tr := new(trajectory)
		if err := json.Unmarshal(c, tr); err != nil {
			t.Fatal(err)
		}
		return tr
	}
	t.Fatal("there is no case mlp_relu")
	return nil
}

// flat strings the blocks of a network together, row by row.
func flat(t *testing.T, blocks []json.RawMessage) fl.Vector {
	t.Helper()
	var all fl.Vector
	for _, b := range blocks {
		var rows [][]float64
		if json.Unmarshal(b, &rows) != nil {
			rows = make([][]float64, 1)
			if err := json.Unmarshal(b, &rows[0]); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range rows {
			all = append(all, row...)
		}
	}
	return all
}

// gradient returns that of the mean cross-entropy of the network, by plain loops.
func (tr *trajectory) gradient(theta fl.Vector) fl.Vector {
	grad, sizes := make(fl.Vector, len(theta)), tr.Inputs.Sizes
	for r, x := range tr.Inputs.X {
		layers, at := []fl.Vector{x}, []int{}
		offset := 0
		for l := 1; l < len(sizes); l++ {
			in, out := layers[l-1], make(fl.Vector, sizes[l])
			at = append(at, offset)
			for j := range out {
				out[j] = theta[offset+sizes[l]*len(in)+j]
				for k, v := range in {
					out[j] += theta[offset+j*len(in)+k] * v
				}
				if l < len(sizes)-1 {
					out[j] = max(0, out[j])
				}
			}
			offset += sizes[l] * (len(in) + 1)
			layers = append(layers, out)
		}
		delta, sum := layers[len(layers)-1].Clone(), 0.0
		for j, s := range delta {
			delta[j] = math.Exp(s)
			sum += delta[j]
		}
		delta.Scale(1 / sum)
		delta[tr.Inputs.Y[r]]--
		delta.Scale(1 / float64(len(tr.Inputs.X)))
		for l := len(sizes) - 1; l > 0; l-- {
			in, below := layers[l-1], make(fl.Vector, len(layers[l-1]))
			for j, d := range delta {
				grad[at[l-1]+sizes[l]*len(in)+j] += d
				for k, v := range in {
					grad[at[l-1]+j*len(in)+k] += d * v
					if v > 0 {
						below[k] += d * theta[at[l-1]+j*len(in)+k]
					}
				}
			}
			delta = below
		}
	}
	return grad
}

// PyTorch's optimizers make the same two steps.
//
//hansa:verifies source optimizer/sgd optimizer/adam optimizer/adamw
func TestStepsOfPyTorch(t *testing.T) {
	tr := readTrajectory(t)
	agrees := func(what string, got, want fl.Vector) {
		t.Helper()
		for k := range want {
			if !(math.Abs(got[k]-want[k]) <= tr.Tol.Abs+tr.Tol.Rel*math.Abs(want[k])) {
				t.Fatalf("%s: parameter %d is %.12g, want %.12g", what, k, got[k], want[k])
			}
		}
	}
	start := flat(t, tr.Inputs.Params)
	agrees("gradient", tr.gradient(start), flat(t, tr.Expected.Grads))
	for name, e := range map[string]fl.OptimizerEntry{"sgd": optimizer.SGD,
		"sgd_momentum_wd": optimizer.SGD, "adam": optimizer.Adam, "adam_wd": optimizer.Adam,
		"adamw": optimizer.AdamW} {
		want, ok := tr.Expected.After[name]
		if !ok {
			t.Fatalf("there is no trajectory %s", name)
		}
		rate, given := hyper(t, want.Hyper)
		o := build(t, e, given)
		d := descent(o, start, rate)
		for k, target := range [][]json.RawMessage{want.Step1, want.Step2} {
			copy(d.Grad, tr.gradient(d.Params))
			o.Step(d)
			d.T++
			agrees(name, d.Params, flat(t, target))
			if k == 0 && d.Params.Distance(start) == 0 {
				t.Errorf("%s: nothing moved", name)
			}
		}
	}
}

// hyper translates PyTorch's names.
func hyper(t *testing.T, from map[string]any) (rate float64, given map[string]any) {
	t.Helper()
	given = map[string]any{}
	for key, v := range from {
		switch key {
		case "lr":
			rate, _ = v.(float64)
		case "eps":
			given["epsilon"] = v
		default:
			given[key] = v
		}
	}
	return rate, given
}
