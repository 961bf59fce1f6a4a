package symbols

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
)

// The module for editors declares our packages only, and its functions, which do nothing,
// say what ours do.
func TestModuleDeclaresTheFramework(t *testing.T) {
	files, err := Module()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"framework/fl/fl.go", "framework/ot/ot.go", "framework/stats/stats.go",
		"framework/tensor/tensor.go", "go.mod"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	for _, name := range want[:len(want)-1] {
		functions, silent := inspect(t, files[name])
		if functions == 0 || len(silent) > 0 {
			t.Errorf("%s has %d functions; without body or comment: %v", name, functions, silent)
		}
	}
	for _, said := range []string{"A Round is everything a server may look at",
		"from the cohort Sᵗ, by ascending client", "Aggregate returns what becomes of the updates of a cohort."} {
		if !strings.Contains(files["framework/fl/fl.go"], said) {
			t.Errorf("package fl does not say %q", said)
		}
	}
}

// inspect counts the functions of a file, and names those without a body or a comment.
func inspect(t *testing.T, text string) (functions int, silent []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			functions++
			if f.Body == nil || f.Doc == nil {
				silent = append(silent, f.Name.Name)
			}
		}
	}
	return functions, silent
}
