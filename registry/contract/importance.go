package contract

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func importances() exam[fl.Importance] {
	type s = *subject[fl.Importance]
	return exam[fl.Importance]{
		of: registry.Importances(),
		checks: []check[s]{
			{"weights", "p has one weight for each client, none of them negative, and sums to 1 " +
				"within 1e-12", "", sixWeights},
			{"any-size", "so it is for 1 and for 100,000 clients, unless the Example fixes " +
				"their number", "weights", anyNumberOfWeights},
			{"repeatable", "two fresh instances give the same bits, and again after the caller " +
				"has written to what it got", "weights", repeatsWeights},
			{readOnly, "Weights does not modify the Roster", "weights", readsRoster},
			{"equivariant", "the numbers of samples count, if at all, not the clients: when " +
				"clients swap them, weights are swapped, too", "repeatable", swapsWeights},
		},
	}
}

// people returns a roster of n clients before importance is known, with n different
// numbers of samples.
func people(n int) *fl.Roster {
	r := &fl.Roster{N: n, Samples: make([]int, n)}
	for i := range r.Samples {
		r.Samples[i] = 10 + 7*i%n // n is no multiple of 7
	}
	return r
}

// noDistribution says why p is none over n clients.
func noDistribution(p fl.Vector, n int) string {
	if err := fl.CheckDistribution("weights", p, n, 1e-12); err != nil {
		return fmt.Sprintf("of %d clients: %v", n, err)
	}
	return ""
}

func sixWeights(s *subject[fl.Importance]) string {
	return noDistribution(s.build().Weights(people(clients)), clients)
}

func anyNumberOfWeights(s *subject[fl.Importance]) string {
	for _, n := range []int{1, 100_000} {
		c, ok := s.buildFor(n)
		switch {
		case ok:
			if broken := noDistribution(c.Weights(people(n)), n); broken != "" {
				return broken
			}
		case len(s.entry.Example) == 0:
			return fmt.Sprintf("it does not build for %d clients", n)
		}
	}
	return ""
}

func repeatsWeights(s *subject[fl.Importance]) string {
	c := s.build()
	first := c.Weights(people(clients))
	want := first.Clone()
	if d := apart(want, s.build().Weights(people(clients)), 0); d != "" {
		return at("another instance", d)
	}
	for i := range first {
		first[i] = -1
	}
	return at("after writing to them", apart(want, c.Weights(people(clients)), 0))
}

func readsRoster(s *subject[fl.Importance]) string {
	before, after := newDigest(), newDigest()
	r := people(clients)
	before.roster(r)
	s.build().Weights(r)
	after.roster(r)
	if before.sum() != after.sum() {
		return "the Roster changed"
	}
	return ""
}

func swapsWeights(s *subject[fl.Importance]) string {
	r, swapped := people(clients), people(clients)
	order := []int{3, 0, 5, 1, 4, 2}
	for k, i := range order {
		swapped.Samples[k] = r.Samples[i]
	}
	before, after := s.build().Weights(r), s.build().Weights(swapped)
	moved := make(fl.Vector, clients)
	for k, i := range order {
		moved[k] = before[i]
	}
	if apart(before, after, 1e-12) != "" && apart(moved, after, 1e-12) != "" {
		return fmt.Sprintf("samples %v have weights %v, but samples %v have %v",
			r.Samples, rounded(before), swapped.Samples, rounded(after))
	}
	return ""
}

// rounded returns p to four digits, for a message.
func rounded(p fl.Vector) []string {
	var digits []string
	for x := range slices.Values(p) {
		digits = append(digits, fmt.Sprintf("%.4f", x))
	}
	return digits
}
