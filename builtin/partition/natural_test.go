package partition

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

func owners(of ...int) *fl.Dataset {
	shape := fl.Shape{Features: 1, Owned: true}
	return &fl.Dataset{Shape: shape, X: fl.NewMatrix(len(of), 1), Owner: of}
}

// Every row stays with the client that owns it.
//
//hansa:verifies theorem partition/natural
func TestNatural(t *testing.T) {
	got := split(t, build(t, Natural, nil), owners(2, 0, 1, 0, 2, 2), 3, 1)
	if want := [][]int{{1, 3}, {2}, {0, 4, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

func TestNaturalRefuses(t *testing.T) {
	p := build(t, Natural, nil)
	for want, c := range map[string]struct {
		d *fl.Dataset
		n int
	}{
		"the data come with 3 clients, the experiment has 2": {owners(0, 1, 2), 2},
		"the data come with 2 clients, the experiment has 3": {owners(0, 1, 0), 3},
		"no row belongs to client 1":                         {owners(0, 2, 2), 3},
	} {
		if _, err := p.Split(c.d, c.n, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestNaturalOfAMillion asserts that the number of allocations does not grow with N.
func TestNaturalOfAMillion(t *testing.T) {
	const n = 1_000_000
	of := make([]int, 2*n)
	for r := range of {
		of[r] = r % n
	}
	p, d := build(t, Natural, nil), owners(of...)
	var parts [][]int
	allocs := testing.AllocsPerRun(1, func() {
		parts, _ = p.Split(d, n, nil)
	})
	if allocs > 3 || len(parts) != n || !reflect.DeepEqual(parts[n-1], []int{n - 1, 2*n - 1}) {
		t.Errorf("%v allocations; %d parts", allocs, len(parts))
	}
}
