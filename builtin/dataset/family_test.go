package dataset

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// What experiments can say of a source of files is the same for all of them, as far as it has a
// meaning: bytes are never missing, and rows of images have no covariates.
func TestSourcesOfFilesShareTheirParameters(t *testing.T) {
	for name, f := range allFiled() {
		var declared []string
		p := fl.NewParams(nil, fl.Setting{}, nil)
		if _, err := f.entry.New(p); err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Specs() {
			declared = append(declared, s.Name)
		}
		bytes := name == "images" || name == "cifar-files"
		table := name == "csv" || name == "libsvm"
		for param, want := range map[string]bool{"held_out": true, "scale": true, "sha256": true,
			"classes": true, "missing": !bytes, "covariates": table} {
			if slices.Contains(declared, param) != want {
				t.Errorf("%s: %s is declared: %t, want %t", name, param, !want, want)
			}
		}
		if f.entry.Inspect == nil {
			t.Errorf("%s: its files are not examined", name)
		}
	}
}

// Every source of files finds them by patterns, and draws test rows where none are named: the
// training rows that are left and these are those of the files.
func TestSourcesOfFilesTakePatternsAndHoldOut(t *testing.T) {
	for name, f := range allFiled() {
		folder := t.TempDir()
		f.write(t, folder)
		given := map[string]any{"held_out": 0.5}
		for param, value := range f.given {
			if strings.HasPrefix(param, "test") {
				continue
			}
			if path, file := value.(string); file && strings.HasPrefix(param, "train") &&
				!strings.Contains(path, "*") {
				value = strings.Replace(path, "a", "[a]*", 1)
				value = strings.Replace(value.(string), "*.", "*", 1)
			}
			given[param] = value
		}
		if name == "images" { // a class has one picture, of which none can be held out
			for _, path := range []string{"a/cat/2.png", "a/dog/2.png"} {
				put(t, plain(t, map[string]color.Gray{"a/cat/2.png": {77}, "a/dog/2.png": {99}}[path], 3, 3, false),
					folder, path)
			}
		}
		if name == "features" {
			delete(given, "domains")
			delete(given, "train_domains")
		}
		if name == "idx" || name == "cifar-files" || name == "features" {
			// Of a class that has one row none can be held out: there is one class with two.
			if name == "idx" {
				put(t, idxFile([]byte{0, 3, 3, 2}, 4), folder, "ay")
			}
			if name == "cifar-files" {
				put(t, append([]byte{2}, make([]byte, 3072)...), folder, "a3.bin")
			}
		}
		load := func(given map[string]any) (train, test *fl.Dataset) {
			s := build(t, *f.entry, given, 1)
			if found := inspected(s, f.entry, folder); len(found) > 0 {
				t.Errorf("%s: %v", name, found)
			}
			train, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{folder},
				RNG: fl.NewStream(3, "data").Rand()})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s.Shape().Tested != (test != nil) || !train.Shape.Equal(s.Shape()) {
				t.Errorf("%s: shape %+v, declared %+v", name, train.Shape, s.Shape())
			}
			return train, test
		}
		train, test := load(given)
		whole, none := load(with(given, map[string]any{"held_out": 0.0}))
		if none != nil || test == nil || test.Len() == 0 || train.Len()+test.Len() != whole.Len() {
			t.Errorf("%s: %d rows are %d and %v", name, whole.Len(), train.Len(), test)
		}
		if got := problems(t, *f.entry, with(f.given, map[string]any{"held_out": 0.5})); !strings.HasPrefix(
			got, "held_out: test rows are those of ") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What is missing is an error that counts it, or has the mean of its column, and then a footnote
// says how much that is.
func TestMissingValuesInAllSources(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		entry *fl.SourceEntry
		given map[string]any
		write func(folder string)
		error string
		note  string
		first fl.Vector // column of the training rows, of which one is missing
	}{
		"csv": {&CSV, map[string]any{"train_file": "x", "label": "y", "numbers": []any{"a"},
			"scale": "raw"},
			func(folder string) { put(t, []byte("a,y\n1,0\n,1\n4,0\n"), folder, "x") },
			"/x:3:1: a is missing", "dataset csv: 1 of 3 values are missing", fl.Vector{1, 2.5, 4}},
		"libsvm": {&LIBSVM, map[string]any{"train_file": "x", "features": int64(2)},
			func(folder string) { put(t, []byte("+1 1:1\n-1 1:nan\n+1 1:4\n"), folder, "x") },
			"/x:2:4: the value of index 1 is missing", "dataset libsvm: 1 of 6 values are missing",
			fl.Vector{1, 2.5, 4}},
		"idx": {&IDX, map[string]any{"train_images": "x", "train_labels": "y", "classes": int64(2),
			"dims": []any{int64(2)}},
			func(folder string) {
				put(t, floatFile(3, 2, func(k int) float32 { return []float32{1, 0, nan, 0, 4, 0}[k] }),
					folder, "x")
				put(t, idxFile([]byte{0, 1, 0}, 3), folder, "y")
			},
			"/x: row 1 has NaN in column 0", "dataset idx: 1 of 6 values are missing",
			fl.Vector{1, 2.5, 4}},
		"features": {&Features, map[string]any{"train": "x", "train_labels": "y", "scale": "raw",
			"classes": int64(2), "features": int64(2)},
			func(folder string) {
				put(t, floatFile(3, 2, func(k int) float32 { return []float32{1, 0, nan, 0, 4, 0}[k] }),
					folder, "x")
				put(t, idxFile([]byte{0, 1, 0}, 3), folder, "y")
			},
			"/x: row 1 has NaN in column 0", "dataset features: 1 of 6 values are missing",
			fl.Vector{1, 2.5, 4}},
	} {
		folder := t.TempDir()
		c.write(folder)
		for _, missing := range []string{"error", "mean"} {
			s := build(t, *c.entry, with(c.given, map[string]any{"missing": missing}), 1)
			l := &fl.LoadInput{Clients: 1, Folders: []string{folder}, Notes: new(fl.Notes)}
			train, _, err := s.Load(l)
			found := inspected(s, c.entry, folder)
			if missing == "error" {
				if err == nil || !strings.Contains(err.Error(), c.error) || len(found) != 1 ||
					!strings.Contains(found[0].Message, c.error) ||
					!strings.Contains(found[0].Message, `missing = "mean"`) {
					t.Errorf("%s: Load says %v, and Inspect %v; want %s", name, err, found, c.error)
				}
				continue
			}
			if err != nil || len(found) > 0 || !slices.Equal(column(train.X, 0), c.first) ||
				len(l.Notes.List()) != 1 || !strings.HasPrefix(l.Notes.List()[0], c.note) {
				t.Errorf("%s: %v, %v, notes %q", name, err, train, l.Notes.List())
			}
		}
	}
}

// The deviation is 1 over the numbers that are there, as it is said to be, whatever is missing.
func TestCSVDeviationWithMissingNumbers(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte("a,y\n1,0\n,1\n4,0\n10,1\n?,1\n"), folder, "x.csv")
	train, _ := take(t, CSV, map[string]any{"train_file": "x.csv", "label": "y", "numbers": []any{"a"},
		"missing": "mean"}, folder)
	square := 0.0
	for r, known := range []bool{true, false, true, true, false} {
		v := train.X.Row(r)[0]
		if square += v * v; !known && v != 0 {
			t.Errorf("row %d has %v, not the mean", r, v)
		}
	}
	within(t, "mean square", square/3, 1, 1e-15)
}

// Values far below the largest of their type are not silently made dark: there is a footnote and a
// warning, and another scale that divides by the largest there is.
func TestScaleOfDarkPixels(t *testing.T) {
	folder := t.TempDir()
	put(t, idxFile([]byte{0, 8, 16, 4}, 2, 2), folder, "x")
	put(t, idxFile([]byte{1, 0}, 2), folder, "y")
	given := map[string]any{"train_images": "x", "train_labels": "y", "dims": []any{int64(2)}}
	for scale, want := range map[string]fl.Vector{
		"unit": {0, 8. / 255, 16. / 255, 4. / 255}, "max": {0, 0.5, 1, 0.25}, "standard": {-1, 1, 1, -1},
	} {
		s := build(t, IDX, with(given, map[string]any{"scale": scale}), 1)
		l := &fl.LoadInput{Clients: 1, Folders: []string{folder}, Notes: new(fl.Notes)}
		train, _, err := s.Load(l)
		i := &fl.Inspection{Clients: 1, Folders: []string{folder}}
		IDX.Inspect(s, i)
		const says = `scale = "unit" divides by 255, and the largest value is 16: scale = "max" divides ` +
			"by that"
		if err != nil || !slices.Equal(train.X.Data, want) {
			t.Errorf("%s: %v, %v", scale, err, train)
		}
		notes := strings.Join(l.Notes.List(), "\n")
		if dark := scale == "unit"; strings.Contains(notes, says) != dark || (len(i.Warnings) == 1) != dark ||
			dark && !strings.Contains(i.Warnings[0].Message, says) {
			t.Errorf("%s: notes %q, warnings %v", scale, notes, i.Warnings)
		}
	}
}

// Covariates of LIBSVM files are features as models see them.
func TestLIBSVMCovariates(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte("+1 1:1 3:2\n-1 1:3\n"), folder, "x")
	given := map[string]any{"train_file": "x", "features": int64(3), "covariates": []any{int64(3), int64(1)}}
	train, _ := take(t, LIBSVM, given, folder)
	if !slices.Equal(train.Covariates.Data, []float64{2, 1, 0, 3}) ||
		!slices.Equal(train.Shape.Covariates, []string{"x3", "x1"}) {
		t.Errorf("%v %v", train.Shape.Covariates, train.Covariates)
	}
	train, _ = take(t, LIBSVM, with(given, map[string]any{"scale": "standard"}), folder)
	if !slices.Equal(train.Covariates.Data, []float64{1, -1, -1, 1}) {
		t.Errorf("standardised %v", train.Covariates)
	}
	for want, more := range map[string]any{
		"covariates: there are 3 features, and none is 4": []any{int64(4)},
		"covariates: 1 is there twice":                    []any{int64(1), int64(1)},
	} {
		if got := problems(t, LIBSVM, with(given, map[string]any{"covariates": more})); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
