package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func partitions() exam[fl.Partitioner] {
	type s = *subject[fl.Partitioner]
	return exam[fl.Partitioner]{
		of:   registry.Partitioners(),
		data: true,
		checks: []check[s]{
			{"deals", "Split returns one part for each of six clients", "", dealsParts},
			{"disjoint", "no row is assigned twice, and none that is not there",
				"deals", onSix(assignedTwice)},
			{"covering", "every row is assigned, unless the entry says that it drops some",
				"deals", covers},
			{"non-empty", "every client gets a row", "deals", onSix(emptyHands)},
			{"keeps", "the rows of a client are its own, or of one domain, where the entry says so",
				"deals", keeps},
			{"repeatable", "two fresh instances deal the same rows from the same stream",
				"deals", repeatsDeal},
			{"seeds", "another stream deals otherwise, unless nothing is drawn from it",
				"repeatable", dealsOtherwise},
			{"one-client", "one client gets every row once, but for what is dropped, or an error " +
				"says why not",
				"deals", dealsToOne},
			{"too-many", "more clients than rows are an error", "deals", dealsToTooMany},
			{readOnly, "Split does not modify the data", "deals", readsData},
		},
	}
}

// counter is a generator that notes how often it is drawn from.
type counter struct {
	rand.Source
	drawn int
}

// Uint64 implements rand.Source.
func (c *counter) Uint64() uint64 {
	c.drawn++
	return c.Source.Uint64()
}

// deal splits the toy's rows among n clients; seed 0 is the stream of all checks but one.
func deal(s *subject[fl.Partitioner], n, seed int) (parts [][]int, drawn int, err error) {
	rng := &counter{Source: s.stream("partition").At(seed, 0).Rand()}
	parts, err = s.build().Split(s.toy.copy().population.Train, n, rand.New(rng))
	return parts, rng.drawn, err
}

func dealsParts(s *subject[fl.Partitioner]) string {
	parts, _, err := deal(s, clients, 0)
	if err != nil {
		return "error: " + err.Error()
	}
	if len(parts) != clients {
		return fmt.Sprintf("%d parts for %d clients", len(parts), clients)
	}
	return ""
}

// onSix checks the parts of six clients, none of which is empty.
func onSix(ask func(parts [][]int, rows int) string) func(s *subject[fl.Partitioner]) string {
	return func(s *subject[fl.Partitioner]) string {
		parts, _, _ := deal(s, clients, 0)
		return ask(parts, s.toy.population.Train.Len())
	}
}

func assignedTwice(parts [][]int, rows int) string {
	seen := make([]bool, rows)
	for i, part := range parts {
		for _, r := range part {
			if r < 0 || r >= rows {
				return fmt.Sprintf("client %d gets row %d of %d", i, r, rows)
			}
			if seen[r] {
				return fmt.Sprintf("client %d gets row %d, which is assigned already", i, r)
			}
			seen[r] = true
		}
	}
	return ""
}

func covers(s *subject[fl.Partitioner]) string {
	if fl.TraitsOf[fl.PartitionTraits](s.entry).Drops {
		return ""
	}
	return onSix(notDealt)(s)
}

func notDealt(parts [][]int, rows int) string {
	all := slices.Concat(parts...)
	for r := range rows {
		if !slices.Contains(all, r) {
			return fmt.Sprintf("no client gets row %d", r)
		}
	}
	return ""
}

func emptyHands(parts [][]int, _ int) string {
	for i, part := range parts {
		if len(part) == 0 {
			return fmt.Sprintf("client %d gets nothing", i)
		}
	}
	return ""
}

func keeps(s *subject[fl.Partitioner]) string {
	d, kept := s.toy.population.Train, fl.TraitsOf[fl.PartitionTraits](s.entry).Keeps
	parts, _, _ := deal(s, clients, 0)
	for i, part := range parts {
		for _, r := range part {
			switch first := part[0]; {
			case kept == fl.KeepsOwners && d.Owner[r] != i:
				return fmt.Sprintf("client %d gets row %d of client %d", i, r, d.Owner[r])
			case kept == fl.KeepsDomains && d.Domain[r] != d.Domain[first]:
				return fmt.Sprintf("client %d gets rows of domains %d and %d", i, d.Domain[first],
					d.Domain[r])
			}
		}
	}
	return ""
}

func sameParts(a, b [][]int) bool { return slices.EqualFunc(a, b, slices.Equal) }

func repeatsDeal(s *subject[fl.Partitioner]) string {
	first, _, _ := deal(s, clients, 0)
	second, _, _ := deal(s, clients, 0)
	if !sameParts(first, second) {
		return "two deals differ"
	}
	return ""
}

func dealsOtherwise(s *subject[fl.Partitioner]) string {
	first, drawn, _ := deal(s, clients, 0)
	second, _, _ := deal(s, clients, 1)
	if drawn > 0 && sameParts(first, second) {
		return fmt.Sprintf("%d numbers are drawn, but another stream makes no difference", drawn)
	}
	return ""
}

func dealsToOne(s *subject[fl.Partitioner]) string {
	parts, _, err := deal(s, 1, 0)
	if err != nil {
		return ""
	}
	rows := s.toy.population.Train.Len()
	drops := fl.TraitsOf[fl.PartitionTraits](s.entry).Drops
	if len(parts) != 1 || len(parts[0]) != rows && !drops || assignedTwice(parts, rows) != "" {
		return fmt.Sprintf("%d parts, of %d rows in all, where there are %d",
			len(parts), len(slices.Concat(parts...)), rows)
	}
	return ""
}

func dealsToTooMany(s *subject[fl.Partitioner]) string {
	rows := s.toy.population.Train.Len()
	if parts, _, err := deal(s, rows+1, 0); err == nil {
		return fmt.Sprintf("%d rows are assigned to %d clients, in %d parts", rows, rows+1,
			len(parts))
	}
	return ""
}

func readsData(s *subject[fl.Partitioner]) string {
	own := s.toy.copy().population.Train
	before, after := newDigest(), newDigest()
	before.dataset(own)
	_, _ = s.build().Split(own, clients, s.stream("partition").At(0, 0).Rand())
	after.dataset(own)
	if before.sum() != after.sum() {
		return "the data changed"
	}
	return ""
}
