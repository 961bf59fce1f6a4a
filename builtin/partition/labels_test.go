package partition

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TestLabels holds random instances to the requirement: exactly k labels for every client,
// every label used, its rows split evenly among its clients.
//
//hansa:verifies theorem partition/labels
func TestLabels(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		sizes []int
	}{
		{100, 2, slices.Repeat([]int{500}, 10)},
		{100, 1, slices.Repeat([]int{500}, 10)},
		{10, 10, slices.Repeat([]int{30}, 10)},
		{3, 4, slices.Repeat([]int{30}, 10)}, // fewer clients than labels
		{5, 2, []int{7, 0, 9, 0, 40}},        // labels without rows
		{40, 2, []int{3, 200, 200, 150}},     // a label with fewer rows than would want it
		{6, 2, []int{6, 6}},                  // as many owners as rows
	} {
		t.Run(fmt.Sprint(c.n, "clients", c.k, "labels"), func(t *testing.T) {
			p := build(t, Labels, map[string]any{"k": int64(c.k)})
			for seed := range uint64(20) {
				d := shuffledLabels(seed, c.sizes...)
				checkLabels(t, d, split(t, p, d, c.n, seed), c.k)
			}
		})
	}
}

func checkLabels(t *testing.T, d *fl.Dataset, parts [][]int, k int) {
	t.Helper()
	least, most := slices.Repeat([]float64{1e9}, d.Shape.Classes), make([]float64, d.Shape.Classes)
	for i, rows := range parts {
		has := 0
		for c, m := range labelCounts(d, rows) {
			if m > 0 {
				has++
				least[c], most[c] = min(least[c], m), max(most[c], m)
			}
		}
		if has != k {
			t.Fatalf("client %d has %d labels, want %d", i, has, k)
		}
	}
	for c := range most {
		if most[c] > least[c]+1 {
			t.Fatalf("label %d gives its clients %v to %v rows", c, least[c], most[c])
		}
	}
}

// TestOneLabelIsBalanced: with k = 1 client i has label i mod C, as in NIID-Bench.
func TestOneLabelIsBalanced(t *testing.T) {
	d := shuffledLabels(1, 50, 50, 50)
	for i, rows := range split(t, build(t, Labels, map[string]any{"k": int64(1)}), d, 15, 1) {
		if len(rows) != 10 || d.Y[rows[0]] != i%3 {
			t.Errorf("client %d has %d rows of label %d", i, len(rows), d.Y[rows[0]])
		}
	}
}

func TestLabelsRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		n, k  int
		sizes []int
	}{
		"k: 3 labels for every client, of only 2 classes": {4, 3, []int{9, 0, 9}},
		"k: 2 × 1 labels cannot cover 3 classes":          {2, 1, []int{9, 9, 9}},
		"k: too few rows: client 0 finds 1 labels":        {6, 2, []int{6, 3}},
	} {
		p := build(t, Labels, map[string]any{"k": int64(c.k)})
		_, err := p.Split(shuffledLabels(1, c.sizes...), c.n, random(1))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	given := map[string]any{"k": int64(11)}
	params := fl.NewParams(given, fl.Setting{Clients: 100, Shape: fl.Shape{Classes: 10}}, nil)
	if _, err := Labels.New(params); err != nil {
		t.Fatal(err)
	}
	problems := params.Finish()
	const want = "k: 11 labels for every client, of only 10 classes"
	if len(problems) != 1 || problems[0].Message != want {
		t.Errorf("before anything is loaded: %v", problems)
	}
}
