package tensor_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A cohort is what helpers are measured on: ten vectors of 400,000 normal numbers, and more.
type cohort struct {
	xs, sums       [][]float64 // sums are the rows of columns
	w, v, x, y     tensor.Vector
	apart, columns tensor.Matrix
	order          []int
	rng            *rand.Rand
}

const (
	members    = 10
	parameters = 400_000
)

func newCohort() *cohort {
	c := &cohort{rng: rand.New(rand.NewPCG(38, 1)), w: make(tensor.Vector, members),
		apart: tensor.NewMatrix(members, members), columns: tensor.NewMatrix(members, parameters)}
	random := func() tensor.Vector {
		v := make(tensor.Vector, parameters)
		v.AddNoise(1, c.rng)
		return v
	}
	for range members {
		c.xs = append(c.xs, random())
	}
	for k := range members {
		c.sums = append(c.sums, c.columns.Row(k))
	}
	c.v, c.x, c.y = random(), random(), random()
	c.w.Fill(1. / members)
	c.order = c.rng.Perm(parameters)
	return c
}

// ofVectors are all methods of vectors, by name. What a method does to v is undone before the next.
func (c *cohort) ofVectors() map[string]func() {
	v, x, y := c.v, c.x, c.y
	return map[string]func(){
		"Abs": v.Abs, "Add": func() { v.Add(x) }, "AddConst": func() { v.AddConst(1) },
		"AddNoise":    func() { v.AddNoise(1, c.rng) },
		"AddProduct":  func() { v.AddProduct(.1, x, y) },
		"AddScaled":   func() { v.AddScaled(.1, x) },
		"AddSigns":    func() { v.AddSigns(c.w, c.xs, x) },
		"AddSquares":  func() { v.AddSquares(c.w, c.xs, x) },
		"AddUniform":  func() { v.AddUniform(1, c.rng) },
		"AddWeighted": func() { v.AddWeighted(c.w, c.xs) },
		"Above":       func() { v.Above(0) }, "AtLeast": func() { v.AtLeast(0) },
		"AtMost": func() { v.AtMost(0) }, "Below": func() { v.Below(0) },
		"Clamp": func() { v.Clamp(-1, 1) }, "Clone": func() { v.Clone() },
		"Cosine": func() { v.Cosine(x) }, "Distance": func() { v.Distance(x) },
		"ArgMax": func() { v.ArgMax() },
		"Div":    func() { v.Div(x) }, "Dot": func() { v.Dot(x) }, "Exp": v.Exp,
		"Fill": func() { v.Fill(1) }, "Finite": func() { v.Finite() }, "Floor": v.Floor,
		"Log": v.Log, "LogSumExp": func() { v.LogSumExp() },
		"Max": func() { v.Max(x) }, "Min": func() { v.Min(x) }, "Mul": func() { v.Mul(x) },
		"Norm": func() { v.Norm() }, "Norm1": func() { v.Norm1() },
		"NormInf": func() { v.NormInf() }, "Pow": func() { v.Pow(1.5) },
		"Project": func() { v.Project(1) }, "Quantile": func() { v.Quantile(0.3) },
		"Scale": func() { v.Scale(.5) }, "Sign": v.Sign, "Sqrt": v.Sqrt,
		"Sub": func() { v.Sub(x) }, "Sum": func() { v.Sum() },
		"TopK": func() { v.TopK(parameters / 100) },
	}
}

// functions are those of vectors and of lists of them, by name.
func (c *cohort) functions() map[string]func() {
	v, x, y := c.v, c.x, c.y
	return map[string]func(){
		"AddCombinations":   func() { tensor.AddCombinations(c.sums, c.apart, c.xs) },
		"ArgSort":           func() { tensor.ArgSort(c.order, x) },
		"ArgSortDescending": func() { tensor.ArgSortDescending(c.order, x) },
		"Gather":            func() { tensor.Gather(v, x, c.order) },
		"Gram":              func() { tensor.Gram(c.apart, c.xs) },
		"Less":              func() { tensor.Less(v, x, y) },
		"LessEqual":         func() { tensor.LessEqual(v, x, y) },
		"MeanAround":        func() { tensor.MeanAround(v, c.xs, x, 6) },
		"MeanAroundMedian":  func() { tensor.MeanAroundMedian(v, c.xs, 6) },
		"Median":            func() { tensor.Median(v, c.xs) },
		"OrderStatistic":    func() { tensor.OrderStatistic(v, c.xs, 3) },
		"Quantile":          func() { tensor.Quantile(v, c.xs, 0.3) },
		"Scatter":           func() { tensor.Scatter(v, x, c.order) },
		"Select":            func() { tensor.Select(v, v, x, y) },
		"Softmax":           func() { tensor.Softmax(v, x) },
		"SortColumns":       func() { tensor.SortColumns(c.columns, c.xs) },
		"SquaredDistances":  func() { tensor.SquaredDistances(c.apart, c.xs) },
		"TrimmedMean":       func() { tensor.TrimmedMean(v, c.xs, 2) },
	}
}

// costsFile says how long everything takes, for the table in the documentation.
const costsFile = "testdata/costs.txt"

var costs = flag.Bool("costs", false, "measure "+costsFile+" anew")

// Every method of a vector and every function of vectors has a cost that was measured.
func TestCosts(t *testing.T) {
	if *costs {
		measureCosts(t)
	}
	text, err := os.ReadFile(costsFile)
	if err != nil {
		t.Fatal(err)
	}
	c := &cohort{}
	want := slices.Sorted(maps.Keys(c.functions()))
	methods := reflect.TypeFor[tensor.Vector]()
	for i := range methods.NumMethod() {
		want = append(want, "Vector."+methods.Method(i).Name)
	}
	var have []string
	for line := range strings.Lines(string(text)) {
		name, cost := "", 0.0
		if _, err := fmt.Sscan(line, &name, &cost); err != nil || !(cost > 0) {
			t.Errorf("%q: %v", line, err)
		}
		have = append(have, name)
	}
	if slices.Sort(want); !slices.Equal(have, want) {
		t.Errorf("%v have a cost, want %v; go test ./framework/tensor -run Costs -costs", have, want)
	}
}

// measureCosts writes the milliseconds of everything, the best of forty in turns.
func measureCosts(t *testing.T) {
	t.Helper()
	c, all := newCohort(), map[string]func(){}
	for name, do := range c.ofVectors() {
		all["Vector."+name] = do
	}
	maps.Copy(all, c.functions())
	before, best := c.v.Clone(), map[string]time.Duration{}
	for range 40 {
		for name, do := range all {
			copy(c.v, before)
			begun := time.Now()
			do()
			if took := time.Since(begun); best[name] == 0 || took < best[name] {
				best[name] = took
			}
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s %.2g\n", name, best[name].Seconds()*1e3)
	}
	if err := os.WriteFile(costsFile, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
