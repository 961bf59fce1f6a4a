package vet

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"

	"github.com/hansa-fl/hansa/plugins/policy"
	"github.com/hansa-fl/hansa/plugins/symbols"
)

// errRefused is what follows from an import that was refused already.
var errRefused = errors.New("not for strategies")

// A declarations importer type-checks declarations when a strategy imports them.
type declarations struct {
	checker  *checker
	fset     *token.FileSet
	packages map[string]*types.Package // that only this checker has
}

func newImporter(c *checker) *declarations {
	return &declarations{c, token.NewFileSet(), map[string]*types.Package{}}
}

// Import implements types.Importer.
func (d *declarations) Import(path string) (*types.Package, error) {
	if p := d.packages[path]; p != nil {
		return p, nil
	}
	if load := common[path]; load != nil && !d.checker.shadows() {
		return load()
	}
	text, ok := d.checker.declaration(path)
	if !ok {
		return nil, errRefused
	}
	p, err := checked(path, text, d.fset, d)
	if err == nil {
		d.packages[path] = p
	}
	return p, err
}

// shadows reports whether a package that all strategies may import is declared in another way.
func (c *checker) shadows() bool {
	for path := range c.declared {
		if common[path] != nil {
			return true
		}
	}
	return false
}

// common are the packages that all strategies may import. Each is type-checked once, when the first
// strategy imports it: that takes half of the time in which one is loaded, and one with generics or
// interfaces is type-checked up to three times. Any number of checkers may use a package at once.
var common = commonPackages()

func commonPackages() map[string]func() (*types.Package, error) {
	all, fset := map[string]func() (*types.Package, error){}, token.NewFileSet()
	for _, p := range policy.Packages() {
		all[p.Path] = sync.OnceValues(func() (*types.Package, error) {
			text, _ := symbols.Declaration(p.Path)
			return checked(p.Path, text, fset, among(all))
		})
	}
	return all
}

// among imports nothing but what is in a table.
type among map[string]func() (*types.Package, error)

// Import implements types.Importer.
func (a among) Import(path string) (*types.Package, error) {
	load := a[path]
	if load == nil {
		return nil, errRefused
	}
	return load()
}

// checked type-checks the declarations of a package.
func checked(
	path, text string, fset *token.FileSet, by types.Importer,
) (*types.Package, error) {
	tree, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{GoVersion: Language, Importer: by, IgnoreFuncBodies: true}
	return conf.Check(path, fset, []*ast.File{tree}, nil)
}
