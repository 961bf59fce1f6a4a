package dataset

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
)

// speeches returns what each role says, as another program split the text.
func speeches(t *testing.T) (all []data.Speech) {
	t.Helper()
	f, err := os.Open(filepath.Join(datatest.Folder(t), "tinyshakespeare", "by_speaker.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var line struct{ Speaker, Text string }
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		all = append(all, data.Speech{Role: line.Speaker, Text: line.Text})
	}
	return all
}

// loadTexts loads texts of as many owners as are asked for.
func loadTexts(t *testing.T, e fl.SourceEntry, given map[string]any) (train, test *fl.Dataset) {
	t.Helper()
	s := build(t, e, given, 1)
	train, test, err := s.Load(&fl.LoadInput{Folders: []string{datatest.Folder(t)}})
	if err != nil {
		t.Fatal(err)
	}
	return train, test
}

// Roles and what they say are those that another program found in the text.
//
//hansa:verifies source dataset/shakespeare
func TestShakespeareBySpeaker(t *testing.T) {
	path := filepath.Join(datatest.Folder(t), "tinyshakespeare", "input.txt.gz")
	roles, letters, err := data.ReadSpeech(path, nil)
	if err != nil || len(letters) != shakespeareLetters {
		t.Fatalf("%d characters, %v", len(letters), err)
	}
	said := map[string]string{}
	for _, r := range roles {
		if r.Text != "" { // blocks may hold a name and no speech
			said[r.Role] = r.Text
		}
	}
	want := speeches(t)
	if len(said) != len(want) || len(want) != 299 {
		t.Errorf("%d roles speak, want %d", len(said), len(want))
	}
	for _, w := range want {
		if said[w.Role] != w.Text {
			t.Fatalf("%s says other things:\n%.200q\n%.200q", w.Role, said[w.Role], w.Text)
		}
	}
}

// Rows and labels, laid one behind the other, are what the roles with most characters say; the rows
// for tests are its end.
//
//hansa:verifies theorem dataset/shakespeare
func TestShakespeareWindows(t *testing.T) {
	roles := speeches(t)
	slices.SortStableFunc(roles, func(a, b data.Speech) int { return len(b.Text) - len(a.Text) })
	letters := map[rune]bool{'$': true, '3': true, '&': true, ':': true, '\n': true}
	for _, r := range roles {
		for _, c := range r.Text {
			letters[c] = true
		}
	}
	var alphabet []rune
	for c := range letters {
		alphabet = append(alphabet, c)
	}
	slices.Sort(alphabet)
	for _, predict := range []string{"every", "last"} {
		train, test := loadTexts(t, Shakespeare, map[string]any{"context": int64(40), "test": 0.25,
			"predict": predict, "owners": int64(5)})
		labels := map[string]int{"every": 40, "last": 1}[predict]
		for k, d := range []*fl.Dataset{train, test} {
			if d.Shape.PerRow() != labels || len(d.Y) != labels*d.Len() || d.Shape.Tokens != 65 {
				t.Fatalf("%d labels of %d rows of %+v", len(d.Y), d.Len(), d.Shape)
			}
			said := make([]string, 5)
			for r, owner := range d.Owner {
				for _, v := range d.X.Row(r) {
					said[owner] += string(alphabet[int(v)])
				}
				row := d.Y[r*labels : (r+1)*labels]
				for j, y := range row[:labels-1] {
					if float64(y) != d.X.Row(r)[j+1] {
						t.Fatalf("row %d: label %d is not the next token", r, j)
					}
				}
				last := r+1 == d.Len() || d.Owner[r+1] != owner
				if !last && float64(row[labels-1]) != d.X.Row(r + 1)[0] {
					t.Fatalf("row %d: the last label is not what comes next", r)
				}
			}
			for i := range said {
				text := roles[i].Text
				cut := len(text) - len(text)/4
				whole := [...]string{text[:cut], text[cut:]}[k]
				if !strings.HasPrefix(whole, said[i]) || len(whole)-len(said[i]) > 40 {
					t.Errorf("%s, %s: rows hold other text", predict, roles[i].Role)
				}
			}
		}
	}
}

// The text of roles is that of shakespeare.
//
//hansa:verifies equivalence dataset/text
func TestTextIsShakespeare(t *testing.T) {
	given := map[string]any{"context": int64(30), "test": 0.1, "owners": int64(4)}
	train, test := loadTexts(t, Shakespeare, given)
	given["files"], given["clients_by"] = []any{"tinyshakespeare/input.txt.gz"}, "roles"
	given["vocabulary"] = int64(65)
	a, b := loadTexts(t, Text, given)
	if !slices.Equal(a.X.Data, train.X.Data) || !slices.Equal(b.X.Data, test.X.Data) ||
		!slices.Equal(a.Y, train.Y) || !slices.Equal(a.Owner, train.Owner) {
		t.Error("the rows differ")
	}
}

// Every file is a text of its own, and files that are none are refused.
//
//hansa:verifies theorem dataset/text
func TestTextFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.txt": "abcabcabcabc\n", "b.txt": "äbäbäbäbäbäbäbäb\n", "c.bin": "abc\xff\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	load := func(given map[string]any) (train *fl.Dataset, err error) {
		s, err := Text.New(fl.NewParams(given, fl.Setting{}, nil))
		if err != nil {
			t.Fatal(err)
		}
		train, _, err = s.Load(&fl.LoadInput{Clients: 2, Folders: []string{dir}})
		return train, err
	}
	given := map[string]any{"files": []any{"*.txt"}, "context": int64(3), "test": 0.0,
		"vocabulary": int64(5)} // with the end of a line
	train, err := load(given)
	if err != nil {
		t.Fatal(err)
	}
	// b has 16 letters and a has 12: rows of a letter that is the first of its file.
	if want := []int{0, 0, 0, 0, 0, 1, 1, 1}; !slices.Equal(train.Owner, want) {
		t.Errorf("owners %v, want %v", train.Owner, want)
	}
	if want := []float64{4, 2, 4}; !slices.Equal(train.X.Row(0), want) {
		t.Errorf("the first row is %v, want %v", train.X.Row(0), want)
	}
	for say, with := range map[string]map[string]any{
		"vocabulary: there are 5 different characters": {"vocabulary": int64(4)},
		"owners: 2 have the 4 characters":              {"owners": int64(3)},
		"owners: 1 have the 14 characters":             {"least": int64(14)},
		"c.bin:1:4: byte 0xff is no UTF-8":             {"files": []any{"c.bin"}},
		"a.txt:1:1: want the name of a role":           {"clients_by": "roles"},
	} {
		changed := map[string]any{}
		for _, m := range []map[string]any{given, with} {
			for k, v := range m {
				changed[k] = v
			}
		}
		if _, err := load(changed); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%v: %v, want %s", with, err, say)
		}
	}
}
