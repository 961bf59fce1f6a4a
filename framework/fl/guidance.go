package fl

// Guidance is what changes the loss that local training descends on, beside labels: what a teacher
// says of samples, and a penalty on their features. A GuidedWorker takes it. The zero Guidance is
// none.
type Guidance struct {
	Targets SoftTargets
	Penalty FeaturePenalty // nil: none
	Beside  [2]Matrix      // what Penalty compares with, such as features by another model
}

// SoftTargets are what a teacher says of samples. The loss of a label y with scores s, of which
// that of a sample with several is the mean, is
//
//	(1 − w)·CE(y, softmax(s)) + w·T²·KL(p ‖ softmax(s/T)),
//
// whose gradient at the scores is (1 − w)(softmax(s) − e_y) + w·T·(softmax(s/T) − p): T² keeps the
// sizes of both parts alike whatever T is.
//
//	G. Hinton, O. Vinyals, J. Dean. Distilling the Knowledge in a Neural Network.
//	arXiv 1503.02531, Section 2.
type SoftTargets struct {
	// Prob is p, the teacher's softmax at T: a row for each row of Descent.Data, which has the
	// probabilities of its labels one after another where it has several.
	Prob        Matrix
	Temperature float64 // T > 0
	Weight      float64 // w in [0, 1]; 0: labels alone
}

// A FeaturePenalty is added to the loss of each sample. It depends on what enters the last dense
// layer of a network. Several tasks may ask one at once.
type FeaturePenalty interface {
	// Penalise returns the penalty of a sample and sets Grad to its gradient.
	Penalise(in *PenaltyInput) float64
}

// A PenaltyInput is a sample as a FeaturePenalty sees it.
type PenaltyInput struct {
	Features Vector // z, read-only
	Grad     Vector // to be set in every element
	Row      int    // of the sample in Descent.Data
	Label    int    // -1 in regression
	Beside   *[2]Matrix
}

// A GuidedWorker is the Worker of a model of classes whose training takes Guidance.
type GuidedWorker interface {
	Worker
	// GuidedGradient is Gradient of the loss that g makes of the model's. It returns that loss over
	// these rows, regularisation included.
	GuidedGradient(grad, params Vector, d *Dataset, rows []int, g *Guidance) float64
	// FeatureLen returns how many features enter the last dense layer; 0 where no parameter
	// comes before it, so that a penalty moves nothing.
	FeatureLen() int
	// Features fills dst with the features of each row of x, as they are in evaluation.
	Features(dst Matrix, params Vector, x Matrix)
}

// A DenseWorker is the Worker of a network that shows what enters its dense layers.
type DenseWorker interface {
	Worker
	// DenseInputs calls see for each dense layer that is not within a residual branch, with its
	// weight and what enters it for the rows of x, as they are in evaluation: a row for each of
	// them, or for each of their positions. It does so batch by batch; inputs are valid until see
	// returns.
	DenseInputs(params Vector, x Matrix, see func(weight *Block, inputs Matrix))
}

// A LayerWorker is the Worker of a network that shows what enters its dense layers and its
// convolutions.
type LayerWorker interface {
	Worker
	// LayerInputs calls see for each dense layer and each convolution, those of residual branches
	// included, with its weight and what enters it for the rows of x, as they are in evaluation: a
	// row for each of them, or for each of their positions, of a dense layer, and a row of channels
	// for each pixel of each of them of a convolution. It does so batch by batch; inputs are valid
	// until see returns.
	LayerInputs(params Vector, x Matrix, see func(weight *Block, inputs Matrix))
}

// A StatisticsWorker is the Worker of a model that may have batch norms.
type StatisticsWorker interface {
	Worker
	// Statistics sets the running statistics in params to the mean of the moments of all batches
	// of so many rows of d, all at once for 0, in their order, and of the last one, which may be
	// smaller. Batches count by their rows, and run as in training.
	Statistics(params Vector, d *Dataset, size int)
	// Trained returns how many parameters gradients train; all after them are running statistics.
	Trained() int
}

// SoftTargets reports whether the loss of the model takes SoftTargets: there is a score for each
// class, of which a softmax is taken.
func (s Setting) SoftTargets() bool {
	n := len(s.Layout.Layers)
	return s.Network && (n == 0 ||
		s.Layout.Layers[n-1].Out.Len() == s.Shape.PerRow()*s.Shape.Classes)
}

// Active reports whether g changes a loss.
func (g *Guidance) Active() bool { return g.Targets.Weight > 0 || g.Penalty != nil }

// Guided reports whether d has, or will have by its first batch, a loss beside that of labels.
func (d *Descent) Guided() bool { return d.Guide.Active() || d.Augment.Mixup > 0 }

// Gradient adds the gradient of the loss of d at params to grad, by a worker, for rows that Next
// returned last.
func (d *Descent) Gradient(w Worker, grad, params Vector, rows []int) {
	if guided, ok := w.(GuidedWorker); ok && d.Guide.Active() {
		guided.GuidedGradient(grad, params, d.Data, rows, &d.Guide)
		return
	}
	w.Gradient(grad, params, d.Data, rows)
}
