package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A filed data set is a source of files, with files of its own that are right.
type filed struct {
	entry *fl.SourceEntry
	given map[string]any
	write func(t *testing.T, folder string) // the files
}

// floatFile returns an IDX file of real numbers.
func floatFile(rows, cols int, value func(k int) float32) []byte {
	b := []byte{0, 0, 13, 2, 0, 0, 0, byte(rows), 0, 0, 0, byte(cols)}
	for k := range rows * cols {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(value(k)))
	}
	return b
}

// allFiled returns every source of files that an experiment names, with a train part and a test
// part.
func allFiled() map[string]filed {
	hash := func(k int) float32 { return float32(k*k%17) / 4 }
	pixels := func(n int) (b []byte) {
		for k := range n {
			b = append(b, byte(k*k*31))
		}
		return b
	}
	cifar := func(classes ...byte) (b []byte) {
		for k, class := range classes {
			b = append(b, class)
			b = append(b, bytes.Repeat([]byte{byte(40*k + 9)}, 3072)...)
		}
		return b
	}
	return map[string]filed{
		"csv": {&CSV, map[string]any{"train_file": "a.csv", "test_file": "b.csv", "label": "town",
			"numbers": []any{"age", "pay"}, "categories": []any{"job"}, "features": int64(4)},
			func(t *testing.T, folder string) {
				put(t, []byte("age,job,pay,town\n30,cook,1,N\n41,smith,2.5,S\n9,cook,3,S\n28,smith,4,N\n"),
					folder, "a.csv")
				put(t, []byte("age,job,pay,town\n33,smith,6,N\n44,cook,7,S\n"), folder, "b.csv")
			}},
		"libsvm": {&LIBSVM, map[string]any{"train_file": "a.txt", "test_file": "b.txt",
			"features": int64(3)},
			func(t *testing.T, folder string) {
				put(t, []byte("+1 1:2 3:1\n-1 2:1.5\n+1\n-1 1:4 2:2 3:-1\n"), folder, "a.txt")
				put(t, []byte("-1 1:1\n+1 3:7\n"), folder, "b.txt")
			}},
		"idx": {&IDX, map[string]any{"train_images": "ax", "train_labels": "ay", "test_images": "bx",
			"test_labels": "by", "dims": []any{int64(2), int64(3)}, "classes": int64(4)},
			func(t *testing.T, folder string) {
				put(t, idxFile(pixels(24), 4, 2, 3), folder, "ax")
				put(t, idxFile([]byte{0, 3, 1, 2}, 4), folder, "ay")
				put(t, idxFile(pixels(12), 2, 2, 3), folder, "bx")
				put(t, idxFile([]byte{2, 1}, 2), folder, "by")
			}},
		"features": {&Features, map[string]any{"train": "af", "train_labels": "al", "test": "bf",
			"test_labels": "bl", "train_domains": "ad", "test_domains": "bd", "features": int64(5),
			"classes": int64(3), "domains": []any{"ink", "neon"}},
			func(t *testing.T, folder string) {
				put(t, floatFile(4, 5, hash), folder, "af")
				put(t, idxFile([]byte{0, 2, 1, 2}, 4), folder, "al")
				put(t, idxFile([]byte{0, 1, 1, 0}, 4), folder, "ad")
				put(t, floatFile(2, 5, hash), folder, "bf")
				put(t, idxFile([]byte{1, 0}, 2), folder, "bl")
				put(t, idxFile([]byte{1, 0}, 2), folder, "bd")
			}},
		"cifar-files": {&CIFARFiles, map[string]any{"train_files": "a*.bin", "test_files": "b.bin",
			"classes": int64(3)},
			func(t *testing.T, folder string) {
				put(t, cifar(0, 2), folder, "a1.bin")
				put(t, cifar(1), folder, "a2.bin")
				put(t, cifar(2, 1), folder, "b.bin")
			}},
		"images": {&Images, map[string]any{"train_folder": "a", "test_folder": "b",
			"classes": int64(2), "size": int64(2)},
			func(t *testing.T, folder string) {
				for k, name := range []string{"a/cat/1.png", "a/dog/1.png", "b/cat/1.png", "b/dog/1.png"} {
					put(t, plain(t, color.Gray{uint8(60 * k)}, 3, 3, false), folder, name)
				}
			}},
	}
}

// inspected returns what an inspection of a source finds in a folder, mistakes and missing files.
func inspected(s fl.Source, e *fl.SourceEntry, folder string) []fl.Problem {
	i := &fl.Inspection{Clients: 1, Folders: []string{folder}}
	e.Inspect(s, i)
	return append(i.Problems, i.Missing...)
}

// harm changes one of the files of a folder somehow: it is cut, a byte or a line of it is changed,
// doubled or dropped, it takes the place of another one, or it is removed.
func harm(t *testing.T, folder string, rng *rand.Rand) string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	path := files[rng.IntN(len(files))]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	k, at := rng.IntN(len(lines)), rng.IntN(len(b))
	what := rng.IntN(7)
	switch what {
	case 0:
		b = b[:at]
	case 1:
		b[at] ^= 1 << rng.IntN(8)
	case 2:
		b = bytes.Join(slices.Delete(lines, k, k+1), nil)
	case 3:
		b = bytes.Join(slices.Insert(lines, k, lines[k]), nil)
	case 4:
		b = append(b[:at:at], b[min(len(b), at+1):]...)
	case 5:
		if b, err = os.ReadFile(files[rng.IntN(len(files))]); err != nil {
			t.Fatal(err)
		}
	case 6:
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return "without " + path
	}
	put(t, b, path)
	return fmt.Sprintf("%s changed (%d, byte %d, line %d)", filepath.Base(path), what, at, k)
}

// An inspection finds something wrong exactly where the data cannot be loaded, whatever happened to
// the files.
func TestInspectionAgreesWithLoad(t *testing.T) {
	for name, f := range allFiled() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(17, 4))
			bad := 0
			for k := range 150 {
				folder, what := t.TempDir(), "right"
				f.write(t, folder)
				if k > 0 {
					what = harm(t, folder, rng)
				}
				s := build(t, *f.entry, f.given, 1)
				train, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{folder}})
				found := inspected(s, f.entry, folder)
				if (err != nil) != (len(found) > 0) {
					t.Errorf("%s: Load says %v, and Inspect %v", what, err, found)
				}
				if err != nil {
					bad++
				} else if train.Len() == 0 || test.Len() == 0 {
					t.Errorf("%s: %d and %d rows are loaded", what, train.Len(), test.Len())
				}
				for _, p := range found {
					if _, given := f.given[p.Param]; !given && p.Param != "classes" {
						t.Errorf("%s: a mistake belongs to %q, which is not given", what, p.Param)
					}
				}
			}
			if bad < 20 {
				t.Errorf("%d of 150 changes could not be loaded", bad)
			}
		})
	}
}

// Several mistakes are found at once, each of its sort once with how many there are.
func TestInspectionFindsAll(t *testing.T) {
	folder := t.TempDir()
	put(t, []byte("age;job;pay;town\n"), folder, "semi.csv")
	put(t, []byte("age,job,pay,town\n?,cook,x,N\n1,,y,S\n,cook,3,E\n"), folder, "a.csv")
	put(t, []byte("age,job,town\n33,smith,W\n"), folder, "b.csv")
	put(t, []byte("+2 1:2 4:1\n-1 2:nan\n+3 1:x\n5 1:x 5:1\n"), folder, "a.txt")
	put(t, []byte("-1 1:1\n"), folder, "b.txt")
	csv := with(allFiled()["csv"].given, nil)
	for _, c := range []struct {
		entry *fl.SourceEntry
		given map[string]any
		want  []string
	}{
		{&CSV, with(csv, map[string]any{"features": int64(9)}), []string{
			`train_file: /a.csv:2:8: pay: "x" is no number (and 1 more like it)`,
			`train_file: /a.csv:2:1: age is missing, the first of 3 values that are missing in age, job; ` +
				`missing = "mean" replaces them by the mean of their column`,
			`features: /a.csv: its columns make 3 features, not 9: write features = 3`,
			`classes: /a.csv: town has 3 classes, want 2`,
			`test_file: /b.csv:1:1: there is no column "pay"`,
			`test_file: /b.csv:2: class "W" is none of the training rows'`,
		}},
		{&CSV, with(csv, map[string]any{"train_file": "semi.csv", "test_file": "c.csv"}), []string{
			`train_file: /semi.csv:1:1: the header is one column, "age;job;pay;town": write separator = ";"`,
			"test_file: not found: c.csv\nsearched: ",
		}},
		{&LIBSVM, with(allFiled()["libsvm"].given, map[string]any{"test": int64(2)}), []string{
			"train_file: /a.txt:1:1: label +2 is no class; they are -1 and 1 (and 2 more like it)",
			`train_file: /a.txt:2:4: the value of index 2 is missing; missing = "mean" replaces them by ` +
				"the mean of their column",
			"test: /b.txt: 2 rows asked for, 1 there",
		}},
	} {
		i := &fl.Inspection{Clients: 1, Folders: []string{folder}}
		c.entry.Inspect(build(t, *c.entry, c.given, 1), i)
		var got []string
		for _, p := range append(i.Problems, i.Missing...) {
			got = append(got, p.Param+": "+strings.ReplaceAll(p.Message, folder, ""))
		}
		for _, each := range [][]string{got, c.want} {
			slices.Sort(each)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// An examination whose time is over says how far it came, and claims nothing of the rest.
func TestInspectionEndsInTime(t *testing.T) {
	for name, f := range allFiled() {
		folder := t.TempDir()
		f.write(t, folder)
		i := &fl.Inspection{Clients: 1, Folders: []string{folder},
			Watch: func() (func() bool, func()) { return func() bool { return true }, func() {} }}
		f.entry.Inspect(build(t, *f.entry, f.given, 1), i)
		if len(i.Partial) == 0 || len(i.Missing) > 0 {
			t.Errorf("%s: %v, missing %v", name, i.Partial, i.Missing)
		}
		if len(i.Problems) > 0 {
			t.Errorf("%s: %v", name, i.Problems)
		}
	}
}
