package partition

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// shifted is the partition with a label shift.
func shifted(t *testing.T, alpha float64) fl.Partitioner {
	t.Helper()
	p, err := Domains.New(fl.NewParams(map[string]any{"alpha": alpha}, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inDomains returns sizes[k][c] rows of domain k and class c, in random order.
func inDomains(seed uint64, sizes ...[]int) *fl.Dataset {
	d := labelled(nil, len(sizes[0]))
	for k, classes := range sizes {
		d.Shape.Domains = append(d.Shape.Domains, string(rune('a'+k)))
		for c, n := range classes {
			d.Y = append(d.Y, slices.Repeat([]int{c}, n)...)
			d.Domain = append(d.Domain, slices.Repeat([]int{k}, n)...)
		}
	}
	d.X = fl.NewMatrix(len(d.Y), 0)
	random(seed).Shuffle(len(d.Y), func(a, b int) {
		d.Y[a], d.Y[b] = d.Y[b], d.Y[a]
		d.Domain[a], d.Domain[b] = d.Domain[b], d.Domain[a]
	})
	return d
}

// checkDomains holds every client i to domain i mod D.
func checkDomains(t *testing.T, d *fl.Dataset, parts [][]int) {
	t.Helper()
	for i, rows := range parts {
		for _, r := range rows {
			if d.Domain[r] != i%len(d.Shape.Domains) {
				t.Fatalf("client %d has row %d of domain %d", i, r, d.Domain[r])
			}
		}
	}
}

// Every client has one domain, and those of a domain share it evenly.
//
//hansa:verifies theorem partition/domains
func TestDomains(t *testing.T) {
	d := inDomains(1, []int{20, 30}, []int{5, 0}, []int{50, 7})
	for n, want := range map[int][]int{
		3: {50, 5, 57}, 4: {25, 5, 57, 25}, 8: {16, 1, 28, 17, 2, 29, 17, 2},
	} {
		parts := split(t, build(t, Domains, nil), d, n, 1)
		checkDomains(t, d, parts)
		if got := sizesOf(parts); !slices.Equal(got, want) {
			t.Errorf("%d clients have %v rows, want %v", n, got, want)
		}
		other := split(t, build(t, Domains, nil), d, n, 2)
		if same := slices.EqualFunc(parts, other, slices.Equal); same != (n == 3) {
			t.Errorf("%d clients: another seed has the same split: %t", n, same)
		}
	}
}

// With a label shift a client keeps of each class about the share that is drawn for it: shares are
// Beta(α, (N−1)α), and those of a class sum to 1 over clients, each of which has as many rows.
func TestLabelShift(t *testing.T) {
	const seeds, each = 60, 1000
	sizes := slices.Repeat([]int{each}, 5)
	d := inDomains(1, sizes, sizes, sizes, sizes)
	for _, alpha := range []float64{0.1, 1, 100} {
		p := shifted(t, alpha)
		var shares []float64
		for seed := range uint64(seeds) {
			parts := splitSome(t, p, d, 4, seed)
			checkDomains(t, d, parts)
			whole := make([]float64, 5)
			for i, rows := range parts {
				for c, m := range labelCounts(d, rows) {
					whole[c] += m
					if i == 0 {
						shares = append(shares, m/each)
					}
				}
			}
			for c, m := range whole {
				if math.Abs(m-each) > 2 { // four shares, each rounded
					t.Fatalf("α = %g: of class %d clients keep %v rows, want %d", alpha, c, m, each)
				}
			}
		}
		mean, sd := stat.MeanStdDev(shares, nil)
		law := distuv.Beta{Alpha: alpha, Beta: 3 * alpha}
		if n := math.Sqrt(float64(len(shares))); math.Abs(mean-0.25) > 4*law.StdDev()/n+0.001 ||
			math.Abs(sd/law.StdDev()-1) > 0.2 {
			t.Errorf("α = %g: shares %.3f ± %.3f, want %.3f ± %.3f", alpha, mean, sd, 0.25, law.StdDev())
		}
	}
}

// Which of its rows a client keeps is random, and every client keeps one at least.
func TestLabelShiftLeavesSomething(t *testing.T) {
	d := inDomains(1, []int{40}, []int{40}, []int{40})
	p := shifted(t, 1e-6)
	kept := map[int]int{}
	for seed := range uint64(40) {
		parts := splitSome(t, p, d, 3, seed)
		sizes := sizesOf(parts)
		slices.Sort(sizes)
		if !slices.Equal(sizes, []int{1, 1, 40}) {
			t.Fatalf("clients keep %v rows, want one all and the others one", sizes)
		}
		for _, rows := range parts {
			if len(rows) == 1 {
				kept[rows[0]]++
			}
		}
	}
	if len(kept) < 40 {
		t.Errorf("only %d rows are ever the last one", len(kept))
	}
}

func TestDomainsRefuse(t *testing.T) {
	d := inDomains(1, []int{3, 3}, []int{9, 9})
	p := build(t, Domains, nil)
	bare := labelled([]int{0, 1}, 2)
	for want, c := range map[string]struct {
		d *fl.Dataset
		n int
	}{
		"needs rows of domains; these have none":                                      {bare, 2},
		"2 domains need as many clients or more; there are 1":                         {d, 1},
		"cannot split the 6 rows of domain a to 7 clients: each needs at least one":   {d, 14},
		"2 domains need as many clients or more; there are 0":                         {d, 0},
		"cannot split the 6 rows of domain a to 100 clients: each needs at least one": {d, 199},
	} {
		if _, err := p.Split(c.d, c.n, random(1)); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	d.Shape.Classes, d.Y = 0, nil
	split(t, p, d, 2, 1)
	_, err := shifted(t, 0.1).Split(d, 2, random(1))
	if err == nil || !strings.HasPrefix(err.Error(), "alpha: needs classes") {
		t.Errorf("error %v, want that there are no classes", err)
	}
}

// What a setting tells before anything is loaded.
func TestDomainsFit(t *testing.T) {
	two := fl.Shape{Domains: []string{"a", "b"}}
	for clients, want := range map[int]bool{1: false, 2: true, 5: true} {
		if err := Domains.Fits(fl.Setting{Clients: clients, Shape: two}); (err == nil) != want {
			t.Errorf("%d clients of two domains: %v", clients, err)
		}
	}
	p := fl.NewParams(map[string]any{"alpha": 0.1}, fl.Setting{Clients: 2, Shape: two}, nil)
	if _, err := Domains.New(p); err != nil {
		t.Fatal(err)
	}
	const want = "alpha: needs classes; regression data have none"
	if got := p.Finish(); len(got) != 1 || got[0].Message != want {
		t.Errorf("problems %v, want %s", got, want)
	}
}

// With a label shift the requirements of the contract hold, too.
func TestLabelShiftKeepsTheContract(t *testing.T) {
	e := Domains
	e.Example = map[string]any{"alpha": 0.3}
	e.Fits = func(s fl.Setting) error {
		if err := spread(s); err != nil {
			return err
		}
		return classified(s)
	}
	r := new(registry.Registry)
	if err := r.Partitioners.Add(e); err != nil {
		t.Fatal(err)
	}
	for _, v := range contract.Examine(r, contract.Options{Papers: map[string]bool{e.Paper: true}}) {
		t.Error(v)
	}
}
