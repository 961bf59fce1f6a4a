package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TestGlyphsWriters: clients that are writers differ in how much ink their digits have, and those
// that are none do not; labels and how many rows there are stay as they are.
//
//hansa:verifies invariance dataset/glyphs
func TestGlyphsWriters(t *testing.T) {
	const clients = 20
	given := map[string]any{"train": int64(4000), "test": int64(400)}
	plain, _ := drawGlyphs(t, clients, given)
	plain.Owner = make([]int, plain.Len())
	for r := range plain.Owner {
		plain.Owner[r] = r % clients
	}
	given["hand"] = 0.7
	written, test := drawGlyphs(t, clients, given)
	if !slices.Equal(plain.Y, written.Y) || !slices.Equal(plain.Owner, written.Owner) {
		t.Error("labels or equal shares are others")
	}
	if got := inkApart(plain, clients); got > 0.02 {
		t.Errorf("%.3f of the variance of ink lies between clients that are no writers", got)
	}
	for _, d := range []*fl.Dataset{written, test} {
		if got := inkApart(d, clients); got < 0.25 {
			t.Errorf("%.3f of the variance of ink lies between writers, want a quarter", got)
		}
	}
}

// inkApart returns the share of the variance of images' ink that lies between clients, unbiased.
func inkApart(d *fl.Dataset, clients int) float64 {
	ink := make([][]float64, clients)
	for r := range d.Len() {
		ink[d.Owner[r]] = append(ink[d.Owner[r]], stat.Mean(d.X.Row(r), nil))
	}
	means, within := make([]float64, clients), 0.0
	noise := 0.0 // of the means
	for i, of := range ink {
		m, v := stat.MeanVariance(of, nil)
		means[i], within, noise = m, within+v/float64(clients), noise+v/float64(len(of)*clients)
	}
	between := stat.Variance(means, nil) - noise
	return between / (between + within)
}

// TestGlyphsUneven: shares of writers are log-normal, rows are of writers by them, the first rows of
// one each, and no row depends on how many there are.
func TestGlyphsUneven(t *testing.T) {
	const clients, spread, draws = 300, 0.8, 200_000
	given := map[string]any{"train": int64(900), "test": int64(0), "hand": 0.5, "uneven": spread}
	w := build(t, Glyphs, given, clients).(*glyphs).newWriters(5, clients)
	count, rng := make([]float64, clients), rand.New(rand.NewPCG(3, 9))
	for r := range draws {
		i := w.owner(r, rng)
		if r < clients && i != r {
			t.Fatalf("row %d is of client %d", r, i)
		}
		count[i]++
	}
	logs, from := make([]float64, clients), 0.0
	for i, to := range w.upTo {
		share := (to - from) / w.upTo[clients-1]
		logs[i], from = math.Log(share), to
		want := 1 + share*(draws-clients)
		if math.Abs(count[i]-want) > 5*math.Sqrt(want) {
			t.Errorf("client %d has %g rows of %d, want about %.0f", i, count[i], draws, want)
		}
	}
	if got := stat.StdDev(logs, nil); math.Abs(got-spread) > 0.1 {
		t.Errorf("logarithms of shares deviate by %.3f, want %g", got, spread)
	}
	few, _ := drawGlyphs(t, clients, given)
	given["train"] = int64(3000)
	many, _ := drawGlyphs(t, clients, given)
	if begin := many.Rows(0, few.Len()); !slices.Equal(begin.X.Data, few.X.Data) ||
		!slices.Equal(begin.Owner, few.Owner) {
		t.Error("the first rows of more are others")
	}
}
