package grammar

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Smaller returns programs that are smaller than a source, each by one cut: a statement or a
// declaration is left out, a block is replaced by what is in it, an expression by a part of it.
// Not all of them are valid.
func Smaller(source string) []string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	var list []string
	cut := func(n ast.Node, instead string) {
		text := source[:offset(n.Pos())] + instead + source[offset(n.End()):]
		list = append(list, tidy(text))
	}
	part := func(n ast.Node) string { return source[offset(n.Pos()):offset(n.End())] }
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			cut(d, "")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			statements(n.List, cut, part)
		case *ast.CaseClause:
			statements(n.Body, cut, part)
			cut(n, "")
		case *ast.BinaryExpr:
			cut(n, part(n.X))
			cut(n, part(n.Y))
		case *ast.ParenExpr:
			cut(n, part(n.X))
		case *ast.CallExpr:
			if len(n.Args) == 1 {
				cut(n, part(n.Args[0]))
			}
		case *ast.IfStmt:
			if n.Else != nil {
				cut(n.Else, "{}")
			}
		}
		return true
	})
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	return slices.Compact(list)
}

// statements makes cuts in a list of statements.
func statements(list []ast.Stmt, cut func(ast.Node, string), part func(ast.Node) string) {
	for _, s := range list {
		cut(s, "")
		switch s := s.(type) {
		case *ast.BlockStmt:
			cut(s, inside(part(s)))
		case *ast.IfStmt:
			cut(s, inside(part(s.Body)))
		case *ast.ForStmt:
			cut(s, inside(part(s.Body)))
		case *ast.RangeStmt:
			cut(s, inside(part(s.Body)))
		}
	}
}

// Unused returns a source without a variable that is declared on a line and not used.
func Unused(source, name string, line int) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		return source
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	from, to, instead := 0, 0, ""
	declares := func(n ast.Node, list []ast.Expr) {
		for _, e := range list {
			id, ok := e.(*ast.Ident)
			if !ok || id.Name != name || fset.Position(id.Pos()).Line != line {
				continue
			}
			if from, to, instead = offset(id.Pos()), offset(id.End()), "_"; len(list) == 1 {
				from, to, instead = offset(n.Pos()), offset(n.End()), ""
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			declares(n, n.Lhs)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declares(n, []ast.Expr{id})
			}
		case *ast.RangeStmt:
			declares(n, []ast.Expr{n.Key, n.Value})
		}
		return true
	})
	return tidy(source[:from] + instead + source[to:])
}

// Needed returns a source without declarations that nothing mentions.
func Needed(source string) string {
	for {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
		if err != nil {
			return source
		}
		smaller := source
		for _, d := range file.Decls {
			if name := declared(d); name != "" && strings.Count(source, name) == 1 {
				from, to := fset.Position(d.Pos()), fset.Position(d.End())
				smaller = source[:from.Offset] + source[to.Offset:]
				break
			}
		}
		if smaller == source {
			return source
		}
		source = tidy(smaller)
	}
}

// declared returns the one name of a declaration, if only that is declared.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !ast.IsExported(d.Name.Name) {
			return d.Name.Name
		}
	case *ast.GenDecl:
		if len(d.Specs) != 1 {
			return ""
		}
		if t, ok := d.Specs[0].(*ast.TypeSpec); ok {
			return t.Name.Name
		}
	}
	return ""
}

// inside returns a block without its braces.
func inside(block string) string { return strings.TrimSuffix(strings.TrimPrefix(block, "{"), "}") }

// tidy makes the imports of a program those that it needs, and leaves out empty lines.
func tidy(source string) string {
	_, body, _ := strings.Cut(source, ")\n\n")
	var b strings.Builder
	for line := range strings.Lines(body) {
		if strings.Trim(line, " \t\n;") != "" {
			b.WriteString(line)
		}
	}
	return header(b.String()) + b.String()
}
