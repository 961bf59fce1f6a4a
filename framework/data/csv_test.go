package data

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// columns are a text, a number that is needed, and a number.
func columns() []Column {
	return []Column{{Name: "sex"}, {Name: "age", Number: true, Required: true},
		{Name: "gain", Number: true}}
}

func TestTables(t *testing.T) {
	text := []byte("age, sex, \"gain\", other\n" +
		"39 , Male, ?, x\n" +
		"\"50\",\"Fe\n, \"\"male\"\" \",-2.5e1,y\r\n" +
		"\n" +
		" 17,?,,\"\"\n")
	for form, raw := range map[string][]byte{
		"plain": text, "mark": append([]byte("\xef\xbb\xbf"), text...), "gzip": packed(t, text),
	} {
		c := columns()
		lines, err := Table{}.Read(file(t, "x", raw), c)
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		if !slices.Equal(lines, []int{2, 3, 6}) {
			t.Errorf("%s: rows begin on lines %v", form, lines)
		}
		if want := []string{"Male", "Fe\n, \"male\"", ""}; !slices.Equal(c[0].Texts, want) {
			t.Errorf("%s: texts %q", form, c[0].Texts)
		}
		nan := math.NaN()
		if !same(c[1].Numbers, []float64{39, 50, 17}) || !same(c[2].Numbers, []float64{nan, -25, nan}) {
			t.Errorf("%s: numbers %v, %v", form, c[1].Numbers, c[2].Numbers)
		}
	}
	lines, err := Table{}.Read(file(t, "x", []byte("sex,age,gain")), columns())
	if err != nil || len(lines) != 0 {
		t.Errorf("a header alone: %v, %v", lines, err)
	}
}

func TestTablesAreRefused(t *testing.T) {
	const head = "sex,age,gain\n"
	zipped := packed(t, []byte(head+"m,1,2\n"))
	for _, c := range []struct{ text, want string }{
		{"", ":1:1: there is no header"},
		{"\n \n", ":2:2: there is no column \"sex\"; there are "},
		{"sex,age\nm,1\n", ":1:1: there is no column \"gain\"; there are sex, age"},
		{"sex,age, age,gain\n", ":1:10: there are two columns \"age\""},
		{head + "m,1\n", ":2:1: wrong number of fields"},
		{head + "m,1,2\nm,1,2,3\n", ":3:1: wrong number of fields"},
		{head + "m, x,2\n", ":2:4: age: \"x\" is no number"},
		{head + "m,1,2\n\nm,,2\n", ":4:3: age is missing"},
		{head + "m, ?,2\n", ":2:4: age is missing"},
		{head + "\"a\nb\",1,1e999\n", ":3:6: gain: 1e999 is too large"},
		{head + "m,1,NaN\n", ":2:5: gain: NaN is not finite"},
		{head + "m,1,-inf\n", ":2:5: gain: -inf is not finite"},
		{head + "m,\"1\"2,2\n", ":2:5: extraneous or missing \" in quoted-field"},
		{head + "m,1,\"2\n", ":2:8: extraneous or missing \" in quoted-field"},
		{head + "m,1\"2,2\n", ":2:4: bare \" in non-quoted-field"},
		{string(zipped[:len(zipped)-1]), ": unexpected EOF"},
	} {
		path := file(t, "bad", []byte(c.text))
		_, err := Table{}.Read(path, columns())
		if err == nil || err.Error() != path+c.want {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := (Table{}).Read(filepath.Join(t.TempDir(), "absent"), nil); !os.IsNotExist(err) {
		t.Errorf("absent file: error %v", err)
	}
}

// FuzzCSV holds the reader to its contract on any bytes: an error, or as many cells as rows
// that are the same when they are written and read again.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("sex,age,gain\nm,1,2\n"))
	f.Add([]byte("age, sex, \"gain\"\n39 , Male, ?\n\"50\",\"Fe\n, \"\"male\"\" \",-2.5e1\r\n\n 17,?,\n"))
	f.Add([]byte("\xef\xbb\xbfgain,age,sex,\n0x1p3,1_0,\xff,"))
	f.Add(packed(f, []byte("sex,age,gain\n")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := columns()
		lines, err := Table{}.Read(file(t, "x", raw), c)
		if err != nil {
			return
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		write := func(cells ...string) {
			if err := w.Write(cells); err != nil {
				t.Fatal(err)
			}
		}
		write("age", "gain", "sex")
		for r := range lines {
			gain := Missing
			if x := c[2].Numbers[r]; !math.IsNaN(x) {
				gain = strconv.FormatFloat(x, 'g', -1, 64)
			}
			write(strconv.FormatFloat(c[1].Numbers[r], 'g', -1, 64), gain, c[0].Texts[r])
		}
		w.Flush()
		again := columns()
		lines, err = Table{}.Read(file(t, "y", b.Bytes()), again)
		if err != nil {
			t.Fatal(err)
		}
		for k := range c {
			if !same(c[k].Numbers, again[k].Numbers) || !slices.Equal(c[k].Texts, again[k].Texts) ||
				len(c[k].Numbers)+len(c[k].Texts) != len(lines) {
				t.Errorf("%+v is read again as %+v", c[k], again[k])
			}
		}
	})
}
