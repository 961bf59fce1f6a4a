package symbols

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// Path is the import path of the module that strategies import packages of.
const Path = "github.com/hansa-fl/hansa"

// body is that of every function in Module.
const body = ` { panic("this declares the framework for editors; hansa has its code") }`

// Module returns a Go module with the import path of ours, by the names of its files. It
// declares what strategies may use of the framework, and its functions do nothing: an editor
// and go vet can read a strategy by it where the framework is not.
func Module() (map[string]string, error) {
	files := map[string]string{"go.mod": "module " + Path + "\n\ngo " + Language + "\n"}
	for _, at := range slices.Sorted(maps.Keys(tables())) {
		if !strings.HasPrefix(at, framework) {
			continue // of the standard library
		}
		declarations, _ := Declaration(at)
		text, err := withBodies(declarations)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		files[strings.TrimPrefix(at, Path+"/")+"/"+path.Base(at)+".go"] = text
	}
	return files, nil
}

// Language is the least version of Go that strategies need: earlier ones do not range over
// numbers.
const Language = "1.22"

// withBodies gives every function a body.
func withBodies(text string) (string, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	done := 0
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
			end := fset.Position(f.End()).Offset
			b.WriteString(text[done:end] + body)
			done = end
		}
	}
	formatted, err := format.Source([]byte(b.String() + text[done:]))
	return string(formatted), err
}
