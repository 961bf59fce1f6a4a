package data

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

func signs(features int) LIBSVM {
	return LIBSVM{Features: features, Classes: 2, First: -1, Step: 2}
}

func TestReadLIBSVM(t *testing.T) {
	const text = "+1 1:0.5 3:-2e3 \n\n-1\n \t \n  -1\t2:1\t3:0\r\n+1 3:7"
	want := []float64{0.5, 0, -2000, 0, 0, 0, 0, 1, 0, 0, 0, 7}
	for form, raw := range map[string][]byte{"plain": []byte(text), "gzip": packed(t, []byte(text))} {
		path := file(t, "x", raw)
		d, _, err := signs(3).ReadFile(path, 0)
		if err != nil || !slices.Equal(d.X.Data, want) || !slices.Equal(d.Y, []int{1, 0, 0, 1}) {
			t.Fatalf("%s: %v, %+v", form, err, d)
		}
		if s := (fl.Shape{Features: 3, Classes: 2}); !d.Shape.Equal(s) || d.Target != nil || d.Len() != 4 {
			t.Errorf("%s: %+v", form, d)
		}
		some, _, err := signs(3).ReadFile(path, 3)
		if err != nil || !slices.Equal(some.X.Data, want[:9]) || len(some.Y) != 3 {
			t.Errorf("%s: the first rows: %v, %+v", form, err, some)
		}
		_, _, err = signs(3).ReadFile(path, 5)
		if err == nil || err.Error() != path+": 5 rows asked for, 4 there" {
			t.Errorf("%s: error %v", form, err)
		}
	}
	for _, c := range []struct {
		text   string
		format LIBSVM
		y      []int
		target fl.Vector
	}{
		{"0\n2\n1\n", LIBSVM{Features: 1, Classes: 3, Step: 1}, []int{0, 2, 1}, nil},
		{"1\n3\n2.0\n", LIBSVM{Features: 1, Classes: 3, First: 1, Step: 1}, []int{0, 2, 1}, nil},
		{"0.25 1:1\n-7\n", LIBSVM{Features: 1}, nil, fl.Vector{0.25, -7}},
		{"", LIBSVM{Features: 1}, nil, fl.Vector{}},
	} {
		d, _, err := c.format.ReadFile(file(t, "x", []byte(c.text)), 0)
		if err != nil || !slices.Equal(d.Y, c.y) || !slices.Equal(d.Target, c.target) {
			t.Errorf("%q: %v, classes %v, targets %v", c.text, err, d.Y, d.Target)
		}
	}
}

func TestReadLIBSVMRefuses(t *testing.T) {
	zipped := packed(t, []byte("+1 1:1\n"))
	for _, c := range []struct{ text, want string }{
		{"+1 1:1\n2 1:1", ":2:1: label 2 is no class; they are -1 and 1"},
		{"0", ":1:1: label 0 is no class; they are -1 and 1"},
		{"1.5", ":1:1: label 1.5 is no class; they are -1 and 1"},
		{"yes 1:1", ":1:1: label \"yes\" is no number"},
		{"\n\n  nan", ":3:3: label nan is not finite"},
		{"1:1", ":1:1: label \"1:1\" is no number"},
		{"+1 1:1 3", ":1:8: want index:value, have \"3\""},
		{"+1 1:1 # note", ":1:8: want index:value, have \"#\""},
		{"+1 qid:3", ":1:4: index \"qid\" is no whole number"},
		{"+1 1.0:3", ":1:4: index \"1.0\" is no whole number"},
		{"+1 99999999999999999999:3", ":1:4: index \"99999999999999999999\" is no whole number"},
		{"-1 0:1", ":1:4: index 0 is below 1"},
		{"-1 -3:1", ":1:4: index -3 is below 1"},
		{"-1 2:1 4:1", ":1:8: index 4 is above the number of features, 3"},
		{"-1 2:1  2:1", ":1:9: index 2 comes after index 2; want them ascending"},
		{"-1 3:1 2:1", ":1:8: index 2 comes after index 3; want them ascending"},
		{"-1 3:x", ":1:4: value of index 3: \"x\" is no number"},
		{"-1 3:", ":1:4: value of index 3: \"\" is no number"},
		{"-1 3:1:2", ":1:4: value of index 3: \"1:2\" is no number"},
		{"-1 3:Inf", ":1:4: value of index 3: Inf is not finite"},
		{"-1 3:1e999", ":1:4: value of index 3: 1e999 is too large"},
		{string(zipped[:len(zipped)-1]), ":2:1: unexpected EOF"},
	} {
		path := file(t, "bad", []byte(c.text))
		_, _, err := signs(3).ReadFile(path, 0)
		if err == nil || err.Error() != path+c.want {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
	many := LIBSVM{Features: 1, Classes: 10, Step: 1}
	path := file(t, "bad", []byte("10"))
	if _, _, err := many.ReadFile(path, 0); err == nil ||
		err.Error() != path+":1:1: label 10 is no class; they are 0 to 9" {
		t.Errorf("error %v", err)
	}
	if _, _, err := many.ReadFile(filepath.Join(t.TempDir(), "absent"), 0); !os.IsNotExist(err) {
		t.Errorf("absent file: error %v", err)
	}
}

// Mistakes are found in rows that were not requested, too.
func TestReadLIBSVMChecksTheRest(t *testing.T) {
	path := file(t, "bad", []byte("+1 1:1\n-1 9:1\n"))
	if _, _, err := signs(3).ReadFile(path, 1); err == nil || !strings.Contains(err.Error(), ":2:4: ") {
		t.Errorf("error %v", err)
	}
}

// writeLIBSVM writes what LIBSVM reads.
func writeLIBSVM(d *fl.Dataset, f LIBSVM) []byte {
	var b bytes.Buffer
	for r := range d.Len() {
		if d.Y != nil {
			fmt.Fprint(&b, f.First+f.Step*d.Y[r])
		} else {
			b.WriteString(strconv.FormatFloat(d.Target[r], 'g', -1, 64))
		}
		for k, v := range d.X.Row(r) {
			if v != 0 {
				fmt.Fprintf(&b, " %d:%s", k+1, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// FuzzLIBSVM holds the reader to its contract on any bytes: an error, or finite numbers that
// are the same when they are written and read again.
func FuzzLIBSVM(f *testing.F) {
	f.Add([]byte("+1 1:0.5 3:-2e3 \n\n-1\n"), 2)
	f.Add([]byte("3.5 2:1\r\n-0 1:0x1p-2"), 0)
	f.Add([]byte("2 1:1 2:2 3:3\n0"), 3)
	f.Add(packed(f, []byte("1 1:1\n")), 2)
	f.Fuzz(func(t *testing.T, raw []byte, classes int) {
		format := LIBSVM{Features: 3, Classes: min(max(classes, 0), 9), First: -1, Step: 1}
		d, _, err := format.ReadFile(file(t, "x", raw), 0)
		if err != nil {
			return
		}
		if !fl.Vector(d.X.Data).Finite() || !d.Target.Finite() || len(d.Y)+len(d.Target) != d.Len() {
			t.Fatalf("%+v", d)
		}
		for _, y := range d.Y {
			if y < 0 || y >= format.Classes {
				t.Fatalf("class %d", y)
			}
		}
		again, _, err := format.ReadFile(file(t, "x", writeLIBSVM(d, format)), 0)
		if err != nil {
			t.Fatal(err)
		}
		near := func(x, y float64) bool { return math.Abs(x-y) == 0 }
		if !slices.EqualFunc(d.X.Data, again.X.Data, near) || !slices.Equal(d.Y, again.Y) ||
			!slices.EqualFunc(d.Target, again.Target, near) {
			t.Errorf("%+v is read again as %+v", d, again)
		}
	})
}
