package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// An edit replaces part of a file. No edit adds or removes a line break.
type edit struct {
	from, to int // bytes
	text     string
}

func (s *source) edit(c *checker, from, to token.Pos, text string) {
	s.edits = append(s.edits, edit{c.fset.Position(from).Offset, c.fset.Position(to).Offset, text})
}

// PositionVariable is the variable of the lowered package that says which statement is
// running: Package.At knows which that is.
const PositionVariable = "Line_"

// lineBits is the room for a line in a position; the index of the file stands above.
const lineBits = 20

// lower writes a node in the form that the interpreter gets right.
func (s *source) lower(c *checker, n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		s.nameless(c, n.Recv)
		s.nameless(c, n.Type.Params)
		s.receiveZeros(c, n.Type.Params, n.Body)
	case *ast.FuncLit:
		s.nameless(c, n.Type.Params)
		s.receiveZeros(c, n.Type.Params, n.Body)
	case *ast.BlockStmt:
		s.positions(c, n.List)
	case *ast.CaseClause:
		s.positions(c, n.Body)
	case *ast.ForStmt:
		s.forPosition(c, n)
	case *ast.RangeStmt:
		s.integerRange(c, n)
	case *ast.ParenExpr:
		s.parentheses(c, n)
	case *ast.CallExpr:
		s.builtins(c, n)
		s.sendZeros(c, n)
	case *ast.Ident:
		s.functionValue(c, n)
		s.instance(c, n)
	}
}

// nameless gives names to parameters that have none, or only _: the interpreter keeps no room
// for them and puts results where they lie.
func (s *source) nameless(c *checker, params *ast.FieldList) {
	if params == nil {
		return
	}
	for _, f := range params.List {
		if f.Names == nil {
			c.fresh++
			s.edit(c, f.Pos(), f.Pos(), fmt.Sprintf("u%d_ ", c.fresh))
		}
		for _, id := range f.Names {
			if id.Name == "_" {
				c.fresh++
				s.edit(c, id.Pos(), id.End(), fmt.Sprintf("u%d_", c.fresh))
			}
		}
	}
}

// positions writes before each statement where it stands.
func (s *source) positions(c *checker, list []ast.Stmt) {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.EmptyStmt, *ast.BranchStmt, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			continue
		case *ast.DeclStmt:
			if d := stmt.Decl.(*ast.GenDecl); d.Tok != token.VAR {
				continue
			}
		}
		s.edit(c, stmt.Pos(), stmt.Pos(), s.position(c, stmt.Pos())+"; ")
	}
}

func (s *source) position(c *checker, at token.Pos) string {
	return fmt.Sprintf("%s = %d", PositionVariable, Position(s.index, c.fset.Position(at).Line))
}

// forPosition writes at the end of a loop's body that the condition comes next.
func (s *source) forPosition(c *checker, n *ast.ForStmt) {
	if n.Cond != nil && mayFail(n.Cond) || n.Post != nil && mayFail(n.Post) {
		s.edit(c, n.Body.Rbrace, n.Body.Rbrace, "; "+s.position(c, n.For)+" ")
	}
}

// mayFail reports whether a node does more than compare and count.
func mayFail(n ast.Node) (may bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.CallExpr, *ast.StarExpr, *ast.SliceExpr:
			may = true
		case *ast.BinaryExpr:
			may = may || n.Op == token.QUO || n.Op == token.REM
		}
		return !may
	})
	return may
}

// integerRange makes a counting loop of a range over an integer:
//
//	for i := range n {
//	for i, n1_ := int(0), int(n); i < n1_; i++ {
func (s *source) integerRange(c *checker, n *ast.RangeStmt) {
	basic, ok := c.info.TypeOf(n.X).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 || n.Tok == token.ASSIGN {
		return
	}
	c.fresh++
	end := fmt.Sprintf("n%d_", c.fresh)
	name, of := "i"+end[1:], types.Default(c.info.TypeOf(n.X))
	if id, ok := n.Key.(*ast.Ident); ok && id.Name != "_" {
		name, of = id.Name, c.info.Defs[id].Type()
	}
	t := s.typeName(of)
	s.edit(c, n.For+3, n.X.Pos(), fmt.Sprintf(" %s, %s := %s(0), %s(", name, end, t, t))
	s.edit(c, n.X.End(), n.Body.Lbrace, fmt.Sprintf("); %s < %s; %s++ ", name, end, name))
}

// parentheses drops those that say nothing: the interpreter fails on if (a) < b && c {.
func (s *source) parentheses(c *checker, n *ast.ParenExpr) {
	switch n.X.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr,
		*ast.ParenExpr:
		s.edit(c, n.Lparen, n.Lparen+1, " ")
		s.edit(c, n.Rparen, n.Rparen+1, " ")
	}
}

// builtins writes min, max and clear as functions of the package that the lowering imports.
func (s *source) builtins(c *checker, n *ast.CallExpr) {
	for _, name := range []string{"min", "max", "clear"} {
		if !c.isBuiltin(n.Fun, name) {
			continue
		}
		of := c.info.TypeOf(n.Args[0])
		if slice, ok := of.Underlying().(*types.Slice); ok && name == "clear" {
			of = slice.Elem()
		} else {
			of = c.info.TypeOf(n)
		}
		f, ok := lowered(name, of)
		if !ok || n.Ellipsis.IsValid() {
			c.refuse(n, "use float64, int or string", "%s of this type is not interpreted", name)
			return
		}
		call := s.alias(symbols.Lowered) + "." + f + "("
		if len(n.Args) == 1 && name != "clear" {
			call = "(" // min(x) is x
		}
		s.edit(c, n.Pos(), n.Lparen+1, strings.Repeat(call, max(1, len(n.Args)-1)))
		for _, arg := range n.Args[1:max(1, len(n.Args)-1)] {
			s.edit(c, arg.End(), arg.End(), ")")
		}
	}
}

// lowered returns the function that takes the place of another one for elements of a type.
func lowered(function string, of types.Type) (string, bool) {
	basic, ok := of.(*types.Basic)
	if !ok {
		return "", false
	}
	name := symbols.LoweredName(function, basic.Name())
	return name, symbols.HasLowered(name)
}

// instance writes a generic function of the standard library as the one for its elements.
func (s *source) instance(c *checker, id *ast.Ident) {
	inst, ok := c.info.Instances[id]
	f, isFunc := c.info.Uses[id].(*types.Func)
	if !ok || !isFunc || f.Pkg() == c.pkg {
		return
	}
	last := inst.TypeArgs.At(inst.TypeArgs.Len() - 1)
	name, ok := lowered(f.Pkg().Name()+strings.ToUpper(f.Name()[:1])+f.Name()[1:], last)
	_, unnamed := inst.TypeArgs.At(0).(*types.Slice)
	sel, qualified := c.parent[id].(*ast.SelectorExpr)
	switch {
	case !ok:
		c.refuse(id, "it is there for float64, int and string; else use sort.Slice, or a loop",
			"%s.%s of elements of %s is not interpreted", f.Pkg().Name(), f.Name(),
			types.TypeString(last, types.RelativeTo(c.pkg)))
	case f.Name() == "Clone" && !unnamed:
		c.refuse(id, "a Vector has a method Clone",
			"slices.Clone of a named type is not interpreted")
	case !qualified || !c.called(sel):
		c.refuse(id, "call it", "%s.%s as a value is not interpreted", f.Pkg().Name(), f.Name())
	default:
		s.edit(c, sel.Pos(), sel.End(), s.alias(symbols.Lowered)+"."+name)
	}
}

// typeName writes a type so that it can be read at any place of the file.
func (s *source) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == ownPath {
			return ""
		}
		return s.alias(p.Path())
	})
}

// alias returns the name by which the lowered text knows a package. It is not that of the
// author, which may be hidden where it is needed.
func (s *source) alias(path string) string {
	name, ok := s.aliases[path]
	if !ok {
		name = fmt.Sprintf("p%d_", len(s.aliases))
		s.aliases[path] = name
	}
	return name
}

// lowered returns the text of the file with its edits. The first file declares the variable
// that holds the position.
func (s *source) lowered(first bool) string {
	slices.SortStableFunc(s.edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range s.edits {
		b.WriteString(s.Text[at:max(at, e.from)])
		b.WriteString(e.text)
		at = max(at, e.to)
	}
	b.WriteString(s.Text[at:])
	if first {
		fmt.Fprintf(&b, "\nvar %s int\n", PositionVariable)
	}
	return b.String()
}

// importAliases writes the imports that the lowering needs behind the package clause.
func (s *source) importAliases(c *checker) {
	paths := make([]string, len(s.aliases))
	for path, name := range s.aliases {
		for i := range paths {
			if name == fmt.Sprintf("p%d_", i) {
				paths[i] = path
			}
		}
	}
	for _, path := range paths {
		s.edit(c, s.tree.Name.End(), s.tree.Name.End(),
			fmt.Sprintf("; import %s %q", s.aliases[path], path))
	}
}
