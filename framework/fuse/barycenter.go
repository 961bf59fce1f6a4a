package fuse

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Barycenter finds one network in the middle of many: layer after layer neurons Y with
//
//	Y = argmin Σ_k ρ_k W₂²(X_k, Y)
//
// where X_k are the neurons of network k in terms of the channels before, which are aligned, and
// ρ_k ≥ 0 sum to 1. The masses of Y are equal, as those of X_k are, and its points move. Given
// plans T_k the best points are Σ_k ρ_k·diag(1/T_kᵀ1)·T_kᵀ·X_k; given points the best plans are
// those of least cost. Each in turn lowers the sum, until it no longer falls (P. C.
// Álvarez-Esteban, E. del Barrio, J. A. Cuesta-Albertos, C. Matrán. A fixed-point approach to
// barycenters in Wasserstein space. Journal of Mathematical Analysis and Applications, 2016; for
// points with masses M. Cuturi, A. Doucet. Fast Computation of Wasserstein Barycenters. ICML 2014,
// Algorithm 2). With plans that are not exact, or costs that are not squared, it may rise; that
// ends it, too.
type Barycenter struct {
	Aligner
	Passes int     // the most plans for a layer and network; less than 1 counts as 1
	Tol    float64 // stop when the sum falls by no more than this share
}

// A Gathering is how one layer of a barycenter was found.
type Gathering struct {
	Layer     int
	Costs     fl.Vector // Σ_k ρ_k⟨T_k, C_k⟩ of each pass
	Sweeps    int       // the most of one plan of the last pass
	Converged bool      // all plans, as the solver says, and the sum no longer falls
}

// Fuse returns the barycenter, laid out as network at, from whose neurons it begins; the networks
// in terms of its neurons, whose mean by ρ it is; and how its layers were found, in their order.
func (b *Barycenter) Fuse(nets []Network, rho fl.Vector, at int) (fused fl.Vector,
	aligned []fl.Vector, found []Gathering, err error) {
	mid := Network{Layout: nets[at].Layout, Params: make(fl.Vector, len(nets[at].Params))}
	passes := make([]*pass, len(nets))
	for k, n := range nets {
		if err = alike(&n.Layout, &mid.Layout); err != nil {
			return nil, nil, nil, err
		}
		if !n.Params.Finite() {
			return nil, nil, nil, errors.New("a network with NaN or Inf cannot be aligned")
		}
		n.Neurons = nil
		aligned = append(aligned, make(fl.Vector, len(mid.Params)))
		if passes[k], err = b.pass(n, mid, aligned[k]); err != nil {
			return nil, nil, nil, err
		}
	}
	g := &gathering{Barycenter: b, passes: passes, rho: rho, at: at, mid: mid}
	for i := range mid.Layout.Layers {
		if err = g.layer(i); err != nil {
			return nil, nil, nil, fmt.Errorf("layer %d: %w", i, err)
		}
	}
	return mid.Params, aligned, g.found, nil
}

// A gathering is one barycenter on its way.
type gathering struct {
	*Barycenter
	passes []*pass
	rho    fl.Vector
	at     int
	mid    Network
	found  []Gathering
}

// layer finds the blocks of layer i.
func (g *gathering) layer(i int) error {
	l := &g.mid.Layout.Layers[i]
	if yields(l.Kind) && g.passes[0].maps[g.passes[0].ties.root(i)] == nil {
		if err := g.couple(i); err != nil {
			return err
		}
	}
	for _, p := range g.passes { // by plans that are known
		if err := p.layer(i); err != nil {
			return err
		}
	}
	g.mean(i)
	return nil
}

// couple finds the plans of a layer.
func (g *gathering) couple(i int) error {
	own := make([]fl.Matrix, len(g.passes))
	block := g.mid.Layout.Block(i, fl.Weight)
	for k, p := range g.passes {
		w, err := p.own(i)
		if err != nil {
			return err
		}
		own[k] = w
	}
	first := own[g.at]
	if g.mid.Layout.Layers[i].Kind == fl.KindEmbedding {
		first = transposed(first)
	}
	copy(g.mid.matrix(block).Data, first.Data)
	if bias := g.mid.Layout.Block(i, fl.Bias); bias != nil {
		copy(g.mid.matrix(bias).Data, g.passes[g.at].from.matrix(bias).Data)
	}
	done := Gathering{Layer: i}
	for pass := range max(1, g.Passes) {
		cost, converged := 0.0, true
		done.Sweeps = 0
		for k, p := range g.passes {
			out, err := p.couple(i, own[k])
			if err != nil {
				return err
			}
			p.maps[p.ties.root(i)] = out
			step := &p.steps[len(p.steps)-1]
			p.steps = p.steps[:len(p.steps)-1]
			cost += g.rho[k] * step.Cost
			converged = converged && step.Converged
			done.Sweeps = max(done.Sweeps, step.Sweeps)
			if err := p.layer(i); err != nil {
				return err
			}
		}
		done.Costs = append(done.Costs, cost)
		if pass > 0 && !(cost < done.Costs[pass-1]*(1-g.Tol)) {
			done.Converged = converged
			break
		}
		g.mean(i)
	}
	g.found = append(g.found, done)
	return nil
}

// mean sets the blocks of a layer to the mean of those that are aligned.
func (g *gathering) mean(i int) {
	for _, k := range g.mid.Layout.Layers[i].Blocks {
		b := &g.mid.Layout.Blocks[k]
		mean := fl.Vector(b.Of(g.mid.Params).Data)
		clear(mean)
		for k, p := range g.passes {
			mean.AddScaled(g.rho[k], b.Of(p.dst.Params).Data)
		}
	}
}
