package partition

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// build returns the component with the given parameters.
func build(t *testing.T, e fl.PartitionerEntry, given map[string]any) fl.Partitioner {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 1}, nil)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v, %v", e.Name, err, problems)
	}
	return c
}

// labelled returns a data set with the given label on every row and no features.
func labelled(y []int, classes int) *fl.Dataset {
	return &fl.Dataset{
		Shape: fl.Shape{Classes: classes}, X: fl.NewMatrix(len(y), 0), Y: y,
	}
}

// shuffledLabels returns sizes[k] rows of each class k in random order.
func shuffledLabels(seed uint64, sizes ...int) *fl.Dataset {
	var y []int
	for k, n := range sizes {
		y = append(y, slices.Repeat([]int{k}, n)...)
	}
	random(seed).Shuffle(len(y), func(a, b int) { y[a], y[b] = y[b], y[a] })
	return labelled(y, len(sizes))
}

func random(seed uint64) *rand.Rand { return fl.NewStream(seed, "partition").Rand() }

// split partitions the rows and checks the result by the contract: disjoint, covering, none empty,
// ascending, the same again.
func split(t *testing.T, p fl.Partitioner, d *fl.Dataset, n int, seed uint64) [][]int {
	t.Helper()
	parts := splitSome(t, p, d, n, seed)
	dealt := 0
	for _, rows := range parts {
		dealt += len(rows)
	}
	if dealt < d.Len() {
		t.Fatalf("%d of %d rows have an owner", dealt, d.Len())
	}
	return parts
}

// splitSome is split for a partition that may leave rows out.
func splitSome(t *testing.T, p fl.Partitioner, d *fl.Dataset, n int, seed uint64) [][]int {
	t.Helper()
	parts, err := p.Split(d, n, random(seed))
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) != n {
		t.Fatalf("%d parts, want %d", len(parts), n)
	}
	seen := make([]bool, d.Len())
	for i, rows := range parts {
		if len(rows) == 0 || !slices.IsSorted(rows) {
			t.Fatalf("client %d has rows %v", i, rows)
		}
		for _, r := range rows {
			if seen[r] {
				t.Fatalf("row %d has two owners", r)
			}
			seen[r] = true
		}
	}
	again, err := p.Split(d, n, random(seed))
	if err != nil || !reflect.DeepEqual(parts, again) {
		t.Fatalf("the same again is different (%v)", err)
	}
	return parts
}

// sizesOf returns the number of rows of every client.
func sizesOf(parts [][]int) []int {
	sizes := make([]int, len(parts))
	for i, rows := range parts {
		sizes[i] = len(rows)
	}
	return sizes
}

// labelCounts returns how many rows of each class a client has.
func labelCounts(d *fl.Dataset, rows []int) []float64 {
	n := make([]float64, d.Shape.Classes)
	for _, r := range rows {
		n[d.Y[r]]++
	}
	return n
}

// The measures of heterogeneity, in the order in which heterogeneity returns them.
var measures = []string{"size CV", "classes per client", "effective classes", "mean TV"}

// heterogeneity returns how different the clients are: the coefficient of variation of
// their sizes, the mean number of classes, the mean of exp(entropy of labels), and the
// mean total variation between the labels of a client and all labels.
func heterogeneity(d *fl.Dataset, parts [][]int) []float64 {
	all := make([]int, d.Len())
	for r := range all {
		all[r] = r
	}
	global := labelCounts(d, all)
	sizes := make([]float64, len(parts))
	out := make([]float64, len(measures))
	for i, rows := range parts {
		sizes[i] = float64(len(rows))
		entropy, tv := 0.0, 0.0
		for k, m := range labelCounts(d, rows) {
			if m > 0 {
				out[1]++
				entropy -= m / sizes[i] * math.Log(m/sizes[i])
			}
			tv += math.Abs(m/sizes[i]-global[k]/float64(d.Len())) / 2
		}
		out[2] += math.Exp(entropy)
		out[3] += tv
	}
	for k := range out {
		out[k] /= float64(len(parts))
	}
	mean, sd := stat.PopMeanStdDev(sizes, nil)
	out[0] = sd / mean
	return out
}

// An arm is a partition and parameters under which it builds.
type arm struct {
	entry fl.PartitionerEntry
	given map[string]any
}

func everyEntry() map[string]arm {
	all := map[string]arm{
		"natural": {Natural, nil}, "iid": {IID, nil},
		"shards": {Shards, nil}, "labels": {Labels, nil},
	}
	for _, k := range []string{perClass, perClassBalanced, perClient} {
		all[k] = arm{Dirichlet, map[string]any{"kind": k, "min_size": int64(1)}}
	}
	return all
}

// TestTooManyClients holds every partition to an honest error.
func TestTooManyClients(t *testing.T) {
	d := shuffledLabels(1, 3, 3)
	d.Shape.Owned, d.Owner = true, []int{0, 1, 2, 3, 4, 5}
	for name, e := range everyEntry() {
		p := build(t, e.entry, e.given)
		for _, n := range []int{0, 7} {
			parts, err := p.Split(d, n, random(1))
			if err == nil || parts != nil || !strings.HasPrefix(err.Error(), "cannot split 6 rows") {
				t.Errorf("%s: %d clients: error %v, want that 6 rows are not enough", name, n, err)
			}
		}
	}
}

// TestOneClientGetsEverything is the smallest federation.
func TestOneClientGetsEverything(t *testing.T) {
	d := shuffledLabels(1, 20, 20)
	d.Shape.Owned, d.Owner = true, make([]int, d.Len())
	for _, e := range everyEntry() {
		split(t, build(t, e.entry, e.given), d, 1, 1)
	}
}

func TestFits(t *testing.T) {
	regression := fl.Setting{Clients: 1, Shape: fl.Shape{Features: 1}}
	classes := fl.Setting{Clients: 1, Shape: fl.Shape{Features: 1, Classes: 2}}
	owned := fl.Setting{Clients: 1, Shape: fl.Shape{Features: 1, Owned: true}}
	for name, e := range everyEntry() {
		fits := func(s fl.Setting) bool { return e.entry.Fits == nil || e.entry.Fits(s) == nil }
		got := []bool{fits(regression), fits(classes), fits(owned)}
		want := []bool{false, true, false}
		switch name {
		case "iid":
			want = []bool{true, true, true}
		case "natural":
			want = []bool{false, false, true}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: fits regression, classes, owned rows: %v, want %v", name, got, want)
		}
		// A caller that did not ask gets the same answer from Split.
		if !fits(regression) {
			d := &fl.Dataset{X: fl.NewMatrix(4, 1), Target: make(fl.Vector, 4)}
			if _, err := build(t, e.entry, e.given).Split(d, 2, random(1)); err == nil ||
				err.Error() != e.entry.Fits(regression).Error() {
				t.Errorf("%s: error %v, want %v", name, err, e.entry.Fits(regression))
			}
		}
	}
}

// TestRowsAreShuffled: with one class the sizes say nothing of the seed, so that two seeds
// differ only in which rows go where. Only shards and owners keep the order of the rows.
func TestRowsAreShuffled(t *testing.T) {
	d := shuffledLabels(1, 60)
	for _, e := range []arm{
		{IID, nil},
		{Labels, map[string]any{"k": int64(1)}},
		{Dirichlet, map[string]any{"kind": perClient}},
	} {
		p := build(t, e.entry, e.given)
		a, b := split(t, p, d, 6, 1), split(t, p, d, 6, 2)
		if reflect.DeepEqual(a, b) || !slices.Equal(sizesOf(a), sizesOf(b)) {
			t.Errorf("%s: rows %v and %v", e.entry.Name, a, b)
		}
	}
}
