// Whiten — every client's features have mean 0 and covariance I by its own moments.
//
//	A. Kessy, A. Lewin, K. Strimmer. Optimal Whitening and Decorrelation. The American
//	Statistician 72, 2018. Section 2: ZCA, of all whitenings the one that moves rows least.
//
// Notation: μₖ and Σₖ the moments of client k; τ ∈ [0, 1] how far rows are moved. A row z becomes
//
//	z ← (1 − τ)z + τ(z − μₖ)·Σₖ^−½.
//
// Nothing is sent. It is alignment with the reference N(0, I), by the transport of SLOT-Align to
// that and by CORAL alike, since I commutes with every Σₖ; "standardize" by client is the same of
// variances alone, and so is covariance = "diagonal" here but for shrinkage.
//
// Departures: Σₖ is shrunk, and has a floor under its eigenvalues; τ is ours.

package preprocess

import "github.com/hansa-fl/hansa/framework/fl"

// Whiten describes the preprocessor to the registry.
var Whiten = fl.PreprocessorEntry{
	Name:       "whiten",
	Summary:    "every client's features to mean 0 and covariance I, by its own moments",
	Paper:      "kessy2018",
	Deviations: "covariances are shrunk, and have a floor; τ is ours",
	New: func(p *fl.Params) (fl.Preprocessor, error) {
		return &whiten{newEstimator(p), p.Float("tau", 1, fl.Closed(0, 1),
			"τ: how far features are moved; 0: not at all")}, nil
	},
	Fits: needsOwners,
	Waives: map[string]string{"identity": "it changes the scale of features, not what sets " +
		"clients apart alone"},
}

type whiten struct {
	estimator estimator
	tau       float64
}

var _ fl.Preprocessor = (*whiten)(nil)

// Shape implements fl.Preprocessor: features stay features.
func (w *whiten) Shape(in fl.Shape) (fl.Shape, error) { return narrow(in) }

// Summarize implements fl.Preprocessor: nothing is sent.
func (w *whiten) Summarize(*fl.SummaryInput) (fl.Tensors, error) { return nil, nil }

// Combine implements fl.Preprocessor: there is no reference but N(0, I).
func (w *whiten) Combine(*fl.CombineInput) (fl.Tensors, error) { return nil, nil }

// Transform whitens rows by the moments of their client.
func (w *whiten) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	own, _, err := w.estimator.of(m.Own.X)
	if err != nil {
		return fl.Matrix{}, err
	}
	white, err := whitening(own.Cov)
	if err != nil {
		return fl.Matrix{}, err
	}
	return affine(m.Rows, own.Mean, white, make(fl.Vector, len(own.Mean)), w.tau), nil
}
