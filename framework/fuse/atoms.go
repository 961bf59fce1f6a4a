package fuse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// Atoms matches the neurons of several networks with those of a global one, of which there are as
// many as the data ask for: the posterior mode under a beta process prior with normal neurons,
//
//	M. Yurochkin, M. Agarwal, S. Ghosh, K. Greenewald, T. N. Hoang, Y. Khazaeni. Bayesian
//	Nonparametric Federated Learning of Neural Networks. ICML 2019, Proposition 2.
//
// Notation: v_jl neuron l of network j, with precisions s_j of its numbers; G_i = μp + Σ s_j·v_jl
// and S_i = p + Σ s_j over the neurons that are matched with global neuron i, those of network j
// left out; c_i how many networks these are of, out of J. What v_jl is worth as i, and as the k-th
// new one, is
//
//	Σ ((G_i + s_j·v_jl)²/(S_i + s_j) − G_i²/S_i) + 2 log(c_i/(J − c_i))
//	Σ ((μp + s_j·v_jl)²/(p + s_j) − μ²p) + 2 log(γ/J) − 2 log k
//
// and the neurons of network j are assigned so that the sum is largest, one network after another,
// some times over. Global neurons are G_i/S_i. (The authors' code has log for 2 log in the first
// line, and no c_i above 10.)
type Atoms struct {
	Mean, Precision fl.Vector // μ and p of the prior, by number of a neuron
	Gamma           float64   // γ > 0: the larger, the more global neurons
	Passes          int       // over the networks, after the first assignment
	Most            int       // global neurons that are kept, those of most networks; 0: all

	solver ot.Exact
	all    []*atom
}

// An atom is a global neuron.
type atom struct {
	weight, precision fl.Vector // G and S
	count             int
}

// An Assignment says what became of neurons.
type Assignment struct {
	Of     [][]int   // by network and neuron the global neuron; −1: it was left out
	Global fl.Matrix // G_i/S_i
	Found  int       // global neurons before any was left out
}

// Match assigns the neurons of networks, one a row. The precisions are of the numbers of the
// neurons of each network. Networks come in the order of their widths, and then in orders by rng;
// nil: as listed.
func (a *Atoms) Match(own []fl.Matrix, precision []fl.Vector, rng *rand.Rand) Assignment {
	a.all = nil
	of := make([][]*atom, len(own))
	order := make([]int, len(own))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(x, y int) int { return own[y].Rows - own[x].Rows })
	for pass := range a.Passes + 1 {
		switch {
		case pass > 0 && rng != nil:
			order = rng.Perm(len(own))
		case pass > 0:
			slices.Sort(order)
		}
		for _, j := range order {
			for l, g := range of[j] {
				g.add(own[j].Row(l), precision[j], -1)
			}
			a.all = slices.DeleteFunc(a.all, func(g *atom) bool { return g.count == 0 })
			of[j] = a.assign(own[j], precision[j], len(own))
		}
	}
	return a.answer(of)
}

// add counts a neuron once more, or once less.
func (g *atom) add(v, s fl.Vector, times float64) {
	for d, x := range v {
		g.weight[d] += times * s[d] * x
		g.precision[d] += times * s[d]
	}
	g.count += int(times)
}

// worth returns Σ ((G + s·v)²/(S + s) − G²/S).
func worth(g, prec, v, s fl.Vector) (sum float64) {
	for d, x := range v {
		w := g[d] + s[d]*x
		sum += w*w/(prec[d]+s[d]) - g[d]*g[d]/prec[d]
	}
	return sum
}

// assign finds the global neurons of a network's, some of them new, and counts them.
func (a *Atoms) assign(own fl.Matrix, s fl.Vector, networks int) []*atom {
	old := len(a.all)
	value := fl.NewMatrix(own.Rows, old+own.Rows)
	start := a.Mean.Clone() // μp
	for d := range start {
		start[d] *= a.Precision[d]
	}
	for l := range own.Rows {
		row := value.Row(l)
		for i, g := range a.all {
			row[i] = worth(g.weight, g.precision, own.Row(l), s) +
				2*math.Log(float64(g.count)/float64(networks-g.count))
		}
		fresh := worth(start, a.Precision, own.Row(l), s) + 2*math.Log(a.Gamma/float64(networks))
		for k := range own.Rows {
			row[old+k] = fresh - 2*math.Log(float64(k+1))
		}
	}
	list := make([]*atom, own.Rows)
	for l, i := range a.most(value) {
		if i >= old { // whichever new one it is, the sum is the same
			i = len(a.all)
			a.all = append(a.all, &atom{start.Clone(), a.Precision.Clone(), 0})
		}
		list[l] = a.all[i]
		list[l].add(own.Row(l), s, 1)
	}
	return list
}

// most returns for each row a column of its own, so that the sum of values is largest.
func (a *Atoms) most(value fl.Matrix) []int {
	n, m := value.Rows, value.Cols
	cost, largest := fl.NewMatrix(n+1, m), slices.Max(value.Data)
	for k, v := range value.Data {
		cost.Data[k] = largest - v
	}
	mass := uniform(m)
	rows := append(mass[:n:n], 1-float64(n)/float64(m)) // the last takes what is left
	a.solver.Solve(ot.Transport{Cost: cost, A: rows, B: mass})
	plan, at := fl.NewMatrix(n+1, m), make([]int, n)
	a.solver.Plan(plan)
	for l := range at {
		at[l] = slices.Index(plan.Row(l), slices.Max(plan.Row(l)))
	}
	return at
}

// answer numbers the global neurons that are kept, in the order in which they were found.
func (a *Atoms) answer(of [][]*atom) Assignment {
	kept := slices.Clone(a.all)
	if a.Most > 0 && len(kept) > a.Most {
		slices.SortStableFunc(kept, func(x, y *atom) int { return y.count - x.count })
		kept = kept[:a.Most]
	}
	number := map[*atom]int{}
	dim := len(a.Precision)
	out := Assignment{Found: len(a.all), Global: fl.NewMatrix(len(kept), dim)}
	for _, g := range a.all {
		if slices.Contains(kept, g) {
			row := out.Global.Row(len(number))
			copy(row, g.weight)
			row.Div(g.precision)
			number[g] = len(number)
		}
	}
	for _, list := range of {
		ids := make([]int, len(list))
		for l, g := range list {
			i, ok := number[g]
			if !ok {
				i = -1
			}
			ids[l] = i
		}
		out.Of = append(out.Of, ids)
	}
	return out
}

// Dense returns the dense layers of a network that has no others with parameters, or why a method,
// which needs that, cannot have it.
func Dense(l *fl.Layout, method string) (layers []int, err error) {
	if l.Layers == nil {
		return nil, fmt.Errorf("a model without layers has no neurons for %s", method)
	}
	for i := range l.Layers {
		switch k := l.Layers[i].Kind; k {
		case fl.KindReLU, fl.KindFlatten:
		case fl.KindDense:
			layers = append(layers, i)
		default:
			return nil, fmt.Errorf("%s is for networks of dense layers, and layer %d is %s", method,
				i, k)
		}
	}
	return layers, nil
}
