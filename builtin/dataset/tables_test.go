package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Files in the format of LIBSVM have the rows that were written.
//
//hansa:verifies theorem dataset/libsvm
func TestLIBSVMFiles(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte("+1 1:0.5 3:2\n-1 2:1\n+1\n"), folder, "set", "train")
	put(t, []byte("-1 3:9\n"), folder, "set", "test")
	put(t, []byte("1 1:1\n3\n2 2:-1\n"), folder, "three")
	put(t, []byte("0.5 1:1\n-3\n"), folder, "numbers")
	put(t, []byte("0\n1\n"), folder, "zeros")
	given := map[string]any{"train_file": "set/train", "features": int64(3)}
	train, test := take(t, LIBSVM, given, folder)
	if test != nil || !slices.Equal(train.X.Data, []float64{0.5, 0, 2, 0, 1, 0, 0, 0, 0}) ||
		!slices.Equal(train.Y, []int{1, 0, 1}) {
		t.Errorf("%+v", train)
	}
	both := with(given, map[string]any{"test_file": "set/test", "train": int64(2)})
	train, test = take(t, LIBSVM, both, folder)
	if train.Len() != 2 || test.Len() != 1 || test.X.Data[2] != 9 || test.Y[0] != 0 {
		t.Errorf("%+v, %+v", train, test)
	}
	three := map[string]any{"train_file": "three", "features": 2.0, "classes": int64(3),
		"labels": "from-one"}
	if train, _ := take(t, LIBSVM, three, folder); !slices.Equal(train.Y, []int{0, 2, 1}) {
		t.Errorf("classes %v", train.Y)
	}
	numbers := map[string]any{"train_file": "numbers", "features": int64(1), "classes": int64(0)}
	if train, _ := take(t, LIBSVM, numbers, folder); !slices.Equal(train.Target, fl.Vector{0.5, -3}) {
		t.Errorf("targets %v", train.Target)
	}
	pinning(t, LIBSVM, both, folder)
	for want, more := range map[string]map[string]any{
		"/set/train:1:10: index 3 is above the number of features, 2": {"features": int64(2)},
		"/set/test: 2 rows asked for, 1 there":                        {"test": int64(2)},
		"libsvm: not found: nowhere\nsearched: " + folder:             {"test_file": "nowhere"},
		"/three:2:1: label 3 is no class; they are -1 and 1":          {"test_file": "three"},
		"/set/test:1:1: label -1 is no class; they are 0 and 1": {
			"labels": "from-zero", "train_file": "zeros"},
	} {
		err := refuse(t, LIBSVM, with(both, more), folder)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, more := range map[string]map[string]any{
		"features: 2.5 is not whole":                         {"features": 2.5},
		"features: 0 is outside [1, 16777216]":               {"features": int64(0)},
		"classes: there is nothing to tell apart in 1 class": {"classes": int64(1)},
		"labels: signs tell 2 classes apart, not 3":          {"classes": int64(3)},
		"train: -1 is outside [0, +Inf)":                     {"train": int64(-1)},
	} {
		if got := problems(t, LIBSVM, with(given, more)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// register is a table of five people in two towns.
const register = `name, age, town, job, pay
Ada, 30, North, "smith, black", 10
Bob, 50, South, ?, 30
Cid, ?, South, "baker", 20
Dan, 40, North, baker, 40
Eve, 60, North, cook, 50
`

// Tables have the rows that were written.
//
//hansa:verifies theorem dataset/csv
func TestCSVFiles(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte(register), folder, "people.csv")
	put(t, []byte("job,town,age,pay\ncook,South,80,1\npilot,?,?,2\n"), folder, "more.csv")
	given := map[string]any{"train_file": "people.csv", "label": "town", "numbers": []any{"age"},
		"categories": []any{"job"}, "features": int64(4), "client": "town", "missing": "mean",
		"covariates": []any{"pay", "job=baker", "job=cook|pilot"}}
	s := build(t, CSV, given, 2)
	train, test, err := s.Load(&fl.LoadInput{Clients: 2, Folders: []string{folder}})
	if err != nil || test != nil || !train.Shape.Equal(s.Shape()) {
		t.Fatalf("%v, %+v", err, train)
	}
	if want := []int{0, 1, 1, 0, 0}; !slices.Equal(train.Y, want) || !slices.Equal(train.Owner, want) {
		t.Errorf("classes %v, owners %v, want North before South", train.Y, train.Owner)
	}
	// Ages 30, 50, 40, 60 have mean 45 and variance 125; jobs are baker, cook, smith.
	sd, want := math.Sqrt(125), [][]float64{
		{-15, 0, 0, 1}, {5, 0, 0, 0}, {0, 1, 0, 0}, {-5, 1, 0, 0}, {15, 0, 1, 0}}
	for r, row := range want {
		for k, v := range row {
			if k == 0 {
				v /= sd
			}
			within(t, "feature", train.X.Row(r)[k], v, 1e-15)
		}
	}
	root := math.Sqrt2 // pay is 10 … 50, of mean 30 and variance 200
	for r, row := range [][]float64{{-root, 0, 0}, {0, 0, 0}, {-root / 2, 1, 0}, {root / 2, 1, 0}, {root, 0, 1}} {
		for k, v := range row {
			within(t, "covariate", train.Covariates.Row(r)[k], v, 1e-15)
		}
	}
	// A test table is encoded by the training table.
	both := map[string]any{"train_file": "people.csv", "test_file": "more.csv", "label": "pay",
		"classes": int64(0), "numbers": []any{"age"}, "categories": []any{"job"},
		"features": int64(4), "covariates": []any{"age"}, "missing": "mean"}
	train, test = take(t, CSV, both, folder)
	if !slices.Equal(train.Target, fl.Vector{10, 30, 20, 40, 50}) || train.Owner != nil || train.Y != nil {
		t.Errorf("%+v", train)
	}
	within(t, "age", test.X.Row(0)[0], 35/sd, 1e-15)
	within(t, "age", test.Covariates.Row(0)[0], 35/sd, 1e-15)
	if !slices.Equal(test.X.Row(0)[1:], fl.Vector{0, 1, 0}) || !slices.Equal(test.X.Row(1), fl.Vector{0, 0, 0, 0}) ||
		!slices.Equal(test.Target, fl.Vector{1, 2}) {
		t.Errorf("%+v", test)
	}
	pinning(t, CSV, both, folder)
}

// A share that is held out is drawn, and the rest is in order.
func TestCSVHeldOut(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte(register), folder, "people.csv")
	s := build(t, CSV, map[string]any{"train_file": "people.csv", "label": "pay", "classes": int64(0),
		"numbers": []any{"age"}, "held_out": 0.4, "missing": "mean"}, 1)
	drawn := map[float64]int{}
	for seed := range uint64(40) {
		train, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{folder},
			RNG: fl.NewStream(seed, "data").Rand()})
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(train.Target, test.Target)
		slices.Sort(all)
		if test.Len() != 2 || !slices.Equal(all, fl.Vector{10, 20, 30, 40, 50}) ||
			!train.Shape.Tested || !slices.Equal(train.Shape.Covariates, nil) {
			t.Fatalf("%v and %v", train.Target, test.Target)
		}
		for _, x := range test.Target {
			drawn[x]++
		}
		if mean := stat.Mean(column(train.X, 0), nil); math.Abs(mean) > 1e-15 {
			t.Errorf("training rows have mean %v", mean)
		}
	}
	if len(drawn) != 5 {
		t.Errorf("held out were %v", drawn)
	}
}

func TestCSVRefuses(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte(register), folder, "people.csv")
	put(t, []byte("age,town,job,pay\n1,East,cook,1\n"), folder, "east.csv")
	put(t, []byte("age,town,job,pay\n?,East,cook,1\n"), folder, "ageless.csv")
	put(t, []byte("age,town,job,pay\n"), folder, "none.csv")
	given := map[string]any{"train_file": "people.csv", "label": "town", "numbers": []any{"age"},
		"missing": "mean"}
	for want, more := range map[string]map[string]any{
		"/people.csv: town has 2 classes, want 3":                      {"classes": int64(3)},
		"/people.csv:4:6: age is missing":                              {"label": "age", "classes": int64(0), "numbers": []any{"pay"}},
		"/people.csv:2:10: town: \"North\" is no number":               {"numbers": []any{"town"}, "label": "pay", "classes": int64(5)},
		"/people.csv:1:1: there is no column \"shoe\"; there are name": {"covariates": []any{"shoe"}},
		"/people.csv: its columns make 4 features, not 3: write features = 4": {
			"categories": []any{"job"}, "features": int64(3)},
		"/people.csv:3:17: job is missing": {"client": "job"},
		"/people.csv: town names 2 clients, the experiment has 1": {"client": "town", "label": "pay",
			"classes": int64(0)},
		"/east.csv:2: class \"East\" is none of the training rows'": {"test_file": "east.csv"},
		"/none.csv: there are no rows":                              {"test_file": "none.csv"},
		"no training row has a number in age": {"train_file": "ageless.csv", "label": "pay",
			"classes": int64(0)},
		"of 1 row none can be held out": {"train_file": "east.csv", "label": "pay", "classes": int64(0),
			"held_out": 0.5},
		"csv: not found: nowhere\nsearched: " + folder: {"train_file": "nowhere"},
	} {
		if err := refuse(t, CSV, with(given, more), folder); !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, more := range map[string]map[string]any{
		"numbers: no column is used: name some in numbers or categories": {"numbers": []any{}},
		"label: \"age\" is a feature, too":                               {"label": "age"},
		"features: there are 1: the numbers":                             {"features": int64(2)},
		"features: there are 2 or more: the numbers, and the values of each category": {
			"categories": []any{"job"}},
		"classes: there is nothing to tell apart in 1 class":     {"classes": int64(1)},
		"held_out: test rows are those of test_file":             {"test_file": "x", "held_out": 0.5},
		"held_out: 1 is outside [0, 1)":                          {"held_out": 1.0},
		"covariates: \"job=\": want a column, or column=value":   {"covariates": []any{"job="}},
		"covariates: \"=baker\": want a column, or column=value": {"covariates": []any{"=baker"}},
		"covariates: \"age\" is there twice":                     {"covariates": []any{"age", "age"}},
	} {
		if got := problems(t, CSV, with(given, more)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Both sources keep the contract where there are files.
func TestTablesKeepTheContract(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte(register), folder, "people.csv")
	put(t, []byte("7 1:0.5 3:2\n0.5 2:1\n1\n"), folder, "train")
	put(t, []byte("-1 3:9\n"), folder, "test")
	examples := map[*fl.SourceEntry]map[string]any{
		&CSV: {"train_file": "people.csv", "label": "town", "numbers": []any{"age"},
			"covariates": []any{"pay"}, "held_out": 0.4, "missing": "mean"},
		&LIBSVM: {"train_file": "train", "test_file": "test", "features": int64(3),
			"classes": int64(0)},
	}
	for entry, example := range examples {
		e := *entry
		e.Example = example
		examine(t, e, folder)
	}
}
