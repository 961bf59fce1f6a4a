package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// begins finds where the body of a method begins.
func begins(method string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^func \(.*\) ` + method + `\(.*\{$`)
}

// A method of any kind that writes to what it is lent violates the requirement that it only reads,
// which is named first, with the line. No other requirement is named in its place, whichever asks
// first.
func TestWritesViolateTheRequirementToRead(t *testing.T) {
	for _, c := range []struct{ file, method, write string }{
		{"aggregator", "Aggregate", "r.Global[0] = 1"},
		{"aggregator", "Aggregate", "r.Updates = r.Updates[:0]"},
		{"aggregator", "Aggregate", "r.T = -1"},
		{"availability", "Available", "r.Roster.N = 0"},
		{"enrollment", "Enroll", "e.Roster.Samples[0]++"},
		{"importance", "Weights", "pop.Samples[0]++"},
		{"local", "Run", "t.Global[0]++"},
		{"metric", "Measure", "s.Params[0]++"},
		{"partition", "Split", "d.X.Data[0]++"},
		{"preprocess", "Summarize", "s.Data.X.Data[0]++"},
		{"preprocess", "Combine", "c.Uploads = c.Uploads[:0]"},
		{"preprocess", "Transform", "m.Rows.Data[0]++"},
		{"selection", "Select", "d.Available[0]++"},
	} {
		t.Run(c.file+" "+c.write, func(t *testing.T) {
			t.Parallel()
			all := examinedAfter(t, c.file, c.method, c.write)
			if len(all) == 0 || all[0].Check != "read-only" ||
				!strings.Contains(all[0].Found, registry.Written) {
				t.Fatalf("%v", all)
			}
			for _, v := range all[1:] {
				if strings.Contains(v.Found, registry.Written) {
					t.Errorf("the write violates another requirement: %v", v)
				}
			}
		})
	}
}

// examinedAfter examines a strategy of the tests whose method begins with one more statement.
func examinedAfter(t *testing.T, file, method, statement string) []contract.Violation {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "kinds", file+".go"))
	if err != nil {
		t.Fatal(err)
	}
	at := begins(method).FindIndex(text)
	if at == nil {
		t.Fatalf("%s has no method %s", file, method)
	}
	changed := fmt.Sprintf("%s\n\t%s%s", text[:at[1]], statement, text[at[1]:])
	source := NewSource("kind.go", []vet.File{{Name: "kind.go", Text: changed}})
	s, err := LoadExam(t.Context(), source, time.Minute, &Exam{Blame: true})
	if err != nil {
		t.Fatal(err)
	}
	var r registry.Registry
	if err := builtin.Register(&r); err != nil {
		t.Fatal(err)
	}
	if err := s.Register(&r); err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, e := range s.Entries {
		own[e.Kind+"/"+e.Name] = true
	}
	all := contract.Examine(&r, contract.Options{Seed: 1,
		Only: func(kind, name string) bool { return own[kind+"/"+name] }})
	line := strings.Count(string(text[:at[1]]), "\n") + 2
	if len(all) > 0 && !strings.Contains(all[0].Found, fmt.Sprintf("kind.go:%d:2: ", line)) {
		t.Errorf("line %d is not named: %s", line, all[0].Found)
	}
	return all
}
