// Package availability holds availability models: which clients are available in a round.
package availability

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// mostListed and mostMembers bound the cohorts that a law lists: what is beyond them is
// stated by its structure, or simulated.
const (
	mostListed  = 250_000
	mostMembers = 2_000_000
)

// listable reports whether the subsets of k out of n clients are few enough to list.
func listable(n, k int) bool {
	count := stats.CountSubsets(n, k)
	return count <= mostListed && count*k <= mostMembers
}

// UniformSubsets returns the law under which all subsets of k out of n clients are equally likely,
// for any sampling code.
func UniformSubsets(n, k int) fl.Law {
	one, _ := stats.UniformInclusion(n, k)
	law := fl.Law{Exact: true, Memoryless: true, Size: k, Chance: constant(n, one),
		Inclusion: constant(n, one)}
	if k == n {
		return fl.Law{Exact: true, Everyone: true, Memoryless: true}
	}
	if listable(n, k) {
		law.Sets = stats.Subsets(n, k)
		law.Q = constant(len(law.Sets), 1/float64(len(law.Sets)))
	}
	return law
}

func constant(n int, x float64) fl.Vector {
	v := make(fl.Vector, n)
	for i := range v {
		v[i] = x
	}
	return v
}
