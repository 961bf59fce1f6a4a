package builtin_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// declares are the methods of fl.Params that declare a parameter by its name.
var declares = map[string]bool{"Int": true, "Float": true, "Bool": true, "Choice": true,
	"Text": true, "Texts": true, "Ints": true, "Floats": true, "Strings": true}

// unfinished is how a note tells that something did not converge.
var unfinished = regexp.MustCompile(`not converge|stopped at`)

// remedial is what a note says before the parameters that help.
var remedial = regexp.MustCompile(`\b(raise|lower|use|fewer|leave out)\b`)

// What does not converge says what to change: every text of a component that tells of it names a
// parameter that some component of its folder, or a data set, declares.
func TestNotesOfConvergenceNameTheirRemedy(t *testing.T) {
	files := token.NewFileSet()
	parameters := map[string]bool{"covariates": true}
	var texts []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				f, ok := n.Fun.(*ast.SelectorExpr)
				if ok && declares[f.Sel.Name] && len(n.Args) > 1 {
					parameters[literals(n.Args[0])] = true
				}
			case *ast.BinaryExpr, *ast.BasicLit:
				if text := literals(n.(ast.Expr)); unfinished.MatchString(text) {
					texts = append(texts, text)
					return false
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 8 {
		t.Errorf("only %d texts tell of convergence: %q", len(texts), texts)
	}
	words := regexp.MustCompile(`[a-z][a-z0-9_]*`)
	for _, text := range texts {
		if strings.HasSuffix(strings.TrimSuffix(text, "%s"), ": ") {
			continue // what helps is put in
		}
		named := false
		for _, word := range words.FindAllString(text, -1) {
			named = named || parameters[word]
		}
		if !named || !remedial.MatchString(text) {
			t.Errorf("%q does not say what to change", text)
		}
	}
}

// literals joins the texts of an expression.
func literals(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return literals(e.X) + literals(e.Y)
	}
	return ""
}
