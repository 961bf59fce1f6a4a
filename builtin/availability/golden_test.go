package availability_test

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// golden is a case of testdata/availability.json, made with NumPy.
type golden struct {
	Name   string
	Inputs struct {
		R, B fl.Vector
		K    int
	}
	Expected struct {
		Sets      [][]int
		Q         fl.Vector
		Inclusion fl.Vector
		Pairs     []fl.Vector `json:"pairwise_inclusion"`
		Empty     float64     `json:"empty_probability"`
		Given     fl.Vector   `json:"q_given_nonempty"`
	}
	Tol struct{ Abs, Rel float64 }
}

func (g *golden) equal(t *testing.T, what string, got, want fl.Vector) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= g.Tol.Abs+g.Tol.Rel*math.Abs(w)) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// The laws that components state are those of the reference vectors.
//
//hansa:verifies golden availability/k-subset availability/bernoulli
func TestGoldenLaws(t *testing.T) {
	text, err := os.ReadFile("testdata/availability.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	examined := 0
	for i := range file.Cases {
		g := &file.Cases[i]
		examine := map[string]func(*testing.T, *golden){
			"wor": g.subsets("successive"), "with": g.subsets("distinct"), "independent": bernoulliGolden,
		}[strings.Split(g.Name, "_")[0]]
		if examine != nil { // the other cases are of models that are not components
			examined++
			t.Run(g.Name, func(t *testing.T) { examine(t, g) })
		}
	}
	if examined != 9 {
		t.Errorf("%d cases were examined, want 9", examined)
	}
}

func (g *golden) subsets(design string) func(*testing.T, *golden) {
	return func(t *testing.T, g *golden) {
		n := len(g.Inputs.R)
		law := open(t, availability.KSubset, subset(design, g.Inputs.K, g.Inputs.R), n).law(t)
		if !reflect.DeepEqual(law.Sets, g.Expected.Sets) {
			t.Fatalf("sets are %v, want %v", law.Sets, g.Expected.Sets)
		}
		g.equal(t, "q", law.Q, g.Expected.Q)
		if g.Expected.Inclusion != nil {
			g.equal(t, "inclusion", law.Inclusion, g.Expected.Inclusion)
		}
		pairs := stats.PairInclusion(law.Sets, law.Q, n)
		for i, want := range g.Expected.Pairs {
			g.equal(t, "pair inclusion", pairs.Row(i), want)
		}
	}
}

func bernoulliGolden(t *testing.T, g *golden) {
	b := g.Inputs.B
	given := map[string]any{"rate": b.Sum() / float64(len(b)), "prior": listed(b)}
	law := open(t, availability.Bernoulli, given, len(b)).law(t)
	if !reflect.DeepEqual(law.Sets, g.Expected.Sets[1:]) {
		t.Fatalf("sets are %v, want %v", law.Sets, g.Expected.Sets[1:])
	}
	g.equal(t, "q given a non-empty cohort", law.Q, g.Expected.Given[1:])
	g.equal(t, "chance", law.Chance, b)
	g.equal(t, "inclusion", law.Inclusion, g.Expected.Inclusion)
	g.equal(t, "empty", fl.Vector{law.Empty}, fl.Vector{g.Expected.Empty})
}
