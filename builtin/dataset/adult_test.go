package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
)

// loadOwned loads a data set of people from the folder of tests, for n clients.
func loadOwned(t *testing.T, e fl.SourceEntry, given map[string]any, n int, seed uint64) (
	train, test *fl.Dataset,
) {
	t.Helper()
	s := build(t, e, given, n)
	train, test, err := s.Load(&fl.LoadInput{
		Clients: n, RNG: fl.NewStream(seed, "data").Rand(), Folders: []string{datatest.Folder(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*fl.Dataset{train, test} {
		if !d.Shape.Equal(s.Shape()) || !d.Shape.Owned || len(d.Owner) != d.Len() ||
			d.Covariates.Rows != d.Len() || d.Covariates.Cols != len(d.Shape.Covariates) {
			t.Fatalf("%+v: %d owners, %d×%d covariates", d.Shape, len(d.Owner), d.Covariates.Rows,
				d.Covariates.Cols)
		}
		if !fl.Vector(d.X.Data).Finite() || !fl.Vector(d.Covariates.Data).Finite() {
			t.Error("some numbers are not finite")
		}
	}
	return train, test
}

// Rows, columns and labels are those that are published.
//
//hansa:verifies source dataset/adult
func TestAdult(t *testing.T) {
	train, test := loadOwned(t, Adult, nil, 50, 1)
	if train.Len() != 26_049 || test.Len() != 6_512 {
		t.Errorf("%d and %d rows", train.Len(), test.Len())
	}
	a, b := counts(train), counts(test)
	if a[0]+b[0] != 24_720 || a[1]+b[1] != 7_841 {
		t.Errorf("classes %v and %v", a, b)
	}
	for k := range 5 {
		if mean, sd := stat.PopMeanStdDev(column(train.X, k), nil); math.Abs(mean) > 1e-12 || math.Abs(sd-1) > 1e-12 {
			t.Errorf("number %d has mean %v and standard deviation %v", k, mean, sd)
		}
	}
	// Every person has one of every category that is known: 8 less those that are missing.
	missing := 0
	for _, d := range []*fl.Dataset{train, test} {
		for r := range d.Len() {
			x := d.X.Row(r)
			for _, v := range x[5:] {
				if v != 0 && v != 1 {
					t.Fatalf("a category is %v", v)
				}
			}
			missing += 8 - int(x[5:].Sum())
		}
	}
	if missing != 1836+1843+583 { // workclass, occupation, native-country
		t.Errorf("%d values are missing", missing)
	}
	// Covariates are features, or sums of them.
	for j, k := range map[int]int{0: 1, 1: 0, 3: 2} { // education, age, hours
		if !slices.Equal(column(train.Covariates, j), column(train.X, k)) {
			t.Errorf("covariate %d is not number %d", j, k)
		}
	}
	shares := map[int]float64{2: 21790}
	people := born(t)
	for j, region := range map[int]string{4: latinAmerica, 5: asia, 6: europe} {
		for _, country := range strings.Split(region, "|") {
			if shares[j] += people[country]; people[country] == 0 {
				t.Errorf("no row is of %s", country)
			}
		}
	}
	for j, want := range shares {
		got := floats.Sum(column(train.Covariates, j)) + floats.Sum(column(test.Covariates, j))
		if got != want || got < 500 {
			t.Errorf("%s: %v people, want %v", train.Shape.Covariates[j], got, want)
		}
	}
}

// born returns how many people were born in every country.
func born(t *testing.T) map[string]float64 {
	t.Helper()
	c := []data.Column{{Name: "native-country"}}
	if _, err := (data.Table{}).Read(datatest.Folder(t)+"/adult-raw/adult.csv.gz", c); err != nil {
		t.Fatal(err)
	}
	people := map[string]float64{}
	for _, country := range c[0].Texts {
		people[country]++
	}
	return people
}

// Which rows are for tests depends on the seed, and not on how many clients there are.
func TestAdultIsHeldOut(t *testing.T) {
	_, one := loadOwned(t, Adult, nil, 1, 1)
	_, many := loadOwned(t, Adult, map[string]any{"clients_by": []any{"male"}}, 999, 1)
	_, other := loadOwned(t, Adult, nil, 1, 2)
	if !slices.Equal(one.Y, many.Y) || slices.Equal(one.Y, other.Y) {
		t.Error("test rows do not depend on the seed alone")
	}
	if top := slices.Max(many.Owner); top != 998 {
		t.Errorf("the last owner of test rows is %d", top)
	}
}

// Clients are unlike each other in covariates and in what there is to learn: with the share of
// clients that have the more schooling, the share of large incomes grows.
func TestAdultClientsDiffer(t *testing.T) {
	const n = 64
	train, _ := loadOwned(t, Adult, nil, n, 1)
	years, rich, size := make(fl.Vector, n), make(fl.Vector, n), make(fl.Vector, n)
	for r, i := range train.Owner {
		years[i] += train.Covariates.Row(r)[0]
		rich[i] += float64(train.Y[r])
		size[i]++
	}
	for i := range n {
		years[i] /= size[i]
		rich[i] /= size[i]
	}
	if slices.Max(size)-slices.Min(size) > 1 {
		t.Errorf("clients have %v to %v rows", slices.Min(size), slices.Max(size))
	}
	if _, sd := stat.PopMeanStdDev(years, nil); sd < 0.7 {
		t.Errorf("schooling of clients has standard deviation %v of that of people", sd)
	}
	r := stat.Correlation(years, rich, nil)
	if r < 0.4 {
		t.Errorf("schooling and income of clients correlate by %v", r)
	}
}

// Rows, features and labels are those that are published.
//
//hansa:verifies source dataset/a9a
func TestA9A(t *testing.T) {
	train, test := loadOwned(t, A9A, nil, 20, 1)
	if a, b := counts(train), counts(test); !slices.Equal(a, []int{24_720, 7_841}) ||
		!slices.Equal(b, []int{12_435, 3_846}) {
		t.Errorf("classes %v and %v", a, b)
	}
	few, some := loadOwned(t, A9A, map[string]any{"train": int64(40), "test": int64(7)}, 20, 1)
	if few.Len() != 40 || some.Len() != 7 || !slices.Equal(few.X.Data, train.X.Data[:40*123]) ||
		!slices.Equal(few.Covariates.Data, train.Covariates.Data[:40*6]) {
		t.Error("the first rows differ")
	}
	const want = "train: 40000 is outside [0, 32561]"
	if got := problems(t, A9A, map[string]any{"train": int64(40_000)}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	err := refuse(t, A9A, nil, t.TempDir())
	if !strings.HasPrefix(err.Error(), "a9a: not found: a9a.gz a9a.t.gz\nsearched: ") {
		t.Errorf("error %v", err)
	}
}

// What the features of a9a mean that are its covariates: row by row they are what the table of
// the same people says.
func TestMeaningOfA9A(t *testing.T) {
	train, _ := loadOwned(t, A9A, nil, 1, 1)
	c := []data.Column{{Name: "age", Number: true}, {Name: "education-num", Number: true},
		{Name: "hours-per-week", Number: true}, {Name: "sex"}, {Name: "native-country"},
		{Name: "income"}}
	if _, err := (data.Table{}).Read(datatest.Folder(t)+"/adult-raw/adult.csv.gz", c); err != nil {
		t.Fatal(err)
	}
	for r := range train.Len() {
		want := []bool{
			c[1].Numbers[r] >= 13, c[3].Texts[r] == "Male", c[0].Numbers[r] <= 25, c[0].Numbers[r] >= 50,
			c[2].Numbers[r] >= 48, c[4].Texts[r] == "United-States",
		}
		if (c[5].Texts[r] == ">50K") != (train.Y[r] == 1) {
			t.Fatalf("row %d has another income", r)
		}
		for j, x := range train.Covariates.Row(r) {
			if want[j] != (x == 1) || x != 0 && x != 1 {
				t.Fatalf("row %d: %s is %v", r, train.Shape.Covariates[j], x)
			}
		}
	}
}
