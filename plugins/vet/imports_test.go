package vet

import (
	"sync"
	"testing"

	"github.com/hansa-fl/hansa/plugins/policy"
)

// Packages are shared by all checkers, at once, also where one of them is declared in another way
// by one checker: nothing of that reaches the others.
func TestManyCheckAtOnce(t *testing.T) {
	const rule = `package p

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

type sized interface{ size() float64 }

type length float64

func (l length) size() float64 { return math.Abs(float64(l)) }

func first[T any](list []T) T { return list[0] }

func Sum(r *fl.Round, c stats.Center) float64 {
	v := first([]tensor.Vector{r.Global})
	ot.Weights(v, v, nil)
	var s sized = length(v.Sum())
	return s.size() + first([]float64{c.Residual})
}
`
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			var own map[string]string
			text := rule
			if i%3 == 0 {
				own = map[string]string{"math": "package math\n\nfunc Half(x float64) float64\n"}
				text = "package p\n\nimport \"math\"\n\nvar Quarter = math.Half(0.5)\n"
			}
			p, problems := CheckProgram([]File{{Name: "p.go", Text: text}}, own)
			if problems != nil || p.Core == "" {
				t.Errorf("checker %d: %v", i, problems)
			}
		})
	}
	all.Wait()
}

// What every strategy may import can be type-checked.
func TestCommonPackages(t *testing.T) {
	for _, p := range policy.Packages() {
		load := common[p.Path]
		if load == nil {
			t.Fatalf("%s is not among them", p.Path)
		}
		pkg, err := load()
		if err != nil || !pkg.Complete() || len(pkg.Scope().Names()) == 0 {
			t.Errorf("%s: %v, %v", p.Path, pkg, err)
		}
	}
}
