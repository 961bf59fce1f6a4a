package corpora

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// apart are packages that a program is left out for like one that starts goroutines: there is
// nothing in the dialect that could stand for them.
var apart = []string{"C", "reflect", "runtime", "sync", "unsafe"}

// Why programs are left out, beside what they import.
const (
	notGo      = "does not compile"
	notMain    = "no program"
	goroutines = "goroutines, channels, select"
)

// leftFor says why a program is left out that was parsed, or returns "".
func leftFor(tree *ast.File) string {
	var paths []string
	for _, spec := range tree.Imports {
		if at, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, at)
		}
	}
	slices.Sort(paths)
	for _, at := range paths {
		top, _, _ := strings.Cut(at, "/")
		if slices.Contains(apart, top) {
			return "imports " + top
		}
	}
	if parallel(tree) {
		return goroutines
	}
	for _, at := range paths {
		if _, ok := declaration(at); !ok {
			return "imports " + at
		}
	}
	if tree.Name.Name != "main" || !slices.ContainsFunc(tree.Decls, isMain) {
		return notMain
	}
	return ""
}

func isMain(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Name.Name == "main"
}

// parallel reports whether a program names goroutines or channels.
func parallel(tree *ast.File) (found bool) {
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// leftByTypes says why a program is left out that the type checker refuses: because it uses a
// part of a package that the dialect does not have, or because it is no Go.
func leftByTypes(errs []error) string {
	for _, err := range errs {
		var e types.Error
		if !errors.As(err, &e) {
			continue
		}
		name, ok := strings.CutPrefix(e.Msg, "undefined: ")
		if _, _, qualified := strings.Cut(name, "."); ok && qualified {
			return "uses " + name
		}
	}
	return notGo
}

// initialises reports whether variables of the package are initialised by functions of it.
func (a *adapter) initialises() (found bool) {
	for _, d := range a.tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		ast.Inspect(g, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				fun := a.info.Types[n.Fun]
				found = found || !fun.IsType() && !fun.IsBuiltin()
			}
			return !found
		})
	}
	return found
}
