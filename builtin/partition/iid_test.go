package partition

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestIIDSizes(t *testing.T) {
	p := build(t, IID, nil)
	for _, c := range []struct{ rows, n, least, most int }{
		{10, 5, 2, 2}, {10, 3, 3, 4}, {10, 10, 1, 1}, {1, 1, 1, 1}, {1001, 1000, 1, 2},
	} {
		sizes := sizesOf(split(t, p, shuffledLabels(1, c.rows), c.n, 1))
		if least, most := slices.Min(sizes), slices.Max(sizes); least != c.least || most != c.most {
			t.Errorf("%d rows for %d clients: sizes %d to %d, want %d to %d",
				c.rows, c.n, least, most, c.least, c.most)
		}
	}
}

// TestIIDIsRandom tests by χ² that every client is equally likely to own the first row.
//
//hansa:verifies theorem partition/iid
func TestIIDIsRandom(t *testing.T) {
	const n, seeds = 5, 2000
	p, d := build(t, IID, nil), shuffledLabels(1, 20)
	owns := make([]float64, n)
	for seed := range uint64(seeds) {
		parts, err := p.Split(d, n, random(seed))
		if err != nil {
			t.Fatal(err)
		}
		owns[slices.IndexFunc(parts, func(rows []int) bool { return rows[0] == 0 })]++
	}
	chi2 := 0.0
	for _, o := range owns {
		chi2 += (o - seeds/n) * (o - seeds/n) / (seeds / n)
	}
	if p := (distuv.ChiSquared{K: n - 1}).Survival(chi2); p < 1e-4 {
		t.Errorf("row 0 is owned %v times by the clients: p = %g", owns, p)
	}
}
