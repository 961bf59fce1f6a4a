package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
)

// perDomain returns how many rows there are of each domain.
func perDomain(d *fl.Dataset) []int {
	n := make([]int, len(d.Shape.Domains))
	for _, k := range d.Domain {
		n[k]++
	}
	return n
}

// lengths returns the least and the largest Euclidean length of rows.
func lengths(x fl.Matrix) (least, most float64) {
	least = math.Inf(1)
	for i := range x.Rows {
		least, most = min(least, x.Row(i).Norm()), max(most, x.Row(i).Norm())
	}
	return least, most
}

// texts is a list of strings as an experiment has it.
func texts(words ...string) (list []any) {
	for _, w := range words {
		list = append(list, w)
	}
	return list
}

// Every kind of features has the rows that are published, and images their labels.
//
//hansa:verifies source dataset/office-caltech10
func TestOfficeCaltech10(t *testing.T) {
	for kind, want := range map[string]struct {
		features int
		rows     []int
	}{
		squeezenet: {512, []int{958, 1123, 157, 295}},
		googlenet:  {1024, []int{958, 157, 295}},
		surf:       {800, []int{958, 1123, 157, 295}},
		thumbs:     {3072, []int{958, 1123, 157, 295}},
	} {
		s := build(t, OfficeCaltech10, map[string]any{"features": kind, "held_out": 0.0}, 4)
		l := &fl.LoadInput{Folders: []string{datatest.Folder(t)}, RNG: fl.NewStream(1, "data").Rand()}
		all, none, err := s.Load(l)
		if err != nil {
			t.Fatal(err)
		}
		if none != nil || s.Shape().Tested || !all.Shape.Equal(s.Shape()) {
			t.Errorf("%s: nothing is held out, and there are tests: %+v", kind, s.Shape())
		}
		if all.Shape.Features != want.features || !slices.Equal(perDomain(all), want.rows) {
			t.Errorf("%s: %d features, rows %v", kind, all.Shape.Features, perDomain(all))
		}
		if least, most := lengths(all.X); kind != thumbs && !(least > 1-1e-12 && most < 1+1e-12) {
			t.Errorf("%s: rows of lengths %v to %v", kind, least, most)
		}
		amazon := counts(&fl.Dataset{Shape: all.Shape, Y: all.Y[:958]})
		if !slices.Equal(amazon, []int{92, 82, 94, 99, 100, 100, 99, 100, 94, 98}) {
			t.Errorf("%s: classes %v of amazon", kind, amazon)
		}
	}
}

// A share of every class of every domain is held out, and no image is in both parts.
func TestOfficeCaltech10HoldsOut(t *testing.T) {
	given := map[string]any{"domains": texts("dslr", "amazon"), "scale": "raw"}
	s := build(t, OfficeCaltech10, given, 2)
	load := func(seed uint64) (train, test *fl.Dataset) {
		rng := fl.NewStream(seed, "data").Rand()
		train, test, err := s.Load(&fl.LoadInput{Folders: []string{datatest.Folder(t)}, RNG: rng})
		if err != nil {
			t.Fatal(err)
		}
		return train, test
	}
	train, test := load(1)
	if !slices.Equal(train.Shape.Domains, []string{"dslr", "amazon"}) || !s.Shape().Tested ||
		!slices.IsSorted(train.Domain) || !slices.IsSorted(test.Domain) {
		t.Errorf("domains %v", train.Shape.Domains)
	}
	if !disjoint(train, test) {
		t.Error("a test image is a training image")
	}
	if _, most := lengths(train.X); most < 100 {
		t.Errorf("raw rows have lengths up to %v", most)
	}
	for k, rows := range []int{157, 958} {
		held, all := make([]float64, 10), make([]float64, 10)
		for r, y := range test.Y {
			if test.Domain[r] == k {
				held[y]++
				all[y]++
			}
		}
		for r, y := range train.Y {
			if train.Domain[r] == k {
				all[y]++
				rows--
			}
		}
		for y := range held {
			// A share of the different images, each of which may be there twice.
			if off := math.Abs(held[y] - 0.3*all[y]); off > 0.5+4*float64(k) {
				t.Errorf("domain %d: %v of %v of class %d are held out", k, held[y], all[y], y)
			}
		}
		if rows -= perDomain(test)[k]; rows != 0 {
			t.Errorf("domain %d: %d rows are lost", k, rows)
		}
	}
	_, other := load(2)
	_, again := load(1)
	if slices.Equal(test.X.Data, other.X.Data) || !slices.Equal(test.X.Data, again.X.Data) {
		t.Error("what is held out does not follow the seed")
	}
}

// Every domain has the images that are published.
//
//hansa:verifies source dataset/digits-domains
func TestDigitsDomains(t *testing.T) {
	given := map[string]any{"test": int64(70)}
	train, test := takeDomains(t, given)
	if !slices.Equal(perDomain(train), []int{1500, 1500, 1500, 1500}) ||
		!slices.Equal(perDomain(test), []int{70, 70, 70, 70}) || train.Shape.Features != 512 {
		t.Errorf("rows %v and %v", perDomain(train), perDomain(test))
	}
	given = map[string]any{"features": "images", "domains": texts("rendered", "usps"),
		"train": int64(300)}
	train, test = takeDomains(t, given)
	if want := (fl.Image{C: 3, H: 32, W: 32}); train.Shape.Image != want ||
		!slices.Equal(perDomain(train), []int{300, 300}) ||
		!slices.Equal(perDomain(test), []int{1000, 2007}) {
		t.Errorf("%+v: rows %v and %v", train.Shape, perDomain(train), perDomain(test))
	}
	if least, most := slices.Min(train.X.Data), slices.Max(train.X.Data); least != 0 || most != 1 {
		t.Errorf("pixels from %v to %v, want 0 to 1", least, most)
	}
	// Those of usps are those that are called usps, in a frame of 2 pixels.
	digits, _ := loadFrom(t, USPS, map[string]any{"train": int64(300), "size": int64(28)})
	own := train.Rows(300, 600)
	if !slices.Equal(digits.Y, own.Y) {
		t.Error("other digits than those of usps")
	}
}

// takeDomains loads digits in domains from the folder of tests.
func takeDomains(t *testing.T, given map[string]any) (train, test *fl.Dataset) {
	t.Helper()
	train, test, err := build(t, DigitsDomains, given, 4).Load(
		&fl.LoadInput{Folders: []string{datatest.Folder(t)}})
	if err != nil {
		t.Fatal(err)
	}
	return train, test
}

func TestDomainSetsRefuse(t *testing.T) {
	for want, c := range map[string]struct {
		entry fl.SourceEntry
		given map[string]any
	}{
		`domains[1]: there is no "photo"`: {OfficeCaltech10,
			map[string]any{"domains": texts("dslr", "photo")}},
		`domains[1]: "dslr" is named twice`: {OfficeCaltech10,
			map[string]any{"domains": texts("dslr", "dslr")}},
		"domains: is empty": {DigitsDomains, map[string]any{"domains": texts()}},
		"domains: there are no googlenet1024 features of caltech10": {OfficeCaltech10,
			map[string]any{"domains": texts("caltech10"), "features": "googlenet1024"}},
		"held_out: 1 is outside [0, 1)": {OfficeCaltech10, map[string]any{"held_out": 1.0}},
	} {
		if got := problems(t, c.entry, c.given); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	err := refuse(t, OfficeCaltech10, map[string]any{"domains": texts("dslr")}, t.TempDir())
	for _, want := range []string{
		"office-caltech10: not found: squeezenet512-dslr-features.idx2-float.gz " +
			"squeezenet512-dslr-labels.idx1-ubyte.gz\nsearched: ",
		"name a mirror to `hansa data get office-caltech10 --from`",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	err = refuse(t, DigitsDomains, map[string]any{"train": int64(1501)}, datatest.Folder(t))
	if !strings.HasSuffix(err.Error(), "1501 rows asked for, 1500 there") {
		t.Errorf("error %v", err)
	}
}

// Copies stay together, whatever is drawn, and something is left of every class.
func TestHoldOut(t *testing.T) {
	d := &fl.Dataset{Shape: fl.Shape{Features: 1, Classes: 2, Domains: []string{"a", "b"}}}
	add := func(x float64, y, domain int) {
		d.X.Data, d.Y, d.Domain = append(d.X.Data, x), append(d.Y, y), append(d.Domain, domain)
	}
	for k := range 10 {
		add(float64(k), 0, 0)
		add(float64(k), 0, 0) // a copy
		add(float64(k)+0.5, 0, 1)
	}
	add(3, 1, 1) // a copy in another domain, of another class
	add(99, 1, 0)
	d.X.Rows, d.X.Cols = len(d.Y), 1
	for seed := range uint64(20) {
		train, test, err := holdOut(d, 0.3, fl.NewStream(seed, "data").Rand())
		if err != nil || !disjoint(train, test) {
			t.Fatalf("%v, %v: %v", train.X.Data, test.X.Data, err)
		}
		b := 0
		for r, k := range test.Domain {
			if k == 1 && test.Y[r] == 0 {
				b++
			}
		}
		if train.Len()+test.Len() != d.Len() || b != 3 || test.Len() < 9 || slices.Contains(test.X.Data, 99) {
			t.Errorf("test rows %v of domains %v", test.X.Data, test.Domain)
		}
	}
	one := d.Pick([]int{0, 1, len(d.Y) - 1})
	if _, _, err := holdOut(one, 0.5, fl.NewStream(1, "data").Rand()); err == nil ||
		!strings.HasPrefix(err.Error(), "held_out: no class has two different rows") {
		t.Errorf("error %v", err)
	}
}
