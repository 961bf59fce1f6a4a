// CCVR, the server's half — the head of a network, trained anew on virtual features.
//
//	M. Luo, F. Chen, D. Hu, Y. Zhang, J. Liang, J. Feng. No Fear of Heterogeneity: Classifier
//	Calibration for Federated Learning with Non-IID Data. NeurIPS 2021, Algorithm 1 and eq. 3–4.
//
// Notation: of client k and class c, n_kc samples whose features z ∈ ℝᵈ have the mean μ_kc and the
// covariance Σ_kc; N_c = Σ_k n_kc; θᵗ the mean of models by samples, as in FedAvg, T rounds. In the
// last round the server merges what the clients sent,
//
//	μ_c = Σ_k n_kc/N_c·μ_kc,
//	Σ_c = 1/(N_c − 1)·(Σ_k (n_kc − 1)·Σ_kc + Σ_k n_kc·μ_kc·μ_kcᵀ − N_c·μ_c·μ_cᵀ),
//
// draws M features of each class with samples from N(μ_c, Σ_c), and trains the last dense layer on
// them, from where it is. The rest of the network stays. So θᵀ⁻¹ is that of FedAvg after T − 1
// rounds, bit for bit, and with samples = 0 so is θᵀ.
//
// Departures: what is sent are sums of squares about means, which are merged as such: nothing
// cancels. Σ_c is 0 for a class of one sample. How the head is trained is our choice: M, rate and
// epochs of the paper are for other features.

package aggregator

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// CCVR describes the aggregator to the registry.
var CCVR = fl.AggregatorEntry{
	Name:    "ccvr",
	Summary: "mean of models by samples; in the last round trains the head on virtual features",
	Paper:   "luo2021",
	Deviations: "squares are merged about means; number of virtual features, rate and epochs are " +
		"not those of the paper",
	OneLabel: true,
	New:      newCCVR,
	Fits: func(s fl.Setting) error {
		if !s.Network || s.Head {
			return errors.New("needs a network of several layers, which has features to draw")
		}
		return needsNetworkOfClasses(s)
	},
	Traits: fl.AggregatorTraits{Method: "CCVR"},
}

// ccvr keeps nothing in State.
type ccvr struct {
	by      fl.Optimizer
	samples int // M
	rate    float64
	epochs  int
	batch   int // 0: all samples
}

var _ fl.Aggregator = (*ccvr)(nil)

func newCCVR(p *fl.Params) (fl.Aggregator, error) {
	return &ccvr{
		samples: p.Int("samples", 500, fl.AtLeast(0), "virtual features M of each class; 0: "+
			"FedAvg of one round less"),
		rate:   p.Float("lr", 0.01, fl.AtLeast(0), "learning rate of the head"),
		epochs: p.Int("epochs", 10, fl.AtLeast(0), "passes over the virtual features"),
		batch:  p.Int("batch", 64, fl.AtLeast(0), "virtual features per step; 0: all of them"),
		by:     p.Optimizer("optimizer", "sgd", "what makes a step of a gradient"),
	}, nil
}

// Aggregate implements fl.Aggregator.
func (a *ccvr) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	if len(r.Updates[0].Payload) > 0 {
		return a.calibrate(r)
	}
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		w[k] = float64(r.Updates[k].Samples)
	}
	toSumOne(w)
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// calibrate trains the head on virtual features.
func (a *ccvr) calibrate(r *fl.Round) (fl.Outcome, error) {
	next := r.Scratch(len(r.Global))
	copy(next, r.Global)
	weight, bias := lastDense(r.Layout)
	if weight == nil {
		return fl.Outcome{}, errors.New("the model has no dense layer at its end")
	}
	m, err := mergedMoments(r, weight.Rows, weight.Cols)
	if err != nil || a.samples == 0 {
		return fl.Outcome{Params: next}, err
	}
	drawn, err := a.virtual(r, m)
	if err != nil {
		return fl.Outcome{}, err
	}
	head, err := newHead(drawn.Shape, bias != nil)
	if err != nil {
		return fl.Outcome{}, err
	}
	params := make(fl.Vector, 0, head.Layout().Len())
	params = append(params, weight.Of(next).Data...)
	if bias != nil {
		params = append(params, bias.Of(next).Data...)
	}
	t := &fl.Task{T: r.T, Client: &fl.Client{ID: -1, Data: *drawn}, Model: head,
		Worker: head.Worker(), Global: params.Clone(), Params: params, RNG: r.RNG}
	d := t.Descent()
	d.Optimizer, d.Rate, d.Batches = a.by, a.rate, t.Batches(a.batch)
	d.Steps = a.epochs * d.Batches.PerEpoch()
	t.Worker.Descend(d)
	n := copy(weight.Of(next).Data, params)
	if bias != nil {
		copy(bias.Of(next).Data, params[n:])
	}
	return fl.Outcome{Params: next}, nil
}

// lastDense returns the weight of the last dense layer, and its bias or nil.
func lastDense(l fl.Layout) (weight, bias *fl.Block) {
	for k := len(l.Layers) - 1; k >= 0; k-- {
		if l.Layers[k].Kind == fl.KindDense {
			return l.Block(k, fl.Weight), l.Block(k, fl.Bias)
		}
	}
	return nil, nil
}

// newHead returns a linear head on features.
func newHead(shape fl.Shape, bias bool) (fl.Model, error) {
	m, err := model.Softmax.New(fl.NewParams(map[string]any{"bias": bias}, fl.Setting{}, nil))
	if err != nil {
		return nil, err
	}
	return m.For(shape)
}

// mergedMoments returns the moments of each class over all clients: each as of one class, with
// N_c, μ_c and (N_c − 1)·Σ_c.
func mergedMoments(r *fl.Round, classes, features int) ([]*stats.ClassMoments, error) {
	all := make([]*stats.ClassMoments, classes)
	for c := range all {
		all[c] = stats.NewClassMoments(1, features)
	}
	own := stats.NewClassMoments(1, features)
	for _, k := range byClient(r) {
		p := r.Updates[k].Payload
		present, samples := p["classes"].Data, p["samples"].Data
		means, squares := p["means"], p["squares"]
		if len(samples) != len(present) || means.Rows != len(present) || means.Cols != features ||
			squares.Rows != len(present) || squares.Cols != tensor.Packed(features) {
			return nil, fmt.Errorf("client %d: these are no moments of %d features by class",
				r.Updates[k].Client, features)
		}
		for j, c := range present {
			if !(c >= 0 && c < float64(classes)) {
				return nil, fmt.Errorf("client %d: there is no class %v", r.Updates[k].Client, c)
			}
			own.Count[0] = int(samples[j])
			copy(own.Mean.Data, means.Row(j))
			own.Within.Unpack(squares.Row(j))
			all[int(c)].Merge(own)
		}
	}
	return all, nil
}

// virtual draws features of each class with samples.
func (a *ccvr) virtual(r *fl.Round, of []*stats.ClassMoments) (*fl.Dataset, error) {
	width := of[0].Mean.Cols
	d := &fl.Dataset{Shape: fl.Shape{Features: width, Classes: len(of)}}
	var e tensor.Eigen
	root, noise, missing := fl.NewMatrix(width, width), make(fl.Vector, width), 0
	for c, m := range of {
		if m.Count[0] == 0 {
			missing++
			continue
		}
		fl.Vector(m.Within.Data).Scale(1 / math.Max(1, float64(m.Count[0]-1)))
		clear(root.Data)
		_, err := e.FactorPositive(m.Within, 1e-14)
		switch {
		case err == nil:
			e.Sqrt(root)
		case !errors.Is(err, tensor.ErrNotPositive): // else all features are the same
			return nil, fmt.Errorf("class %d: %w", c, err)
		}
		for range a.samples {
			for k := range noise {
				noise[k] = r.RNG.NormFloat64()
			}
			z := make(fl.Vector, width)
			root.MulVec(z, noise)
			z.Add(m.Mean.Row(0))
			d.X.Data, d.Y = append(d.X.Data, z...), append(d.Y, c)
		}
	}
	d.X.Rows, d.X.Cols = len(d.Y), width
	if missing > 0 {
		r.Notes.Add(fmt.Sprintf("%d of %d classes have no samples, and no virtual features",
			missing, len(of)))
	}
	return d, nil
}
