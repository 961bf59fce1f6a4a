// Domains — every client has data of one domain, and on request of few of its classes.
//
//	Distribution Alignment for One-Shot Federated Learning via Optimal Transport. ICML 2026
//	(arXiv:2606.16655), authors' code: the label shift. For every class a draw from Dir(α·1)
//	over clients says which fraction of its own rows of that class each client keeps.
//
// Notation: D domains, N clients. Client i has domain i mod D. With N = D that is one client for
// each domain, in their order; with more, the rows of a domain are split at random, in equal
// shares, among its clients, before labels are shifted.
//
// With within = α the rows of each class of a domain are cut among its clients by a draw from
// Dir(α·1), as "dirichlet" of the kind per-class does, and none is lost: several clients for each
// domain, with different labels.
//
// The fractions of a class sum to 1 over clients, each of which has only its own part: so
// about 1/N of all rows are kept, whatever α. A table says how many are not.
//
// Departures: shares are rounded to the nearest number of rows; a client that would keep
// nothing keeps one row, drawn from all of its own.

package partition

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Domains describes the partition to the registry.
var Domains = fl.PartitionerEntry{
	Name:       "domains",
	Summary:    "gives every client rows of one domain, and on request a part of each class of it",
	Paper:      "slot-align",
	Deviations: "shares are rounded, and a client that would keep nothing keeps one row",
	OneLabel:   true,
	New:        newDomains,
	Fits:       spread,
	Traits:     fl.PartitionTraits{Packed: true, Keeps: fl.KeepsDomains, Drops: true},
}

type domains struct {
	alpha  float64 // α of the label shift; 0: none
	within float64 // α of classes among the clients of a domain; 0: equal shares at random
}

var _ fl.Partitioner = (*domains)(nil)

func newDomains(p *fl.Params) (fl.Partitioner, error) {
	q := &domains{alpha: p.Float("alpha", 0, fl.Closed(0, 1e6), "concentration of the label "+
		"shift: the smaller, the fewer clients have rows of a class; it leaves out most rows; 0 "+
		"for none")}
	q.within = p.Float("within", 0, fl.Closed(0, 1e6), "concentration of each class among the "+
		"clients of its domain; it leaves out no rows; 0: equal shares at random")
	if q.alpha > 0 && q.within > 0 {
		p.Clash("within", "alpha", "labels are skewed one way or the other")
	}
	for name, given := range map[string]float64{"alpha": q.alpha, "within": q.within} {
		if s := p.Setting(); given > 0 && s.Known() {
			if err := classified(s); err != nil {
				p.Fail(name, "%v", err)
			}
		}
	}
	return q, nil
}

// spread says why domains cannot be partitioned in a setting.
func spread(s fl.Setting) error {
	switch n := len(s.Shape.Domains); {
	case n == 0:
		return errors.New("needs rows of domains; these have none")
	case s.Clients < n:
		return fmt.Errorf("%d domains need as many clients or more; there are %d", n, s.Clients)
	}
	return nil
}

// Split assigns the rows of every domain to its clients, which then keep those that the label shift
// leaves.
func (q *domains) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	if err := spread(fl.Setting{Clients: n, Shape: d.Shape}); err != nil {
		return nil, err
	}
	count := len(d.Shape.Domains)
	owner := make([]int, d.Len())
	for k, rows := range gather(d.Domain, count) {
		var peers []int
		for i := k; i < n; i += count {
			peers = append(peers, i)
		}
		if len(rows) < len(peers) {
			return nil, fmt.Errorf("cannot split the %d rows of domain %s to %d clients: each "+
				"needs at least one", len(rows), d.Shape.Domains[k], len(peers))
		}
		if q.within > 0 && len(peers) > 1 {
			if err := q.skew(d, owner, rows, peers, rng); err != nil {
				return nil, err
			}
			continue
		}
		if len(peers) > 1 {
			rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		}
		deal(owner, rows, peers)
	}
	parts := gather(owner, n)
	if q.alpha == 0 {
		return parts, nil
	}
	if err := classified(fl.Setting{Shape: d.Shape}); err != nil {
		return nil, fmt.Errorf("alpha: %w", err)
	}
	q.shift(d, parts, rng)
	return parts, nil
}

// skew notes in owner whose the rows of a domain are: those of each class are cut by a draw from a
// Dirichlet distribution over its clients, none of which is left without a row.
func (q *domains) skew(d *fl.Dataset, owner, rows, peers []int, rng *rand.Rand) error {
	if err := classified(fl.Setting{Shape: d.Shape}); err != nil {
		return fmt.Errorf("within: %w", err)
	}
	labels := make([]int, len(rows))
	for k, r := range rows {
		labels[k] = d.Y[r]
	}
	classes := gather(labels, d.Shape.Classes)
	table := newCounts(len(classes), len(peers))
	(&dirichlet{kind: perClass, alpha: q.within}).cut(table, classes, len(rows), rng)
	table.repair(1)
	for at, own := range table.deal(classes, len(rows), rng) {
		for _, k := range own {
			owner[rows[k]] = peers[at]
		}
	}
	return nil
}

// shift leaves every client the part of its rows of each class that is drawn for it.
func (q *domains) shift(d *fl.Dataset, parts [][]int, rng *rand.Rand) {
	keep := newCounts(d.Shape.Classes, len(parts))
	for i, rows := range parts {
		for _, r := range rows {
			keep[d.Y[r]][i]++
		}
	}
	shares := make(fl.Vector, len(parts))
	for _, class := range keep {
		shares.Fill(q.alpha)
		drawLogs(shares, shares, rng)
		proportions(shares, shares)
		whole := shares.Sum()
		for i, share := range shares {
			class[i] = int(math.Round(share / whole * float64(class[i])))
		}
	}
	left := make([]int, len(keep))
	for i, rows := range parts {
		for k := range keep {
			left[k] = keep[k][i]
		}
		rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		last := rows[0]
		rows = slices.DeleteFunc(rows, func(r int) bool {
			left[d.Y[r]]--
			return left[d.Y[r]] < 0
		})
		if len(rows) == 0 {
			rows = append(rows, last)
		}
		slices.Sort(rows)
		parts[i] = rows
	}
}
