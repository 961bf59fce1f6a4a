package builtin

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// Evidence is a test that shows something of a component, beyond the contract, which every
// component passes.
type Evidence struct {
	Kind string // one of EvidenceKinds
	Test string // package and name: "builtin/aggregator TestGoldenServers"
	Says string // what it shows, in a sentence
}

// EvidenceKinds are the kinds of evidence, with what they mean, in the order in which they are
// shown. A test states them in its comment:
//
//	//hansa:verifies equivalence aggregator/fedavgm aggregator/fedgma
func EvidenceKinds() [][2]string {
	return [][2]string{
		{"equivalence", "another method, at a parameter that takes the difference away"},
		{"unbiased", "the expectation over all cohorts, by enumeration"},
		{"fixed-point", "where rounds end on problems whose solution is known"},
		{"breakdown", "how many faulty clients a rule stands, and that it does not stand one more"},
		{"invariance", "what may change without changing the result"},
		{"theorem", "another statement of its paper, or a definition"},
		{"golden", "numbers that an independent program computed from the formula"},
		{"source", "numbers or facts of an official implementation"},
	}
}

// Verified returns the evidence for each component, by kind and name: "aggregator/fedavgm". The
// list is generated from the tests; go run ./tools/docs rewrites it.
func Verified() map[string][]Evidence { return verified() }

// Badge returns the kinds of evidence that there are of a component, each with how many tests:
// "equivalence, golden ×2".
func Badge(kind, name string) string {
	count := map[string]int{}
	for _, v := range Verified()[kind+"/"+name] {
		count[v.Kind]++
	}
	var all []string
	for _, k := range EvidenceKinds() {
		switch n := count[k[0]]; {
		case n == 1:
			all = append(all, k[0])
		case n > 1:
			all = append(all, fmt.Sprintf("%s ×%d", k[0], n))
		}
	}
	return strings.Join(all, ", ")
}

//go:embed verified.txt
var verifiedText string

var verified = sync.OnceValue(func() map[string][]Evidence {
	all := map[string][]Evidence{}
	for line := range strings.Lines(verifiedText) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		if len(f) == 4 {
			all[f[0]] = append(all[f[0]], Evidence{Kind: f[1], Test: f[2], Says: f[3]})
		}
	}
	return all
})
