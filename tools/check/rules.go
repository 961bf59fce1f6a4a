package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func noInit(s *source) (found []finding) {
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			found = append(found, finding{s.line(f.Pos()), "init"})
		}
	}
	return found
}

// noMutableState finds assignments to variables of the package, within the file that
// declares them; go vet and the tests of other files see to the rest.
func noMutableState(s *source) (found []finding) {
	global := map[*ast.Object]bool{}
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				if name.Obj != nil {
					global[name.Obj] = true
				}
			}
		}
	}
	changed := func(e ast.Expr) {
		if id := root(e); id != nil && global[id.Obj] && !s.test() {
			found = append(found, finding{s.line(e.Pos()), id.Name + " is changed"})
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					changed(e)
				}
			}
		case *ast.IncDecStmt:
			changed(n.X)
		}
		return true
	})
	return found
}

// root returns the variable that an assignable expression begins with.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// imported returns the name by which a file knows a package, or "".
func (s *source) imported(path string) string {
	for _, spec := range s.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		if path == "math/rand/v2" {
			return "rand"
		}
		return path[strings.LastIndexByte(path, '/')+1:]
	}
	return ""
}

// uses calls visit for every mention of a member of a package.
func (s *source) uses(path string, visit func(member string, line int)) {
	name := s.imported(path)
	if name == "" {
		return
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == name && id.Obj == nil {
			visit(sel.Sel.Name, s.line(sel.Pos()))
		}
		return true
	})
}

// generators are the members of math/rand/v2 that draw from nothing global.
var generators = []string{
	"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "PCG", "ChaCha8", "Zipf", "Source",
}

// clocks are the members of time that read or await the clock.
var clocks = []string{
	"Now", "Since", "Until", "After", "Tick", "NewTimer", "NewTicker", "Sleep",
}

func noGlobalRandomness(s *source) (found []finding) {
	if s.imported("math/rand") != "" {
		found = append(found, finding{1, "math/rand is imported"})
	}
	s.uses("math/rand/v2", func(member string, line int) {
		if !slices.Contains(generators, member) {
			found = append(found, finding{line, "rand." + member})
		}
	})
	return found
}

// clockKeepers are the files that look at a clock, though no result may depend on it.
var clockKeepers = []string{"framework/engine/stopwatch.go", "framework/host/deadline.go",
	"plugins/calls.go", "plugins/speed.go"}

func noClock(s *source) (found []finding) {
	keeper := slices.Contains(clockKeepers, s.path) || s.within("tools", "framework/launch",
		"framework/session", "framework/diagnose")
	if s.test() || keeper {
		return nil
	}
	s.uses("time", func(member string, line int) {
		if slices.Contains(clocks, member) {
			found = append(found, finding{line, "time." + member})
		}
	})
	return found
}

func noPanic(s *source) (found []finding) {
	// What a strategy panics with goes on through panics.go, which runs what it deferred.
	may := s.path == "plugins/guard.go" || s.path == "plugins/symbols/panics.go" ||
		s.within("framework/kernel", "framework/tensor")
	if s.test() || may {
		return nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" && id.Obj == nil {
				found = append(found, finding{s.line(call.Pos()), "panic"})
			}
		}
		return true
	})
	return found
}

// componentHeader wants of a file with an exported entry: a header "// Name — what it is",
// and the entry before any other declaration but imports.
func componentHeader(s *source) (found []finding) {
	if !s.within("builtin") || strings.Count(s.path, "/") != 2 || s.test() {
		return nil
	}
	first := true
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if ok && g.Tok == token.IMPORT {
			continue
		}
		if entry := ok && g.Tok == token.VAR && isEntry(g); entry {
			if !strings.HasPrefix(s.lines[0], "// ") || !strings.Contains(s.lines[0], " — ") {
				found = append(found, finding{1, `the first line is not "// Name — what it is"`})
			}
			if !first {
				found = append(found, finding{s.line(g.Pos()), "the entry does not come first"})
			}
			if g.Doc == nil {
				found = append(found, finding{s.line(g.Pos()), "the entry has no comment"})
			}
		}
		first = false
	}
	return found
}

func isEntry(g *ast.GenDecl) bool {
	spec := g.Specs[0].(*ast.ValueSpec)
	if len(spec.Values) != 1 || !spec.Names[0].IsExported() {
		return false
	}
	lit, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok {
		return false
	}
	sel, ok := lit.Type.(*ast.SelectorExpr)
	return ok && strings.HasSuffix(sel.Sel.Name, "Entry")
}

// module is the path of ours.
const module = "github.com/hansa-fl/hansa/"

const (
	mostLines      = 400
	mostInFunction = 60
	mostParams     = 5
	mostColumns    = 100
)

func sizes(s *source) (found []finding) {
	if n := len(s.lines) - 1; n > mostLines {
		found = append(found, tooMany(n, n, "lines", mostLines))
	}
	for i, text := range s.lines {
		// A tab counts as the four columns that it is shown as.
		n := utf8.RuneCountInString(text) + 3*strings.Count(text, "\t")
		if n > mostColumns && !s.test() {
			found = append(found, tooMany(i+1, n, "columns", mostColumns))
		}
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || s.test() {
			continue
		}
		at := s.line(f.Pos())
		if n := s.line(f.End()) - at + 1; n > mostInFunction {
			found = append(found, tooMany(at, n, "lines in "+f.Name.Name, mostInFunction))
		}
		if n := f.Type.Params.NumFields(); n > mostParams && !prescribed(s, f) {
			found = append(found, tooMany(at, n, "parameters of "+f.Name.Name, mostParams))
		}
	}
	return found
}

// prescribed reports whether the parameters of a function may be a library's choice: it is a
// method of a type of this file that embeds a type of a library, and so can stand for it.
func prescribed(s *source, f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	owner := f.Recv.List[0].Type
	if star, ok := owner.(*ast.StarExpr); ok {
		owner = star.X
	}
	found := false
	ast.Inspect(s.file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != root(owner).Name {
			return true
		}
		t, ok := spec.Type.(*ast.StructType)
		found = ok && slices.ContainsFunc(t.Fields.List, func(field *ast.Field) bool {
			return len(field.Names) == 0 && s.ofLibrary(field.Type)
		})
		return false
	})
	return found
}

// ofLibrary reports whether a type is of a package that is neither ours nor Go's.
func (s *source) ofLibrary(t ast.Expr) bool {
	sel, ok := t.(*ast.SelectorExpr)
	return ok && slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool {
		path, err := strconv.Unquote(i.Path.Value)
		return err == nil && strings.Contains(path, ".") && !strings.HasPrefix(path, module) &&
			s.imported(path) == root(sel).Name
	})
}

func tooMany(line, n int, what string, most int) finding {
	return finding{line, fmt.Sprintf("%d %s, at most %d", n, what, most)}
}

var leftovers = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

func noLeftovers(s *source) (found []finding) {
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if leftovers.MatchString(c.Text) {
				found = append(found, finding{s.line(c.Pos()), "something is left for later"})
			}
		}
	}
	return found
}
