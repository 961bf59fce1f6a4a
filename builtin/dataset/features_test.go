package dataset

import (
	"encoding/binary"
	"math"
	"os/exec"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
)

// exported returns a folder with features as NumPy saves them: 60 rows of 4 numbers, of which row
// r is 10r to 10r + 3, of class r mod 3 and domain r mod 2; and what is wrong with others.
func exported(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	const program = `import sys, numpy as np
folder = sys.argv[1] + "/"
r = np.arange(60)
x = (10.0 * r[:, None] + np.arange(4)).astype("f4")
np.savez(folder + "all.npz", features=x, labels=r % 3, domains=r % 2)
np.savez_compressed(folder + "test.npz", features=x[:6] + 0.5, labels=r[:6] % 3, domains=r[:6] % 2)
np.savez(folder + "other.npz", X=np.asfortranarray(x), y=(r % 3).astype("u1"))
np.save(folder + "x.npy", x.reshape(60, 2, 1, 2).astype("f2"))
np.save(folder + "y.npy", (r % 3).astype(">i4"))
np.save(folder + "d.npy", r[:, None] % 2)
np.save(folder + "short.npy", r[:59] % 3)
np.save(folder + "none.npy", x[:0])
x[7, 2] = np.nan
np.savez(folder + "nan.npz", features=x, labels=r % 3)
np.savez(folder + "unlabelled.npz", features=x[:7], classes=r[:7] % 3)`
	if out, err := exec.Command(datatest.NumPy(t), "-c", program, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// checkExported holds rows to what was exported, moved by an offset.
func checkExported(t *testing.T, d *fl.Dataset, rows int, offset float64) {
	t.Helper()
	if d.Len() != rows || d.X.Cols != 4 {
		t.Fatalf("%d×%d features, want %d×4", d.Len(), d.X.Cols, rows)
	}
	for r := range rows {
		for k, v := range d.X.Row(r) {
			if v != float64(10*r+k)+offset {
				t.Fatalf("row %d has %v in column %d", r, v, k)
			}
		}
		if d.Y[r] != r%3 || d.Domain != nil && d.Domain[r] != r%2 {
			t.Fatalf("row %d has class %d", r, d.Y[r])
		}
	}
}

// Archives, arrays of other names, and files of one array are read in the same way.
//
//hansa:verifies theorem dataset/features
func TestFeatures(t *testing.T) {
	folder := exported(t)
	given := map[string]any{"features": 4.0, "classes": int64(3), "scale": "raw"}
	named := map[string]any{"domains": texts("day", "night")}
	for _, more := range []map[string]any{
		{"train": "all.npz"},
		{"train": "other.npz:X", "train_labels": "other.npz:y"},
		{"train": "x.npy", "train_labels": "y.npy"},
		{"train": "other.npz:X", "train_labels": "all.npz"},
	} {
		train, test := take(t, Features, with(given, more), folder)
		if test != nil || train.Domain != nil || train.Shape.Domains != nil {
			t.Errorf("%v: %+v", more, train.Shape)
		}
		checkExported(t, train, 60, 0)
	}
	for _, more := range []map[string]any{
		{"train": "all.npz", "test": "test.npz"},
		{"train": "x.npy", "train_labels": "y.npy", "train_domains": "d.npy", "test": "test.npz"},
	} {
		train, test := take(t, Features, with(with(given, named), more), folder)
		if !slices.Equal(train.Shape.Domains, []string{"day", "night"}) || train.Domain == nil {
			t.Errorf("%v: domains %v", more, train.Shape.Domains)
		}
		checkExported(t, train, 60, 0)
		checkExported(t, test, 6, 0.5)
	}
	pinning(t, Features, with(given, map[string]any{"train": "all.npz", "test": "test.npz"}), folder)
}

// Rows have length 1 by default, and a share of each class of each domain is held out.
func TestFeaturesAreScaledAndHeldOut(t *testing.T) {
	folder := exported(t)
	s := build(t, Features, map[string]any{"train": "all.npz", "features": 4.0, "classes": int64(3),
		"domains": texts("day", "night"), "held_out": 0.4}, 2)
	train, test, err := s.Load(&fl.LoadInput{RNG: fl.NewStream(1, "data").Rand(), Folders: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*fl.Dataset{train, test} {
		if least, most := lengths(d.X); math.Abs(least-1) > 1e-12 || math.Abs(most-1) > 1e-12 {
			t.Errorf("rows of lengths %v to %v", least, most)
		}
		each := d.Len() / 6
		if !slices.Equal(counts(d), []int{2 * each, 2 * each, 2 * each}) ||
			!slices.Equal(perDomain(d), []int{3 * each, 3 * each}) {
			t.Errorf("classes %v, domains %v", counts(d), perDomain(d))
		}
	}
	if train.Len() != 36 || test.Len() != 24 {
		t.Errorf("%d and %d rows", train.Len(), test.Len())
	}
}

func TestFeaturesRefuse(t *testing.T) {
	folder := exported(t)
	put(t, append([]byte{0, 0, 13, 2, 0, 0, 0, 1, 0, 0, 0, 4},
		binary.BigEndian.AppendUint32(make([]byte, 12), math.Float32bits(float32(math.Inf(1))))...),
		folder, "inf.idx")
	given := map[string]any{"train": "all.npz", "features": 4.0, "classes": int64(3)}
	at := folder + "/"
	const replaced = `; missing = "mean" replaces them by the mean of their column`
	for want, more := range map[string]map[string]any{
		at + "all.npz: array features: a row has 4 values, in dimensions [4]; want 5":       {"features": 5.0},
		at + "all.npz: array labels: 2 in row 2 is none of the numbers 0 to 1":              {"classes": int64(2)},
		at + "all.npz: array domains: 1 in row 1 is none of the numbers 0 to 0":             {"domains": texts("x")},
		at + "nan.npz: array features: row 7 has NaN in column 2" + replaced:                {"train": "nan.npz"},
		at + "inf.idx: row 0 has +Inf in column 3":                                          {"test": "inf.idx", "test_labels": "y.npy"},
		at + "all.npz: array features has 60 rows, " + at + "short.npy has 59":              {"train_labels": "short.npy"},
		at + `unlabelled.npz: there is no array "labels"; there are features, classes`:      {"test": "unlabelled.npz"},
		at + `test.npz: there is no array "x"; there are features, labels, domains`:         {"test": "test.npz:x"},
		at + "x.npy: there is one array, of features: where labels lie must be said":        {"train": "x.npy"},
		at + "all.npz: array features: want one number for each row; dimensions are [60 4]": {"train_labels": "all.npz:features"},
		at + "none.npy: there are no rows":                                                  {"test": "none.npy", "test_labels": "y.npy"},
		"features: not found: nowhere.npz\nsearched: " + folder:                             {"test": "nowhere.npz:x"},
	} {
		if err := refuse(t, Features, with(given, more), folder); err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, more := range map[string]map[string]any{
		"features: 2.5 is not whole":                        {"features": 2.5},
		"held_out: test rows are those of test":             {"test": "test.npz", "held_out": 0.1},
		"test: is none, but something of its rows is named": {"test_labels": "y.npy"},
		"train_domains: domains has no names for them":      {"train_domains": "d.npy"},
		`domains: "a" is named twice`:                       {"domains": texts("a", "b", "a")},
		"train: is empty":                                   {"train": ""},
		"features: 0 is outside [1, 16777216]":              {"features": 0.0},
	} {
		if got := problems(t, Features, with(given, more)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// With all that it can have, the requirements of the contract hold.
func TestFeaturesKeepTheContract(t *testing.T) {
	e := Features
	e.Example = map[string]any{"train": "all.npz", "features": 4.0, "classes": int64(3),
		"domains": texts("day", "night"), "held_out": 0.4}
	examine(t, e, exported(t))
	e.Example = map[string]any{"train": "nowhere.npz", "features": 4.0}
	examine(t, e, t.TempDir())
}

func TestUnitRows(t *testing.T) {
	x := fl.Matrix{Rows: 2, Cols: 2, Data: []float64{3, -4, 0, 0}}
	unitRows(x)
	if !slices.Equal(x.Data, []float64{0.6, -0.8, 0, 0}) {
		t.Errorf("%v", x.Data)
	}
}

// Features that lie in IDX files are read, too.
func TestFeaturesInIDX(t *testing.T) {
	const at = "digits-domains/squeezenet512-usps-test-"
	folder := datatest.Folder(t)
	given := map[string]any{"train": at + "features.idx2-float.gz",
		"train_labels": at + "labels.idx1-ubyte.gz", "features": 512.0}
	own, _ := take(t, Features, given, folder)
	_, test := takeDomains(t, map[string]any{"domains": texts("usps")})
	if !slices.Equal(own.X.Data, test.X.Data) || !slices.Equal(own.Y, test.Y) || own.Len() != 500 {
		t.Errorf("%d rows, not those of digits-domains", own.Len())
	}
}
