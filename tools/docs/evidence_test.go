package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
)

// Every component on the menu has a test that shows something of it besides the contract.
func TestEveryComponentHasEvidence(t *testing.T) {
	known, components := builtin.Verified(), 0
	for _, k := range toolbox.Menu() {
		for _, e := range k.Entries {
			components++
			if len(known[k.Name+"/"+e.Name]) == 0 {
				t.Errorf("%s/%s: no test says by //hansa:verifies what it shows of it", k.Name,
					e.Name)
			}
		}
	}
	if components < 150 {
		t.Errorf("the menu has %d components", components)
	}
}

// scanned returns a scan whose menu has one component.
func scanned(top string) *evidenceScan {
	return &evidenceScan{top: top, kinds: []string{"golden", "theorem"},
		menu: map[string][]string{"aggregator/mean": {`"mean"`, "Mean"}}}
}

// What a test says it shows is kept with its first sentence; what cannot be so is an error at its
// line.
func TestEvidenceIsOfTestsThatHaveTheComponent(t *testing.T) {
	for says, want := range map[string]string{
		"//hansa:verifies golden aggregator/mean":     "",
		"//hansa:verifies gold aggregator/mean":       "want a kind of evidence",
		"//hansa:verifies golden":                     "want a kind of evidence",
		"//hansa:verifies golden aggregator/median":   "aggregator/median is not on the menu",
		"//hansa:verifies theorem aggregator/mean":    "",
		"//hansa:verifies golden aggregator/mean x/y": "x/y is not on the menu",
	} {
		dir := t.TempDir()
		text := "package p\n\n// It is the mean. It has more.\n//\n" + says +
			"\nfunc TestMean(t *testing.T) { _ = Mean }\n"
		if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s := scanned(dir)
		err := s.file("a_test.go")
		switch {
		case want == "" && err == nil:
			l := strings.Join(s.lines[0], "|")
			if !strings.HasPrefix(l, "aggregator/mean|") ||
				!strings.HasSuffix(l, "|. TestMean|It is the mean.") {
				t.Errorf("%s: %s", says, l)
			}
		case want == "" || err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "a_test.go:5:"):
			t.Errorf("%s: %v, want %q", says, err, want)
		}
	}
}

// A directive is not believed of a function that is no test, of a test that says nothing, and of a
// file that does not have the component.
func TestEvidenceNeedsATest(t *testing.T) {
	for text, want := range map[string]string{
		"// It is.\n//hansa:verifies golden aggregator/mean\nfunc helper() { _ = Mean }":                   "not a test",
		"//hansa:verifies golden aggregator/mean\nfunc TestA() { _ = Mean }":                               "does not say",
		"// It is (eq. (17)), and so.\n//hansa:verifies golden aggregator/mean\nfunc TestA() { _ = Mean }": "within parentheses",
		"// It is.\n//hansa:verifies golden aggregator/mean\nfunc TestA() { _ = Mode }":                    "the file has none of",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\n"+text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		fn := f.Decls[0].(*ast.FuncDecl)
		rest := strings.Fields("golden aggregator/mean")
		err = scanned("").directive(".", fn, rest, wordsOf(f))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
