// Pachinko — every client has groups of classes of its own, and in each group classes of its own.
//
//	S. J. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan.
//	Adaptive Federated Optimization. ICLR 2021, Appendix C.1, for CIFAR-100: the Pachinko
//	allocation of W. Li, A. McCallum (ICML 2006).
//
// Notation: N clients, n rows, G groups of classes. Client i draws θ ~ Dir(α·1) over groups and,
// for each group g, φ_g ~ Dir(β·1) over its classes. Each of its n/N rows is of a group drawn
// from θ and of a class drawn from φ_g, without replacement: a class whose rows have run out is
// left out of φ_g, and a group without classes of θ.
//
// Groups are the domains of the rows, such as the superclasses of CIFAR-100, or those of the
// parameter groups. A class that has rows of two domains is a class of each.
//
// Departures: clients choose in random order, as those of "dirichlet" of the kind per-client do:
// the last take what is left, and no index should mean that. All rows are given, whether N divides
// n or not.

package partition

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Pachinko describes the partition to the registry.
var Pachinko = fl.PartitionerEntry{
	Name:       "pachinko",
	Summary:    "skews groups of classes, and the classes of each group, by Dirichlet draws",
	Paper:      "reddi2021",
	Deviations: "clients choose in random order, and all rows are given",
	OneLabel:   true,
	New:        newPachinko,
	Traits:     fl.PartitionTraits{Packed: true},
	Fits:       classified,
}

type pachinko struct {
	alpha, beta float64
	groups      []int // of each class; nil: the domain of its rows
}

var _ fl.Partitioner = (*pachinko)(nil)

func newPachinko(p *fl.Params) (fl.Partitioner, error) {
	q := &pachinko{
		alpha: p.Float("alpha", 0.1, fl.Closed(1e-6, 1e6), "α, concentration of groups"),
		beta: p.Float("beta", 10, fl.Closed(1e-6, 1e6), "β, concentration of the classes "+
			"of a group"),
		groups: p.Ints("groups", nil, fl.AtLeast(0), "the group of each class, from 0; none: the "+
			"domain of its rows"),
	}
	s := p.Setting()
	switch {
	case !s.Known() || s.Shape.Classes == 0:
	case q.groups == nil && len(s.Shape.Domains) == 0:
		p.Fail("groups", "the rows have no domains: groups must say the group of each class")
	case q.groups != nil && len(q.groups) != s.Shape.Classes:
		p.Fail("groups", "%d groups for %d classes", len(q.groups), s.Shape.Classes)
	}
	return q, nil
}

// Split draws the classes of the rows of every client, and assigns the rows.
func (q *pachinko) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	if _, err := rowsByClass(d, n); err != nil {
		return nil, err
	}
	leaves, members, err := q.leaves(d)
	if err != nil {
		return nil, err
	}
	left := make([]int, len(leaves))
	for k, rows := range leaves {
		left[k] = len(rows)
	}
	table := newCounts(len(leaves), n)
	for _, i := range rng.Perm(n) {
		size := (i+1)*d.Len()/n - i*d.Len()/n
		q.choose(members, left, rng, size, func(k int) { table[k][i]++ })
	}
	return table.deal(leaves, d.Len(), rng), nil
}

// leaves returns the rows of every class of a group, and which of them every group has.
func (q *pachinko) leaves(d *fl.Dataset) (rows [][]int, members [][]int, err error) {
	classes, groups := d.Shape.Classes, len(d.Shape.Domains)
	group := func(r int) int { return d.Domain[r] }
	switch {
	case q.groups == nil && groups == 0:
		return nil, nil, errors.New("groups: the rows have no domains")
	case q.groups != nil && len(q.groups) != classes:
		return nil, nil, fmt.Errorf("groups: %d groups for %d classes", len(q.groups), classes)
	case q.groups != nil:
		groups = slices.Max(q.groups) + 1
		group = func(r int) int { return q.groups[d.Y[r]] }
	}
	of := make([]int, d.Len())
	for r, k := range d.Y {
		of[r] = group(r)*classes + k
	}
	members = make([][]int, groups)
	for at, own := range gather(of, groups*classes) {
		if len(own) > 0 {
			members[at/classes] = append(members[at/classes], len(rows))
			rows = append(rows, own)
		}
	}
	return rows, members, nil
}

// choose draws the classes of the rows of one client, of what is left.
func (q *pachinko) choose(members [][]int, left []int, rng *rand.Rand, size int, take func(k int)) {
	groups := newExhausted(len(members), q.alpha, rng)
	within := make([]*exhausted, len(members))
	rest := make([]int, len(members))
	for g, classes := range members {
		within[g] = newExhausted(len(classes), q.beta, rng)
		for j, k := range classes {
			rest[g] += left[k]
			if left[k] == 0 {
				within[g].drop(j)
			}
		}
		if rest[g] == 0 {
			groups.drop(g)
		}
	}
	for range size {
		g := groups.draw()
		j := within[g].draw()
		k := members[g][j]
		take(k)
		if left[k]--; left[k] == 0 {
			within[g].drop(j)
		}
		if rest[g]--; rest[g] == 0 {
			groups.drop(g)
		}
	}
}

// exhausted is a distribution, drawn from a symmetric Dirichlet distribution, whose outcomes run
// out.
type exhausted struct {
	logs, shares []float64
	rng          *rand.Rand
	of           distuv.Categorical
	stale        bool // of is to be made of logs again
}

func newExhausted(n int, concentration float64, rng *rand.Rand) *exhausted {
	e := &exhausted{logs: make([]float64, n), shares: make([]float64, n), rng: rng, stale: true}
	for j := range e.logs {
		e.logs[j] = concentration
	}
	drawLogs(e.logs, e.logs, rng)
	return e
}

// drop leaves an outcome out.
func (e *exhausted) drop(j int) { e.logs[j], e.stale = math.Inf(-1), true }

// draw returns an outcome that is not left out, of which there must be one.
func (e *exhausted) draw() int {
	if e.stale {
		proportions(e.shares, e.logs)
		e.of, e.stale = distuv.NewCategorical(e.shares, e.rng), false
	}
	return int(e.of.Rand())
}
