package kinds

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Helpers is made of what the framework offers to rules, all of it at once.
var Helpers = fl.AggregatorEntry{
	Name:    "helpers",
	Summary: "robust means of several kinds, mixed",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &helpers{
			trim:   p.Int("trim", 1, fl.AtLeast(0), "values dropped at either end"),
			radius: p.Float("radius", 10, fl.Above(0), "largest step"),
		}, nil
	},
	Waives: map[string]string{"numbering": "it mixes by lot"},
}

type helpers struct {
	trim   int
	radius float64
}

// Aggregate mixes median, trimmed mean, the update nearest to all others, and a ridge
// regression of the updates on a random one.
func (a *helpers) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	params := r.Models()
	n, d := len(params), len(r.Global)
	median, mean := make(fl.Vector, d), make(fl.Vector, d)
	tensor.Median(median, params)
	tensor.TrimmedMean(mean, params, min(a.trim, (n-1)/2))

	distances := tensor.NewMatrix(n, n)
	tensor.SquaredDistances(distances, params)
	scores, order := make(tensor.Vector, n), make([]int, n)
	for k := range n {
		scores[k] = distances.Row(k).Sum()
	}
	order = tensor.ArgSort(order, scores)
	tensor.Softmax(scores, scores)

	gram, rhs := tensor.NewMatrix(n, n), make(tensor.Vector, n)
	for i := range n {
		for j := range n {
			gram.Row(i)[j] = tensor.Vector(params[i]).Dot(params[j]) / float64(d)
		}
		gram.Row(i)[i] += 1
		rhs[i] = r.RNG.NormFloat64()
	}
	x, factor := make(tensor.Vector, n), tensor.NewMatrix(n, n)
	condition, err := tensor.SolvePositive(x, gram, rhs)
	if err == nil && condition < 1e12 && tensor.Cholesky(factor, gram) == nil {
		x.AddConst(factor.Row(0)[0])
	}
	center := make(tensor.Vector, n)
	ones := make(tensor.Vector, n)
	ones.Fill(1)
	stats.GeometricMedian(center, ones, distances, 1e-6, 50)
	x.Add(center)
	tree := make(tensor.Vector, 2*n)
	stats.SumTree(tree, scores)
	for _, k := range stats.DrawRepeated(nil, tree, 3, r.RNG) {
		rhs[k] += x[k] / (1 + math.Abs(x[k]))
	}
	for _, k := range stats.DrawUniform(nil, n, (n+1)/2, r.RNG) {
		rhs[k] /= 2
	}
	rhs.Clamp(-1, 1)
	log := make(tensor.Vector, r.Roster.N)
	weights := make(tensor.Vector, n)
	ot.Weights(weights, log, r.Cohort())
	weights.AddScaled(0.01/float64(n), rhs)

	next := r.CombineDeltas(weights)
	next.AddScaled(-1, r.Global)
	next.Project(a.radius)
	next.AddScaled(1, r.Global)
	next.AddWeighted(tensor.Vector{0.1, 0.2, 0.3}, [][]float64{median, mean, params[order[0]]})
	next.Scale(1 / 1.6)
	if !next.Finite() {
		r.Notes.Add("the mixture is not finite")
		return fl.Outcome{Params: median}, nil
	}
	return fl.Outcome{Params: next}, nil
}
