package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const someLEAF = `{"users": ["a", "b\u00e9"], "num_samples": [2, 1], "hierarchies": [null, {"p": [1e3]}],
 "user_data": {"a": {"x": [[0.5, [1, 2e-1]], [3, 4, 5]], "y": [1, 0]},
 "b\u00e9": {"y": [2], "x": [[-7, 8, 9]], "z": "}"}}}`

func writeLEAF(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all_data_0.json")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Users have the rows and labels that were written, in any order, lists in lists as one; only those
// that are wanted are visited.
func TestLEAF(t *testing.T) {
	path := writeLEAF(t, someLEAF)
	users, rows, err := LEAFUsers(path, nil)
	if err != nil || !slices.Equal(users, []string{"a", "bé"}) || !slices.Equal(rows, []int{2, 1}) {
		t.Errorf("%v, %v, %v", users, rows, err)
	}
	var all []string
	f := &LEAF{Visit: func(u *LEAFUser) error {
		all = append(all, fmt.Sprint(u.Name, " ", u.Numbers, u.Ends, u.Labels))
		return nil
	}}
	want := []string{"a [0.5 1 0.2 3 4 5] [3 6] [1 0]", "bé [-7 8 9] [3] [2]"}
	if err := f.Read(path, nil); err != nil || !slices.Equal(all, want) {
		t.Errorf("%v, %v", all, err)
	}
	all, f.Wanted = nil, func(user string) bool { return user == "bé" }
	if err := f.Read(path, nil); err != nil || !slices.Equal(all, want[1:]) {
		t.Errorf("%v, %v", all, err)
	}
	late := writeLEAF(t, `{"user_data": {"c": {"x": ["to\n\"be", "or"], "y": ["a", "b"]}}, "users": ["c"]}`)
	f = &LEAF{Visit: func(u *LEAFUser) error {
		if lo, hi := u.Row(1); u.Texts[0] != "to\n\"be" || u.Letters[1] != "b" || lo != 1 || hi != 2 {
			t.Errorf("%+v", u)
		}
		return nil
	}}
	if err := f.Read(late, nil); err != nil {
		t.Error(err)
	}
	if users, rows, err = LEAFUsers(late, nil); err != nil || users[0] != "c" || rows[0] != 2 {
		t.Errorf("%v, %v, %v", users, rows, err)
	}
}

func TestLEAFRefuses(t *testing.T) {
	for content, want := range map[string]string{
		someLEAF[:150]: ": cut off after 150 bytes",
		`{"user_data": {"a": {"x": [1, 2], "y": [1]}}}`:      `: at byte 43: user "a" has 2 rows and 1 labels`,
		`{"user_data": {"a": {"x": [1, "b"], "y": [1, 1]}}}`: `user "a" has numbers and texts`,
		`{"num_samples": [1.5]}`:                             "1.5 is no number of rows",
		`{"users": 3}`:                                       `want '[', there is '3'`,
		`{} 1`:                                               `there is '1' after the end`,
		`{"user_data": {"a": {"x": [NaN]}}}`:                 "want a number, there is 'N'",
		`{"a": ` + strings.Repeat("[", 99):                   "too many lists in lists",
		``:                                                   ": cut off after 0 bytes",
	} {
		f := &LEAF{Visit: func(*LEAFUser) error { return nil }}
		path := writeLEAF(t, content)
		if err := f.Read(path, nil); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: error %v, want %s", content, err, want)
		}
	}
}

// FuzzLEAF: what is damaged is an error, and rows lie within what was read.
func FuzzLEAF(f *testing.F) {
	f.Add(someLEAF)
	f.Add(`{"users": ["a"], "user_data": {"a": {"x": ["b"], "y": ["c"]}}}`)
	f.Fuzz(func(t *testing.T, content string) {
		r := &LEAF{Visit: func(u *LEAFUser) error {
			for k := range u.Ends {
				if lo, hi := u.Row(k); lo > hi || hi > max(len(u.Numbers), len(u.Texts)) {
					t.Fatalf("row %d from %d to %d", k, lo, hi)
				}
			}
			return nil
		}}
		_ = r.Read(writeLEAF(t, content), nil)
	})
}

// BenchmarkLEAF reads rows of 784 pixels, in megabytes of the file a second.
func BenchmarkLEAF(b *testing.B) {
	var pixels []string
	for k := range 784 {
		pixels = append(pixels, fmt.Sprint(float64((k*k)%256)/255))
	}
	row := "[" + strings.Join(pixels, ", ") + "]"
	content := `{"user_data": {"a": {"x": [` + strings.Repeat(row+", ", 999) + row + `], "y": [` +
		strings.Repeat("1, ", 999) + `1]}}}`
	path := writeLEAF(b, content)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		f := &LEAF{Visit: func(*LEAFUser) error { return nil }}
		if err := f.Read(path, nil); err != nil {
			b.Fatal(err)
		}
	}
}
