package vet

import (
	"go/ast"
	"go/types"
	"regexp"

	"github.com/hansa-fl/hansa/plugins/generics"
)

// writeOutGenerics replaces files that were type-checked by ones without type parameters, which
// are type-checked anew.
func (c *checker) writeOutGenerics(trees []*ast.File) {
	if len(c.problems) > 0 {
		return
	}
	program := generics.Program{Files: trees, Info: c.info, Pkg: c.pkg, Refuse: c.refuse}
	if !c.plain {
		program.Most = Limits()[ofInstances].Most
		program.Exceeds = func(n ast.Node) {
			limit := Limits()[ofInstances]
			c.problems = append(c.problems, limit.problem(limit.Most+1, c.at(n.Pos(), n.End())))
		}
	}
	plain := generics.Expand(program)
	if len(c.problems) > 0 || plain[0] == trees[0] {
		return
	}
	for i, s := range c.sources {
		s.tree = plain[i]
	}
	if !c.plain {
		if c.exceedsTrees(); len(c.problems) > 0 {
			return
		}
	}
	c.info = newInfo()
	conf := types.Config{GoVersion: Language, Importer: newImporter(c), Error: c.instanceError}
	// What is wrong was told to instanceError.
	c.pkg, _ = conf.Check(ownPath, c.fset, plain, c.info)
}

// fromInstances are the errors that are none in something generic.
var fromInstances = regexp.MustCompile(`imported and not used|imported as|^impossible type |` +
	`^duplicate case .* in type switch|^\s*previous case`)

// instanceError reports what the type checker found in an instance. What only generic functions
// import that nothing calls is not used any more, and a generic function may ask for a type that an
// interface cannot hold, or twice for one.
func (c *checker) instanceError(err error) {
	e, ok := err.(types.Error)
	if !ok || fromInstances.MatchString(e.Msg) {
		return
	}
	e.Msg = "written out for its type arguments: " + e.Msg
	c.typeError(e)
}
