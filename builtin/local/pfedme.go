// pFedMe — personal models by Moreau envelopes.
//
//	C. T. Dinh, N. H. Tran, T. D. Nguyen. Personalized Federated Learning with Moreau Envelopes.
//	NeurIPS 2020, Algorithm 1.
//
// Notation: wᵗ the received model, fᵢ the client's loss, λ > 0, η the rate of w, θ the personal
// model, α the rate of its steps, K their number. The client makes R steps of w, from wᵗ,
//
//	θ ≈ argmin fᵢ(θ) + λ/2·‖θ − w‖², by K steps θ ← θ − α(∇fᵢ(θ; ξ) + λ(θ − w)),
//	w ← w − ηλ(w − θ),
//
// and sends w. λ(w − θ) is the gradient of the Moreau envelope of fᵢ. The server's
// wᵗ⁺¹ = (1 − β)wᵗ + β·mean is naive with server_rate = β. With ηλ = 1 and K = 1 this is sgd, bit
// for bit for models that compute in float64; with λ = 0 the global model never moves.
//
// Departures: clients of the cohort train, where the paper has all train and the server average
// some. Each of the K steps has a batch of its own, where the paper has one for all K. In a round θ
// begins as wᵗ and goes on from one w to the next, as in the authors' code. Defaults of λ, η and K
// are those in the names of the results that they keep (CharlieDinh/pFedMe, results: 0.005, 15 and
// 5).

package local

import "github.com/hansa-fl/hansa/framework/fl"

// PFedMe describes the local rule to the registry.
var PFedMe = fl.LocalRuleEntry{
	Name:    "pfedme",
	Summary: "steps along Moreau envelopes, which personal models near the global one minimise",
	Paper:   "dinh2020",
	Deviations: "the cohort trains, not all clients; each step of a personal model has a batch " +
		"of its own",
	New: newPFedMe,
	Traits: fl.LocalTraits{Packed: true, Personal: "personal",
		Steps: func(params map[string]any, usual, _ int) int {
			inner, _ := params["inner_steps"].(int64)
			return usual * int(inner)
		}},
}

// pFedMe keeps θ in the client's state.
type pFedMe struct {
	work           // R, and the steps of θ
	inner  int     // K
	lambda float64 // λ
	eta    float64 // η
}

var _ fl.LocalRule = (*pFedMe)(nil)

func newPFedMe(p *fl.Params) (fl.LocalRule, error) {
	return &pFedMe{
		lambda: p.Float("lambda", 15, fl.AtLeast(0), "weight λ of the distance of the personal "+
			"model from w; the authors run 15"),
		eta: p.Float("eta", 0.005, fl.AtLeast(0), "rate η of w, which goes a share ηλ of the way "+
			"to the personal model; the authors run 0.005"),
		inner: p.Int("inner_steps", 5, fl.AtLeast(1), "gradient steps K of the personal model, of "+
			"rate lr, for each step of w; the authors run 5"),
		work: newWork(p),
	}, nil
}

// Run implements fl.LocalRule. The steps of work are those of w.
func (s *pFedMe) Run(t *fl.Task) (fl.Update, error) {
	w, n := t.Params, len(t.Params)
	_, theta := t.State.Renew("personal", n)
	copy(theta, t.Global)
	d := s.descent(t)
	steps, rate, batches := t.Fit(d.Steps*s.inner), d.Rate, d.Batches
	for made := 0; made < steps; made += d.Steps {
		d = t.Descent()
		d.Params, d.Anchor, d.Pull = theta, w, s.lambda
		d.Steps, d.Rate, d.Optimizer, d.Batches = min(s.inner, steps-made), rate, plain{}, batches
		t.Worker.Descend(d)
		batches = d.Batches // which go on where they stopped
		for lo, hi := range stretches(n) {
			w[lo:hi].Scale(1 - s.eta*s.lambda)
			w[lo:hi].AddScaled(s.eta*s.lambda, theta[lo:hi])
		}
	}
	return fl.Update{Steps: steps, Params: w}, nil
}
