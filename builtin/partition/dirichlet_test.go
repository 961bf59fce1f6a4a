package partition

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
)

func dir(t *testing.T, kind string, alpha float64, minSize int) fl.Partitioner {
	t.Helper()
	given := map[string]any{"kind": kind, "alpha": alpha, "min_size": int64(minSize)}
	return build(t, Dirichlet, given)
}

// TestRealisedHeterogeneity compares with what the libraries that the kinds come from
// realise on 50,000 rows of 10 equal classes and 100 clients: means over 3 seeds, rounded
// to the digits shown. The bound is four standard errors of the difference of means.
//
//hansa:verifies source partition/dirichlet
func TestRealisedHeterogeneity(t *testing.T) {
	const seeds, theirSeeds = 24, 3
	rounding := []float64{0.005, 0.05, 0.005, 0.005}
	d := shuffledLabels(1, slices.Repeat([]int{5000}, 10)...)
	for _, c := range []struct {
		kind  string
		alpha float64
		want  []float64 // in the order of measures
	}{
		{perClass, 0.1, []float64{1.00, 5.0, 2.52, 0.71}},
		{perClassBalanced, 0.1, []float64{0.80, 4.3, 2.23, 0.74}},
		{perClient, 0.1, []float64{0, 4.6, 2.45, 0.72}},
		{perClass, 0.5, []float64{0.44, 9.3, 5.55, 0.45}},
		{perClassBalanced, 0.5, []float64{0.34, 8.1, 4.92, 0.49}},
		{perClient, 0.5, []float64{0, 8.5, 5.12, 0.48}},
	} {
		got := make([][]float64, len(measures)) // [measure][seed]
		for seed := range uint64(seeds) {
			parts, err := dir(t, c.kind, c.alpha, 10).Split(d, 100, random(seed))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range heterogeneity(d, parts) {
				got[k] = append(got[k], v)
			}
		}
		for k, want := range c.want {
			mean, sd := stat.MeanStdDev(got[k], nil)
			bound := 4*sd*math.Sqrt(1.0/seeds+1.0/theirSeeds) + rounding[k]
			if math.Abs(mean-want) > bound {
				t.Errorf("%s, α = %g: %s %.3f ± %.3f, want %.2f ± %.3f",
					c.kind, c.alpha, measures[k], mean, sd, want, bound)
			}
		}
	}
}

// TestDrawIsDirichlet compares one share of many draws with its law, Beta(α, (C−1)α), by
// the Kolmogorov–Smirnov distance, for α on both sides of 1.
//
//hansa:verifies theorem partition/dirichlet
func TestDrawIsDirichlet(t *testing.T) {
	const n, classes = 4000, 5
	for _, alpha := range []float64{0.05, 0.5, 1, 20} {
		rng := random(1)
		shares, first := make([]float64, classes), make([]float64, n)
		for j := range first {
			for k := range shares {
				shares[k] = alpha
			}
			drawLogs(shares, shares, rng)
			proportions(shares, shares)
			first[j] = shares[0] / floats.Sum(shares)
		}
		slices.Sort(first)
		law, distance := distuv.Beta{Alpha: alpha, Beta: (classes - 1) * alpha}, 0.0
		for j, x := range first {
			f := law.CDF(x)
			distance = max(distance, f-float64(j)/n, float64(j+1)/n-f)
		}
		if distance > 1.95/math.Sqrt(n) { // exceeded once in a thousand
			t.Errorf("α = %g: distance %.4f from Beta(α, 4α)", alpha, distance)
		}
	}
}

// TestPerClientLaw compares the labels of the client that chooses first, of 20 rows, with
// its law for unequal classes, p = (0.9, 0.1): beta-binomial with s = αC.
func TestPerClientLaw(t *testing.T) {
	const alpha, seeds, m, s = 0.5, 1500, 20, 2 * 0.5
	p := dir(t, perClient, alpha, 1)
	var zeros []float64
	for seed := range uint64(seeds) {
		d := shuffledLabels(seed, 900, 100)
		parts, err := p.Split(d, 50, random(seed))
		if err != nil {
			t.Fatal(err)
		}
		zeros = append(zeros, labelCounts(d, parts[random(seed).Perm(50)[0]])[0])
	}
	mean, variance := stat.MeanVariance(zeros, nil)
	want := m * 0.9 * 0.1 * (s + m) / (s + 1)
	if math.Abs(mean-m*0.9) > 4*math.Sqrt(want/seeds) {
		t.Errorf("mean %.3f, want %.3f", mean, m*0.9)
	}
	if math.Abs(variance/want-1) > 0.2 {
		t.Errorf("variance %.3f, want %.3f", variance, want)
	}
}

// TestDirichletContract holds every kind to the contract at extreme concentrations, with
// unequal classes, one of them absent, and sizes that nothing divides.
func TestDirichletContract(t *testing.T) {
	for _, kind := range []string{perClass, perClassBalanced, perClient} {
		for _, alpha := range []float64{1e-6, 0.01, 0.1, 1, 1e6} {
			t.Run(fmt.Sprint(kind, alpha), func(t *testing.T) {
				for seed := range uint64(5) {
					d := shuffledLabels(seed, 1003, 0, 37, 2, 400)
					parts := split(t, dir(t, kind, alpha, 5), d, 61, seed)
					least, most := slices.Min(sizesOf(parts)), slices.Max(sizesOf(parts))
					if kind == perClient && most > least+1 || kind != perClient && least < 5 {
						t.Errorf("sizes %d to %d", least, most)
					}
				}
			})
		}
	}
}

// TestAbsentClassChangesNothing: α means the same whether or not a class without rows is
// on the list.
func TestAbsentClassChangesNothing(t *testing.T) {
	with, without := shuffledLabels(1, 300, 200, 0), shuffledLabels(1, 300, 200)
	for _, kind := range []string{perClass, perClassBalanced, perClient} {
		a := split(t, dir(t, kind, 0.3, 1), with, 20, 1)
		b := split(t, dir(t, kind, 0.3, 1), without, 20, 1)
		if !slices.EqualFunc(a, b, slices.Equal) {
			t.Errorf("%s: another split", kind)
		}
	}
}

// TestLargeAlphaIsIID: every kind tends to equal clients with the labels of all.
func TestLargeAlphaIsIID(t *testing.T) {
	d := shuffledLabels(1, 5000, 3000, 2000)
	for _, kind := range []string{perClass, perClassBalanced, perClient} {
		h := heterogeneity(d, split(t, dir(t, kind, 1e6, 10), d, 10, 1))
		if h[0] > 0.01 || h[3] > 0.03 {
			t.Errorf("%s: size CV %.4f, mean TV %.4f", kind, h[0], h[3])
		}
	}
}

// TestBalancing: a client that has n/N rows gets nothing of the classes that follow.
func TestBalancing(t *testing.T) {
	const n = 50
	d := shuffledLabels(1, slices.Repeat([]int{500}, 10)...)
	for seed := range uint64(10) {
		for i, rows := range split(t, dir(t, perClassBalanced, 0.2, 1), d, n, seed) {
			have := 0.0
			for k, m := range labelCounts(d, rows) {
				if m > 0 && have >= float64(d.Len())/n {
					t.Errorf("client %d has %v rows and gets %v of class %d", i, have, m, k)
				}
				have += m
			}
		}
	}
}

// TestMinSizeIsReached where no draw would: as many rows as are needed, no more.
func TestMinSizeIsReached(t *testing.T) {
	d := shuffledLabels(1, 1000, 1000)
	for _, kind := range []string{perClass, perClassBalanced} {
		for _, size := range sizesOf(split(t, dir(t, kind, 0.01, 20), d, 100, 1)) {
			if size != 20 {
				t.Fatalf("%s: size %d, want 20", kind, size)
			}
		}
	}
	_, err := dir(t, perClass, 1, 21).Split(d, 100, random(1))
	const want = "min_size: 21 rows for each of 100 clients are more than all 2000"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	if parts := split(t, dir(t, perClient, 1, 21), d, 100, 1); len(parts[0]) != 20 {
		t.Errorf("per-client: size %d, want 20 whatever min_size", len(parts[0]))
	}
}

// TestDrawsComeBeforeRepairs: where most draws leave some client short but not all do, splits are
// drawn again. Repaired at once, four of five would have a client of exactly 10 rows.
func TestDrawsComeBeforeRepairs(t *testing.T) {
	const seeds = 50
	d := shuffledLabels(1, slices.Repeat([]int{5000}, 10)...)
	for _, kind := range []string{perClass, perClassBalanced} {
		exact := 0
		for seed := range uint64(seeds) {
			parts, err := dir(t, kind, 0.1, 10).Split(d, 100, random(seed))
			if err != nil {
				t.Fatal(err)
			}
			if slices.Min(sizesOf(parts)) == 10 {
				exact++
			}
		}
		if exact > seeds*2/5 {
			t.Errorf("%s: in %d of %d splits some client has exactly 10 rows", kind, exact, seeds)
		}
	}
}

func TestRepair(t *testing.T) {
	table := counts{{90, 0, 3, 9, 30}, {10, 2, 0, 2, 40}} // sizes 100, 2, 3, 11 and 70
	table.repair(10)
	want := counts{{75, 8, 10, 9, 30}, {10, 2, 0, 2, 40}}
	if !slices.EqualFunc(table, want, slices.Equal) {
		t.Errorf("%v, want %v", table, want)
	}
}

// TestRepairInvariants: rows of a class are conserved, clients with the minimum keep it and others
// reach it, and those that gave rows are now the largest, as large as each other.
func TestRepairInvariants(t *testing.T) {
	repaired := 0
	for seed := range uint64(300) {
		rng := random(seed)
		table := newCounts(1+rng.IntN(4), 1+rng.IntN(30))
		classes := make([]int, len(table))
		for k := range table {
			for i := range table[k] {
				table[k][i] = int(math.Exp(rng.Float64()*8)) - 1
			}
			classes[k] = total(table[k])
		}
		before := table.sizes()
		floor := rng.IntN(total(before)/len(before) + 1)
		table.repair(floor)
		for k := range table {
			if total(table[k]) != classes[k] || slices.Min(table[k]) < 0 {
				t.Fatalf("seed %d: class %d was %d rows, is %v", seed, k, classes[k], table[k])
			}
		}
		after, largest := table.sizes(), slices.Max(table.sizes())
		for i, m := range after {
			fine := m == max(before[i], floor) || m < before[i] && m >= max(floor, largest-1)
			if !fine {
				t.Fatalf("seed %d, floor %d: sizes %v became %v", seed, floor, before, after)
			}
		}
		if !slices.Equal(before, after) {
			repaired++
		}
	}
	if repaired < 100 {
		t.Errorf("only %d tables needed a repair", repaired)
	}
}

func total(x []int) int {
	sum := 0
	for _, v := range x {
		sum += v
	}
	return sum
}

func TestDirichletParameters(t *testing.T) {
	p := fl.NewParams(map[string]any{"alpha": 0.0, "kind": "hsu"}, fl.Setting{Clients: 1}, nil)
	if _, err := Dirichlet.New(p); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, problem := range p.Finish() {
		said = append(said, problem.Message)
	}
	want := []string{`kind: "hsu" is not one of its options`, "alpha: 0 is outside [1e-06, 1e+06]"}
	if !slices.Equal(said, want) {
		t.Errorf("problems %q, want %q", said, want)
	}
	p = fl.NewParams(nil, fl.Setting{Clients: 1}, nil)
	if _, err := Dirichlet.New(p); err != nil {
		t.Fatal(err)
	}
	if got := p.Finish(); len(got) != 1 || !strings.Contains(got[0].Message, "kind: is required") {
		t.Errorf("without a kind: %v", got)
	}
}
