package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// people are n rows with the given covariates.
func people(n int, covariate func(r, j int) float64, names ...string) *fl.Dataset {
	d := &fl.Dataset{Shape: fl.Shape{Features: 1, Covariates: names}, X: fl.NewMatrix(n, 1)}
	d.Covariates = fl.NewMatrix(n, len(names))
	for r := range n {
		for j := range names {
			d.Covariates.Row(r)[j] = covariate(r, j)
		}
	}
	return d
}

// byHand makes clients as the definition says, of one list: sorted, cut, sorted, cut.
func byHand(d *fl.Dataset, by []int, rows []int, lo, hi, depth int, owner []int) {
	if hi-lo == 1 {
		for _, r := range rows {
			owner[r] = lo
		}
		return
	}
	rows = slices.Clone(rows)
	slices.Sort(rows) // by place
	for j := len(by) - 1; j >= 0; j-- {
		at := by[(depth+j)%len(by)]
		slices.SortStableFunc(rows, func(a, b int) int {
			switch x, y := d.Covariates.Row(a)[at], d.Covariates.Row(b)[at]; {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
	// Assign the sizes one by one.
	sizes, half, cut := make([]int, hi-lo), (hi-lo)/2, 0
	for k := range rows {
		sizes[k%(hi-lo)]++
	}
	for _, s := range sizes[:half] {
		cut += s
	}
	byHand(d, by, rows[:cut], lo, lo+half, depth+1, owner)
	byHand(d, by, rows[cut:], lo+half, hi, depth+1, owner)
}

// Clients are those of the definition, of sizes that differ by at most one, the first ones
// larger.
func TestKinship(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{1, 2, 7, 64, 100} {
		// Many ties in the first, few in the second.
		d := people(m, func(_, j int) float64 { return float64(rng.IntN([]int{2, 50}[j])) }, "a", "b")
		for _, n := range []int{1, 2, 3, 5, 7, 32, 63, 100} {
			for _, by := range [][]int{{0}, {1}, {0, 1}, {1, 0}} {
				err := kinship{by}.settle(n, d, nil)
				if n > m {
					if want := fmt.Sprintf("%d clients cannot be made of %d training rows", n, m); err == nil ||
						err.Error() != want {
						t.Errorf("error %v, want %q", err, want)
					}
					continue
				}
				want, rows := make([]int, m), make([]int, m)
				for r := range rows {
					rows[r] = r
				}
				byHand(d, by, rows, 0, n, 0, want)
				if err != nil || !slices.Equal(d.Owner, want) {
					t.Fatalf("%d rows, %d clients, by %v: %v\n%v, want\n%v", m, n, by, err, d.Owner, want)
				}
				sizes := make([]int, n)
				for _, i := range d.Owner {
					sizes[i]++
				}
				for i, s := range sizes {
					if more := i < m%n; s != m/n && !more || more && s != m/n+1 {
						t.Fatalf("%d rows, %d clients: sizes %v", m, n, sizes)
					}
				}
			}
		}
	}
}

// A test row belongs to the client of the training rows with equal values.
func TestKinshipOfTests(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(int, int) float64 { return rng.NormFloat64() }
	train := people(900, draw, "a", "b")
	test := people(900, func(r, j int) float64 { return train.Covariates.Row(r)[j] }, "a", "b")
	if err := (kinship{[]int{0, 1}}).settle(13, train, test); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(train.Owner, test.Owner) {
		t.Error("the same people belong to other clients")
	}
	// Where nothing tells people apart, their place does: a share of tests for every client.
	same := func(int, int) float64 { return 1 }
	train, test = people(1000, same, "a"), people(100, same, "a")
	if err := (kinship{[]int{0}}).settle(10, train, test); err != nil {
		t.Fatal(err)
	}
	for r, i := range test.Owner {
		if i != r/10 {
			t.Fatalf("test row %d of 100 belongs to client %d of 10", r, i)
		}
	}
	if train.Owner[99] != 0 || train.Owner[100] != 1 {
		t.Errorf("owners %v", train.Owner)
	}
}

func TestKinshipRefuses(t *testing.T) {
	for want, by := range map[string]any{
		`clients_by: there is no covariate "sex"; there are education, age, male, hours, ` +
			`latin-america, asia, europe`: []any{"age", "sex"},
		`clients_by: "age" is there twice, at last in place 3`: []any{"age", "male", "age"},
		`clients_by: is empty; there are education, age, male, hours, latin-america, asia, ` +
			`europe`: []any{},
		`clients_by: want a list of strings, have the string "age"`: "age",
	} {
		if got := problems(t, Adult, map[string]any{"clients_by": by}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
