package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// Every paper has claims that experiments judge, theorems with a test, and at least 60 there are in
// all; none is listed twice.
func TestClaimsAreComplete(t *testing.T) {
	fixed, err := theorems(top)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := experimentClaims(top)
	if err != nil {
		t.Fatal(err)
	}
	tests, experiments, seen := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, c := range fixed {
		if c.Test != "" {
			tests[c.Paper]++
		}
	}
	for _, c := range judged {
		experiments[c.Paper]++
	}
	for _, c := range append(fixed, judged...) {
		key := strings.Join([]string{c.file, c.Paper, c.Source, c.Says}, "|")
		if seen[key] {
			t.Errorf("%s is listed twice", key)
		}
		seen[key] = true
		if c.title() == "" {
			t.Errorf("%s: the paper %q is none of those that are listed", c.file, c.Paper)
		}
		if len(c.Says) > 250 {
			t.Errorf("%q is longer than a quotation should be", c.Says)
		}
	}
	for _, p := range titles {
		few := experiments[p.key] < 8
		switch p.key {
		case baselines, channel, tasks, frontier, contradictions: // theorems test components
			few = experiments[p.key] < 5
		default:
			few = few || tests[p.key] < 4
		}
		if few {
			t.Errorf("%s: %d tests and %d claims of experiments", p.name, tests[p.key], experiments[p.key])
		}
	}
	if len(seen) < 60 {
		t.Errorf("there are %d claims", len(seen))
	}
}

// A theorem without its test, without a source or with a key that there is not is an error, and all
// of them are said at once.
func TestTheoremsAreChecked(t *testing.T) {
	dir := t.TempDir()
	const text = `[[theorem]]
paper = "fedavot"
source = "Theorem 1"
says = "first"
test = "framework/ot TestNothing"
proof = "left to the reader"

[[claim]]
paper = "unknown"
says = "second"
`
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(theoremFile)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, theoremFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := theorems(dir)
	for _, want := range []string{`there is no test "TestNothing" in "framework/ot"`,
		"there is no key theorem.proof", `"second": a claim here has needs and no test`,
		`"second": paper, source and says are required`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nmisses %s", err, want)
		}
	}
}

// A contradiction says what is asked and what papers do, before a line of # alone, and its title says
// that it is one. All files of the folder do.
func TestContradictionsSayWhatPapersDo(t *testing.T) {
	const good = "# By a or by b? Some do a,\n# others b.\n#\n# Here both.\ntitle = \"x\"\n"
	spec := study.Spec{Title: contradictionTitle + "a or b", Source: good}
	question, practice, err := practiceOf("x.toml", &spec)
	if err != nil || question != "By a or by b?" || practice != "Some do a, others b." {
		t.Errorf("%q, %q, %v", question, practice, err)
	}
	for what, bad := range map[string]study.Spec{
		"no paragraph":   {Title: spec.Title, Source: strings.Replace(good, "\n#\n", "\n", 1)},
		"one sentence":   {Title: spec.Title, Source: "# By a or by b?\n#\n# Here both.\n"},
		"a later #":      {Title: spec.Title, Source: "# A? B.\n[setting]\n#\n# c\n"},
		"another title":  {Title: "a or b", Source: good},
		"nothing at all": {Title: spec.Title},
	} {
		if _, _, err := practiceOf("x.toml", &bad); err == nil ||
			!strings.Contains(err.Error(), "x.toml") {
			t.Errorf("%s: %v", what, err)
		}
	}
	page, err := allContradictions(top)
	if err != nil || strings.Count(page, "hansa run experiments/contradictions/") < 12 {
		t.Errorf("%v: the page is\n%s", err, page)
	}
}
