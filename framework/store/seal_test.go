package store

import (
	"encoding/json"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
)

// A record has a line for each field and for each element of a list, and says what it was made of,
// whatever its texts look like.
func TestRecordsAreOutlined(t *testing.T) {
	type inner struct {
		A string
		B []int
	}
	type record struct {
		Title string           `json:"title"`
		Cells []inner          `json:"cells"`
		Named map[string]inner `json:"named"`
		None  []int            `json:"none"`
		Empty []int            `json:"empty"`
		Last  float64          `json:"last"`
	}
	in := record{Title: `a "quoted\", [text]: {of, all`, Empty: []int{}, Last: 0.5,
		Cells: []inner{{`\`, []int{1, 2}}, {`"`, nil}, {"", []int{3}}},
		Named: map[string]inner{`{"x":1,`: {"y", []int{4}}}}
	text, err := seal(planForm, "", &in)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Fatalf("no JSON: %s", text)
	}
	var out record
	if err := unseal(planForm, "", text, &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v: %+v of %+v", err, out, in)
	}
	const lines = 2 + 2 + 6 + 2 // brackets, form and checksum, fields, two more cells
	if got := strings.Count(string(text), "\n"); got != lines {
		t.Errorf("%d lines, want %d:\n%s", got, lines, text)
	}
	if !strings.Contains(string(text), "\n    {\"A\": \"\", \"B\": [3]}") {
		t.Errorf("the last cell has no line:\n%s", text)
	}
}

// A plan that is stored once more stays the file that it is: nothing is written.
func TestTheSamePlanIsNotWritten(t *testing.T) {
	r := Run{t.TempDir()}
	p := &Plan{Title: "t", References: nil}
	if err := r.SavePlan(p); err != nil {
		t.Fatal(err)
	}
	before := stat(t, r.at(planFile))
	if err := r.SavePlan(p); err != nil {
		t.Fatal(err)
	}
	if same := stat(t, r.at(planFile)); !os.SameFile(before, same) {
		t.Error("it was written again")
	}
	p.Title = "u"
	if err := r.SavePlan(p); err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, stat(t, r.at(planFile))) {
		t.Error("another one was not written")
	}
}

// stat returns what is known of a file.
func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
