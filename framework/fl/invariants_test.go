package fl_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// What components return is checked by the same functions everywhere: every way to be wrong is
// found, and what is right passes.
func TestInvariants(t *testing.T) {
	even := make(fl.Vector, 1_000_003) // whose plain sum is not 1 to 1e-12
	even.Fill(1 / float64(len(even)))
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no clients":      {fl.CheckClients(nil, 3), ""},
		"all clients":     {fl.CheckClients([]int{0, 1, 2}, 3), ""},
		"negative":        {fl.CheckClients([]int{-1}, 3), "client -1, there are clients 0 to 2"},
		"beyond":          {fl.CheckClients([]int{1, 3}, 3), "client 3, there are clients 0 to 2"},
		"twice":           {fl.CheckClients([]int{1, 1}, 3), "client 1 twice"},
		"descending":      {fl.CheckClients([]int{2, 0}, 3), "client 0 after client 2"},
		"part of nothing": {fl.CheckSubset(nil, nil), ""},
		"part":            {fl.CheckSubset([]int{1, 5}, []int{0, 1, 4, 5}), ""},
		"no part":         {fl.CheckSubset([]int{1, 3}, []int{0, 1, 4}), "client 3, which is not available"},
		"picked twice":    {fl.CheckSubset([]int{1, 1}, []int{0, 1}), "client 1 twice"},
		"picked back":     {fl.CheckSubset([]int{1, 0}, []int{0, 1}), "client 0 after client 1"},
		"past the end":    {fl.CheckSubset([]int{9}, []int{0, 1}), "client 9, which is not available"},
		"uniform":         {fl.CheckDistribution("p", even, len(even), 1e-12), ""},
		"too few":         {fl.CheckDistribution("p", fl.Vector{1}, 2, 1e-9), "1 p, want 2"},
		"below zero":      {fl.CheckDistribution("p", fl.Vector{-1, 2}, 2, 1e-9), "element 0 is -1"},
		"not a number":    {fl.CheckDistribution("p", fl.Vector{1, math.NaN()}, 2, 1e-9), "element 1 is NaN"},
		"infinite":        {fl.CheckDistribution("p", fl.Vector{math.Inf(1), 0}, 2, 1e-9), "element 0 is +Inf"},
		"half":            {fl.CheckDistribution("p", fl.Vector{.25, .25}, 2, 1e-9), "p that sum to 0.5, not 1"},
		"within slack":    {fl.CheckDistribution("p", fl.Vector{.5, .4999}, 2, 1e-3), ""},
	} {
		if c.want == "" && c.err != nil || c.want != "" &&
			(c.err == nil || !strings.Contains(c.err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
}
