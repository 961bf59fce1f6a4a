package dataset

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// drawGlyphs loads glyphs for a number of clients, from seed 1.
func drawGlyphs(t *testing.T, clients int, given map[string]any) (train, test *fl.Dataset) {
	t.Helper()
	s := build(t, Glyphs, given, clients)
	train, test = load(t, s, clients, 1)
	if !train.Shape.Equal(s.Shape()) || test != nil && !test.Shape.Equal(s.Shape()) {
		t.Errorf("shape %+v, declared %+v", train.Shape, s.Shape())
	}
	return train, test
}

// TestGlyphsAreThese holds the images to the bytes that they have been since they exist.
//
//hansa:verifies golden dataset/glyphs
func TestGlyphsAreThese(t *testing.T) {
	for _, c := range []struct {
		given map[string]any
		want  string
	}{
		{map[string]any{}, "c65796754e9583b9"},
		{map[string]any{"domains": int64(8)}, "15bbae2668238ec3"},
		{map[string]any{"domains": int64(8), "image": "colour"}, "3cc540f6c64d99e4"},
		{map[string]any{"deform": 0.0, "noise": 0.0}, "0a3b8d246aa47816"},
	} {
		c.given["train"], c.given["test"] = int64(160), int64(80)
		train, test := drawGlyphs(t, 8, c.given)
		h := sha256.New()
		for _, d := range []*fl.Dataset{train, test} {
			for _, v := range d.X.Data {
				h.Write([]byte{byte(math.Round(255 * v))})
			}
			for _, y := range d.Y {
				h.Write([]byte{byte(y)})
			}
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != c.want {
			t.Errorf("%v: %s, want %s", c.given, got, c.want)
		}
	}
}

// TestGlyphsBegin: a row does not depend on how many are asked for, nor on the number of
// clients.
func TestGlyphsBegin(t *testing.T) {
	for _, image := range []string{"grey", "colour"} {
		few, fewTest := drawGlyphs(t, 3, map[string]any{
			"train": int64(57), "test": int64(13), "domains": int64(3), "image": image})
		many, manyTest := drawGlyphs(t, 5, map[string]any{
			"train": int64(140), "test": int64(31), "domains": int64(3), "image": image})
		for _, d := range [][2]*fl.Dataset{{few, many}, {fewTest, manyTest}} {
			begin := d[1].Rows(0, d[0].Len())
			if !slices.Equal(begin.X.Data, d[0].X.Data) || !slices.Equal(begin.Y, d[0].Y) {
				t.Errorf("%s: the first %d rows of more are others", image, d[0].Len())
			}
		}
		if !disjoint(many, manyTest) {
			t.Errorf("%s: a training image is in the test data", image)
		}
	}
}

// TestGlyphsOfAnotherSeed: another seed, other images in another order.
func TestGlyphsOfAnotherSeed(t *testing.T) {
	s := build(t, Glyphs, map[string]any{"train": int64(200), "test": int64(0)}, 1)
	one, test := load(t, s, 1, 1)
	two, _ := load(t, s, 1, 2)
	if !disjoint(one, two) || slices.Equal(one.Y, two.Y) {
		t.Error("two seeds have an image, or all labels, in common")
	}
	if test != nil || s.Shape().Tested {
		t.Error("there are test data, and none were asked for")
	}
}

// TestGlyphsAreBalanced: every domain has every digit equally often.
func TestGlyphsAreBalanced(t *testing.T) {
	const domains, sets = 4, 6
	train, test := drawGlyphs(t, domains, map[string]any{"domains": int64(domains),
		"train": int64(10 * domains * sets), "test": int64(10 * domains)})
	for d, want := range map[*fl.Dataset]int{train: sets, test: 1} {
		var count [domains][10]int
		for r, y := range d.Y {
			count[d.Domain[r]][y]++
		}
		if !slices.Equal(d.Owner, d.Domain) || len(d.Shape.Domains) != domains {
			t.Errorf("%v: as many clients as domains do not own one each", d.Shape.Domains)
		}
		for domain, of := range count {
			for digit, n := range of {
				if n != want {
					t.Errorf("domain %d has digit %d %d times, want %d", domain, digit, n, want)
				}
			}
		}
	}
}

// TestGlyphsOfMoreDomains: more domains change neither labels nor the images of domain 0.
func TestGlyphsOfMoreDomains(t *testing.T) {
	given := map[string]any{"train": int64(240), "test": int64(0), "image": "colour"}
	one, _ := drawGlyphs(t, 8, given)
	given["domains"] = int64(8)
	eight, _ := drawGlyphs(t, 8, given)
	if !slices.Equal(one.Y, eight.Y) {
		t.Error("labels differ")
	}
	if one.Owner != nil || one.Domain != nil || one.Shape.Domains != nil {
		t.Error("one domain has owners, or a name")
	}
	for r, domain := range eight.Owner {
		if same := slices.Equal(one.X.Row(r), eight.X.Row(r)); same != (domain == 0) {
			t.Errorf("row %d of domain %d: the same as in one domain: %t", r, domain, same)
		}
	}
}

// TestGlyphsOwners: a client has one domain, or a domain one client, and the clients of a
// domain have its rows in equal shares.
func TestGlyphsOwners(t *testing.T) {
	for _, c := range []struct{ domains, clients int }{
		{2, 1}, {8, 3}, {5, 5}, {3, 7}, {2, 10}, {4, 100},
	} {
		g := &glyphs{domains: c.domains}
		const rows = 2000
		sizes := make([]int, c.clients)
		for r := range rows {
			i, domain := g.equal(r, c.clients), r/10%c.domains
			if c.clients > c.domains && i%c.domains != domain ||
				c.clients <= c.domains && i != domain%c.clients {
				t.Fatalf("%+v: client %d has row %d of domain %d", c, i, r, domain)
			}
			sizes[i]++
		}
		for i, n := range sizes {
			peer := i % c.domains // the first client of the domain has as many, or one more
			if first := sizes[peer]; n == 0 || c.clients > c.domains && (n > first || n < first-1) {
				t.Errorf("%+v: client %d has %d rows, client %d has %d", c, i, n, peer, first)
			}
		}
	}
}

// TestGlyphsStandard: over the training rows every pixel has mean 0 and variance 1, and test
// rows were moved by as much.
func TestGlyphsStandard(t *testing.T) {
	given := map[string]any{"train": int64(300), "test": int64(50)}
	raw, rawTest := drawGlyphs(t, 1, given)
	given["scale"] = "standard"
	train, test := drawGlyphs(t, 1, given)
	for k := range train.X.Cols {
		mean, sd := stat.PopMeanStdDev(column(raw.X, k), nil)
		newMean, newSD := stat.PopMeanStdDev(column(train.X, k), nil)
		if math.Abs(newMean) > 1e-12 || math.Abs(newSD-1) > 1e-12 {
			t.Fatalf("pixel %d: %g ± %g, want 0 ± 1", k, newMean, newSD)
		}
		for r, x := range column(rawTest.X, k) {
			within(t, "test pixel", test.X.Row(r)[k], (x-mean)/sd, 1e-11)
		}
	}
	given["test"] = int64(0)
	if alone, _ := drawGlyphs(t, 1, given); !slices.Equal(alone.X.Data, train.X.Data) {
		t.Error("test rows change the scale of training rows")
	}
}

// TestGlyphsCanBeLearnt: the nearest of 1000 images, by Euclid, mostly shows the same digit,
// but not always; of digits that are not deformed it does always.
func TestGlyphsCanBeLearnt(t *testing.T) {
	const tests = 200
	given := map[string]any{"train": int64(1000), "test": int64(tests)}
	for _, c := range []struct {
		deform      float64
		least, most int
	}{{1, 120, 190}, {0, tests, tests}} {
		given["deform"] = c.deform
		if got := nearest(drawGlyphs(t, 1, given)); got < c.least || got > c.most {
			t.Errorf("deform %g: %d of %d are right, want %d to %d", c.deform, got, tests,
				c.least, c.most)
		}
	}
}

// nearest returns the number of test rows whose nearest training row has the same label.
func nearest(train, test *fl.Dataset) (right int) {
	for r := range test.Len() {
		least, label := math.Inf(1), 0
		for k := range train.Len() {
			if d := test.X.Row(r).Distance(train.X.Row(k)); d < least {
				least, label = d, train.Y[k]
			}
		}
		if label == test.Y[r] {
			right++
		}
	}
	return right
}

func BenchmarkGlyphs(b *testing.B) {
	for _, given := range []map[string]any{
		{}, {"image": "colour", "domains": int64(8)},
	} {
		given["train"], given["test"] = int64(10_000), int64(0)
		b.Run(fmt.Sprint(given), func(b *testing.B) {
			s := build(b, Glyphs, given, 8)
			for b.Loop() {
				load(b, s, 8, 1)
			}
		})
	}
}
