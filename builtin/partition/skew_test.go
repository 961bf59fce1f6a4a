package partition

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// near fails where the mean of x is not within five standard errors of want.
func near(t *testing.T, what string, x []float64, want float64) {
	t.Helper()
	mean, sd := stat.MeanStdDev(x, nil)
	if off := stat.StdErr(sd, float64(len(x))); math.Abs(mean-want) > 5*off+1e-9 {
		t.Errorf("%s: %v ± %v, want %v", what, mean, off, want)
	}
}

// Shares of a draw from Dir(α·1) over N clients have squares of (α + 1)/(N(Nα + 1)) on average;
// logarithms of log-normal ones a variance of σ²; and those of a power law are known.
//
//hansa:verifies theorem partition/quantity
func TestQuantities(t *testing.T) {
	const n, rows = 5, 200_000
	d := shuffledLabels(1, rows)
	var squares, variances []float64
	for seed := range uint64(60) {
		p := build(t, Quantity, map[string]any{"kind": "dirichlet", "alpha": 0.7})
		for _, m := range sizesOf(split(t, p, d, n, seed)) {
			squares = append(squares, math.Pow(float64(m)/rows, 2))
		}
		p = build(t, Quantity, map[string]any{"kind": "log-normal", "sigma": 0.5})
		var logs []float64
		for _, m := range sizesOf(split(t, p, d, n, seed)) {
			logs = append(logs, math.Log(float64(m)))
		}
		variances = append(variances, stat.Variance(logs, nil))
	}
	near(t, "dirichlet", squares, (0.7+1)/(n*(n*0.7+1)))
	near(t, "log-normal", variances, 0.25)

	p := build(t, Quantity, map[string]any{"kind": "power-law", "exponent": 2.0})
	sizes, whole := sizesOf(split(t, p, d, n, 1)), 1+1/4.+1/9.+1/16.+1/25.
	slices.Sort(sizes)
	slices.Reverse(sizes)
	for r, m := range sizes {
		if want := rows / whole / float64((r+1)*(r+1)); math.Abs(float64(m)-want) > 1 {
			t.Errorf("the client of rank %d has %d rows, want %v", r+1, m, want)
		}
	}
	first := map[int]bool{}
	for seed := range uint64(40) {
		sizes := sizesOf(split(t, p, d, n, seed))
		first[slices.Index(sizes, slices.Max(sizes))] = true
	}
	if len(first) < n {
		t.Errorf("the largest client is always one of %d", len(first))
	}
}

// At its limits sizes are equal but for a row; min_size is met; and labels do not matter.
func TestQuantityAtItsLimits(t *testing.T) {
	d := shuffledLabels(3, 103, 200, 50)
	for _, given := range []map[string]any{
		{"kind": "log-normal", "sigma": 0.0}, {"kind": "power-law", "exponent": 0.0},
	} {
		sizes := sizesOf(split(t, build(t, Quantity, given), d, 7, 1))
		if slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Errorf("%v: sizes %v", given, sizes)
		}
	}
	given := map[string]any{"kind": "dirichlet", "alpha": 0.01, "min_size": int64(12)}
	if sizes := sizesOf(split(t, build(t, Quantity, given), d, 20, 1)); slices.Min(sizes) < 12 {
		t.Errorf("sizes %v", sizes)
	}
}

// With k = C it cuts as "dirichlet" of the kind per-class does, and as α grows it becomes "labels".
//
//hansa:verifies equivalence partition/extended-dirichlet
func TestExtendedDirichletAtItsLimits(t *testing.T) {
	d := shuffledLabels(2, 400, 300, 500)
	for seed := range uint64(10) {
		p := build(t, ExtendedDirichlet, map[string]any{"k": int64(2), "alpha": 1e6})
		for i, rows := range split(t, p, d, 12, seed) {
			counts := labelCounts(d, rows)
			if lacks := slices.DeleteFunc(counts, func(m float64) bool { return m > 0 }); len(lacks) != 1 {
				t.Errorf("client %d lacks %d labels of 3", i, len(lacks))
			}
		}
		checkLabelsNearly(t, d, split(t, p, d, 12, seed))
	}
	var squares []float64
	const n, alpha = 6, 0.5
	for seed := range uint64(100) {
		p := build(t, ExtendedDirichlet, map[string]any{"k": int64(3), "alpha": alpha})
		for _, rows := range split(t, p, d, n, seed) {
			squares = append(squares, math.Pow(labelCounts(d, rows)[2]/500, 2))
		}
	}
	near(t, "shares of a class", squares, (alpha+1)/(n*(n*alpha+1)))
}

// checkLabelsNearly holds the rows of a label to be split evenly, up to 2 % and a row.
func checkLabelsNearly(t *testing.T, d *fl.Dataset, parts [][]int) {
	t.Helper()
	for c := range d.Shape.Classes {
		least, most := math.Inf(1), 0.0
		for _, rows := range parts {
			if m := labelCounts(d, rows)[c]; m > 0 {
				least, most = min(least, m), max(most, m)
			}
		}
		if most > 1.02*least+2 {
			t.Errorf("label %d gives its clients %v to %v rows", c, least, most)
		}
	}
}

// With few rows and much skew a client may be left with none: it is given one of a label of its own.
func TestExtendedDirichletLeavesNoClientEmpty(t *testing.T) {
	d := shuffledLabels(2, 15, 15, 15)
	p := build(t, ExtendedDirichlet, map[string]any{"k": int64(2), "alpha": 0.05})
	for seed := range uint64(100) {
		for i, rows := range split(t, p, d, 10, seed) {
			if counts := labelCounts(d, rows); counts[0] > 0 && counts[1] > 0 && counts[2] > 0 {
				t.Errorf("client %d has three labels", i)
			}
		}
	}
}

// Of s rows of a client, drawn from shares θ ~ Dir(α·1) over G groups, the squared part of a group
// is 1/(sG) + (1 − 1/s)(α + 1)/(G(Gα + 1)) on average, where rows do not run out; and so for the
// classes of a group.
//
//hansa:verifies theorem partition/pachinko
func TestPachinko(t *testing.T) {
	d := shuffledLabels(5, slices.Repeat([]int{200}, 6)...)
	groups := []any{int64(0), int64(1), int64(2), int64(2), int64(1), int64(0)}
	p := build(t, Pachinko, map[string]any{"groups": groups, "alpha": 0.4, "beta": 2.0})
	var group, class []float64
	for seed := range uint64(400) {
		rng := random(seed)
		left := slices.Repeat([]int{4000}, 6)
		counts := make([]float64, 6)
		_, members, err := p.(*pachinko).leaves(d)
		if err != nil {
			t.Fatal(err)
		}
		p.(*pachinko).choose(members, left, rng, 50, func(k int) { counts[k]++ })
		group = append(group, math.Pow((counts[0]+counts[1])/50, 2))
		if m := counts[2] + counts[3]; m > 1 { // unbiased for the mean of φ², given m
			class = append(class, counts[2]*(counts[2]-1)/(m*(m-1)))
		}
	}
	moment := func(a, n float64) float64 { return (a + 1) / (n * (n*a + 1)) }
	near(t, "groups", group, 1./50/3+(1-1./50)*moment(0.4, 3))
	near(t, "classes", class, moment(2, 2))
	for seed := range uint64(3) {
		sizes := sizesOf(split(t, p, d, 7, seed)) // all rows are given, and sizes are equal
		if slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Errorf("sizes %v", sizes)
		}
	}
}

// Groups are the domains of rows, if they are not given: to the row.
func TestPachinkoByDomains(t *testing.T) {
	d := inDomains(1, []int{30, 20, 0, 0}, []int{0, 0, 40, 30})
	named := build(t, Pachinko, map[string]any{"groups": []any{int64(0), int64(0), int64(1), int64(1)}})
	want := split(t, named, d, 6, 1)
	got := split(t, build(t, Pachinko, nil), d, 6, 1)
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("domains and groups differ")
	}
	d.Domain[slices.Index(d.Y, 3)] = 0 // a class of two domains is two
	split(t, build(t, Pachinko, nil), d, 6, 1)
}

// Within a domain, the rows of a class are cut by a draw from a Dirichlet distribution among its
// clients, and no row is lost.
//
//hansa:verifies theorem partition/domains
func TestClientsOfADomainDifferByLabel(t *testing.T) {
	d := inDomains(1, []int{600, 500}, []int{400, 900})
	const alpha, peers = 0.6, 4
	p, err := Domains.New(fl.NewParams(map[string]any{"within": alpha}, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	var squares []float64
	for seed := range uint64(100) {
		parts := split(t, p, d, 2*peers, seed)
		checkDomains(t, d, parts)
		for i := 1; i < 2*peers; i += 2 {
			squares = append(squares, math.Pow(labelCounts(d, parts[i])[1]/900, 2))
		}
	}
	near(t, "shares of a class", squares, (alpha+1)/(peers*(peers*alpha+1)))
}
