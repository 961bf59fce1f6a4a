package fuse

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/ot"
)

// couple finds the plan for the channels that layer i yields, of which w are the weights, in
// terms of channels that are aligned.
func (p *pass) couple(i int, w fl.Matrix) (*channels, error) {
	l, at := &p.to.Layout.Layers[i], p.ties.root(i)
	other := p.to.matrix(p.to.Layout.Block(i, fl.Weight))
	if l.Kind == fl.KindEmbedding {
		other = transposed(other)
	} else if in := p.maps[p.ties.root(l.From[0])]; in.alone != nil {
		other = clone(other) // what has no partner does not count in distances
		in.keepColumns(other, fl.NewMatrix(other.Rows, other.Cols))
	}
	x := p.with(0, w, p.from, i)
	y := p.with(1, other, p.to, i)
	if p.from.Neurons != nil && p.to.Neurons != nil {
		x, y = p.from.Neurons[i], p.to.Neurons[i]
		if x.Rows == 0 || y.Rows == 0 || x.Cols != y.Cols {
			return nil, errors.New("its neurons are seen by no dense layer or convolution, so " +
				"that there are no activations to compare them by")
		}
	}
	h, headed := p.heads[at]
	if headed {
		x, y = h.rows(x), h.rows(y)
	}
	cost := p.distances(x, y)
	plan := fl.NewMatrix(cost.Rows, cost.Cols)
	step := Step{Layer: i, Plan: plan, Converged: true}
	groups := p.groups(i)
	if cost.Rows%groups != 0 || cost.Cols%groups != 0 {
		return nil, fmt.Errorf("%d and %d channels do not divide into %d groups",
			cost.Rows, cost.Cols, groups)
	}
	for g := range groups {
		p.group(&step, cost, g, groups)
	}
	p.steps = append(p.steps, step)
	if headed {
		return p.newChannels(plan).spread(h.unit), nil
	}
	return p.newChannels(plan), nil
}

// group couples the neurons of one of the groups that a norm divides channels into: what is in
// different groups is not interchangeable.
func (p *pass) group(step *Step, cost fl.Matrix, g, groups int) {
	n, m := cost.Rows/groups, cost.Cols/groups
	part, plan := cost, step.Plan
	if groups > 1 {
		part, plan = fl.NewMatrix(n, m), fl.NewMatrix(n, m)
		for r := range n {
			copy(part.Row(r), cost.Row(g*n + r)[g*m:])
		}
	}
	found := p.Solver.Solve(ot.Transport{Cost: part, A: uniform(n), B: uniform(m)})
	p.Solver.Plan(plan)
	if p.See != nil {
		p.See(len(p.steps), ot.Transport{Cost: part, A: uniform(n), B: uniform(m)}, found, plan)
	}
	if p.Rounded {
		ot.Round(plan, uniform(n), uniform(m))
	}
	share := 1 / float64(groups)
	step.Cost += share * found.Cost
	step.Residual += share * found.Residual
	step.Sweeps = max(step.Sweeps, found.Sweeps)
	step.Converged = step.Converged && found.Converged
	if groups > 1 {
		for r := range n {
			copy(step.Plan.Row(g*n + r)[g*m:], plan.Row(r))
		}
		for r := range n {
			step.Plan.Row(g*n + r).Scale(share)
		}
	}
}

// uniform returns n equal masses that sum to 1.
func uniform(n int) fl.Vector {
	v := make(fl.Vector, n)
	v.Fill(1 / float64(n))
	return v
}

// groups returns into how many groups norms divide the channels of layer i.
func (p *pass) groups(i int) int {
	groups, at := 1, p.ties.root(i)
	for k := range p.to.Layout.Layers {
		l := &p.to.Layout.Layers[k]
		if l.Kind == fl.KindGroupNorm && p.ties.root(k) == at {
			groups = max(groups, l.Groups)
		}
	}
	return groups
}

// with returns the neurons of a layer, one a row: their weights and, if it counts, their bias.
func (p *pass) with(k int, w fl.Matrix, n Network, i int) fl.Matrix {
	bias := n.Layout.Block(i, fl.Bias)
	if bias == nil || p.Bare {
		return w
	}
	room := &p.rows[k]
	if size := w.Rows * (w.Cols + 1); cap(room.Data) < size {
		room.Data = make([]float64, size)
	}
	*room = fl.Matrix{Rows: w.Rows, Cols: w.Cols + 1, Data: room.Data[:w.Rows*(w.Cols+1)]}
	for r := range w.Rows {
		row := room.Row(r)
		copy(row, w.Row(r))
		row[w.Cols] = n.Params[bias.Offset+r]
	}
	return *room
}

// nearby is the share of two squared norms below which their difference is taken element by
// element: the rounding of the product would show.
const nearby = 1e-6

// distances returns ‖xᵢ − yⱼ‖², or its root.
func (p *pass) distances(x, y fl.Matrix) fl.Matrix {
	d := fl.NewMatrix(x.Rows, y.Rows)
	kernel.Gemm64(&p.space, kernel.RowMajor(d.Data, d.Rows, d.Cols),
		kernel.RowMajor(x.Data, x.Rows, x.Cols), kernel.RowMajor(y.Data, y.Rows, y.Cols).T(), false)
	ys := make(fl.Vector, y.Rows)
	for j := range ys {
		ys[j] = y.Row(j).Dot(y.Row(j))
	}
	for i := range d.Rows {
		row, own := d.Row(i), x.Row(i).Dot(x.Row(i))
		for j, product := range row {
			row[j] = own + ys[j] - 2*product
			if row[j] <= nearby*(own+ys[j]) {
				row[j] = kernel.SquaredDistance(x.Row(i), y.Row(j))
			}
			if p.Root {
				row[j] = math.Sqrt(row[j])
			}
		}
	}
	return d
}
