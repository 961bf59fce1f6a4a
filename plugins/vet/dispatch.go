package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"

	"github.com/hansa-fl/hansa/plugins/dispatch"
	"github.com/hansa-fl/hansa/plugins/symbols"
)

// withoutInterfaces returns the files without the interfaces that the strategy declares, and what
// the type checker finds of them.
func (c *checker) withoutInterfaces() ([]*ast.File, *types.Info, *types.Package) {
	trees := make([]*ast.File, len(c.sources))
	for i, s := range c.sources {
		trees[i] = s.tree
	}
	plain := dispatch.Lower(dispatch.Program{Files: trees, Fset: c.fset, Info: c.info, Pkg: c.pkg,
		Refuse: c.refuse, Prints: c.printsHeld})
	if len(plain) == len(trees) || len(c.problems) > 0 {
		return trees, c.info, c.pkg
	}
	with := *c
	with.declared = maps.Clone(c.declared)
	if with.declared == nil {
		with.declared = map[string]string{}
	}
	with.declared[symbols.Lowered] = symbols.Boxes
	info := newInfo()
	conf := types.Config{GoVersion: Language, Importer: newImporter(&with), Error: c.loweredError}
	// What is wrong was told to loweredError.
	pkg, _ := conf.Check(ownPath, c.fset, plain, info)
	return plain, info, pkg
}

// loweredError reports what the type checker finds in a strategy without interfaces: it hands
// another package, or gets from one, what has interfaces within.
func (c *checker) loweredError(err error) {
	e, ok := err.(types.Error)
	if !ok || len(c.problems) > 0 {
		return
	}
	if c.fset.Position(e.Pos).Filename == dispatch.File {
		e.Pos = c.sources[0].tree.Name.Pos()
	}
	c.refuse(word{e.Pos, e.Pos + token.Pos(1)}, "use concrete types there",
		"an interface is used in a way that is not interpreted: %s", e.Msg)
}

// own reports whether a type is an interface that is written in another way.
func (c *checker) own(t types.Type) bool { return dispatch.Own(t, c.pkg) }
