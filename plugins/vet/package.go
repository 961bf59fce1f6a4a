package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/normal"
)

// A Package is a strategy that was found right.
type Package struct {
	Name    string  // of the package clause
	Core    string  // what is interpreted
	Entries []Entry // in the order of the files
	// Recovers: functions end panics, so the interpreter's word of the first one says nothing.
	Recovers bool

	files     []File
	functions []function
}

// An Entry is where a strategy describes a component.
type Entry struct {
	Variable string    // that holds it
	Kind     string    // of the component: "Aggregator", as in fl.AggregatorEntry
	Name     study.Pos // where its name is written, or else the variable
}

// A function is the body of one.
type function struct {
	name     string // of the declared function that it is or is in
	file     int
	from, to int   // lines
	first    int   // line of its first statement
	calls    []int // lines of statements that call functions of the strategy
}

// PositionVariable is the variable of the core that says which statement is running: Package.At
// knows which that is.
const PositionVariable = normal.Line

// lineBits is the room for a line in a position; the index of the file stands above.
const lineBits = 20

// entries returns the components that the strategy describes, and refuses strategies without
// any.
func (c *checker) entries() (list []Entry) {
	for _, s := range c.sources {
		for _, d := range s.tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					list = append(list, c.entriesOf(spec.(*ast.ValueSpec))...)
				}
			}
		}
	}
	if len(list) == 0 && !c.plain {
		c.refuse(c.sources[0].tree.Name, "declare one: var Entry = fl.AggregatorEntry{…}",
			"the strategy describes no component")
	}
	return list
}

func (c *checker) entriesOf(spec *ast.ValueSpec) (list []Entry) {
	for i, id := range spec.Names {
		kind, ok := entryKind(c.info.Defs[id])
		switch {
		case !ok:
			continue
		case !id.IsExported():
			c.refuse(id, "begin it with a capital letter", "an entry that is not exported")
			continue
		}
		e := Entry{Variable: id.Name, Kind: kind, Name: c.at(id.Pos(), id.End())}
		if i < len(spec.Values) {
			if name := field(spec.Values[i], "Name"); name != nil {
				e.Name = c.at(name.Pos(), name.End())
			}
		}
		list = append(list, e)
	}
	return list
}

// entryKind returns the kind of component that a variable describes, or false.
func entryKind(o types.Object) (string, bool) {
	if o == nil {
		return "", false
	}
	entry, ok := types.Unalias(o.Type()).(*types.Named)
	if !ok || entry.Obj().Name() != "Entry" || entry.TypeArgs().Len() != 1 {
		return "", false
	}
	of, ok := entry.TypeArgs().At(0).(*types.Named)
	return of.Obj().Name(), ok
}

// field returns the value of a field in a literal, or nil.
func field(lit ast.Expr, name string) ast.Expr {
	l, ok := lit.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, e := range l.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if id, isID := kv.Key.(*ast.Ident); ok && isID && id.Name == name {
			return kv.Value
		}
	}
	return nil
}

// functions returns the bodies of all functions, outer ones before those within.
func (c *checker) functions() (list []function) {
	for _, s := range c.sources {
		name := ""
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
				list = append(list, c.function(s, name, n, n.Body))
			case *ast.FuncLit:
				list = append(list, c.function(s, name, n, n.Body))
			}
			return true
		})
	}
	return list
}

func (c *checker) function(s *source, name string, n ast.Node, body *ast.BlockStmt) function {
	line := func(p token.Pos) int { return c.fset.Position(p).Line }
	f := function{name: name, file: s.index, from: line(n.Pos()), to: line(n.End()),
		first: line(body.Pos())}
	if len(body.List) > 0 {
		f.first = line(body.List[0].Pos())
	}
	ast.Inspect(body, func(m ast.Node) bool {
		if call, ok := m.(*ast.CallExpr); ok && c.functionOf(call) == n && c.callsOwn(call) {
			f.calls = append(f.calls, line(c.statement(call).Pos()))
		}
		return true
	})
	f.calls = slices.Compact(f.calls)
	return f
}

// callsOwn reports whether a call may run code of the strategy.
func (c *checker) callsOwn(call *ast.CallExpr) bool {
	tv := c.info.Types[call.Fun]
	if tv.IsType() || tv.IsBuiltin() {
		return false
	}
	return c.otherPackage(call.Fun) == nil || slices.ContainsFunc(call.Args, func(e ast.Expr) bool {
		_, function := c.info.TypeOf(e).Underlying().(*types.Signature)
		return function
	})
}

// statement returns the statement of a list that a node belongs to.
func (c *checker) statement(n ast.Node) ast.Node {
	for p := range c.holders(n) {
		switch c.parent[p].(type) {
		case *ast.BlockStmt, *ast.CaseClause:
			return p
		}
	}
	return n
}

// At returns the line of a position, for a reader.
func (p *Package) At(position int) study.Pos {
	return p.line(position>>lineBits, position&(1<<lineBits-1))
}

func (p *Package) line(file, line int) study.Pos {
	if file >= len(p.files) || line < 1 {
		return study.Pos{File: p.files[0].Name}
	}
	f := &p.files[file]
	lines := strings.Split(f.Text, "\n")
	if line > len(lines) {
		return study.Pos{File: f.Name}
	}
	text := lines[line-1]
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	start := len(strings.Join(lines[:line-1], "\n")) + min(1, line-1) + indent
	return place(&f.Text, f.Name, start, len(strings.TrimRight(text, " \t\r"))-indent)
}

// Position returns the position of a line of the file with the given index.
func Position(file, line int) int { return file<<lineBits | line }

// Blame returns the line that a function failed in. The position is that of the statement
// that began last. It may lie in a function that had returned before, called first by the
// statement that failed; so the interpreter's word counts, which is where the function that
// failed begins. The second result says what is not certain.
func (p *Package) Blame(position, begins int) (study.Pos, string) {
	line := position & (1<<lineBits - 1)
	var failed *function
	for i := range p.functions {
		f := &p.functions[i]
		if Position(f.file, f.first) != begins {
			continue
		}
		if position>>lineBits == f.file && f.from <= line && line <= f.to {
			return p.At(position), ""
		}
		failed = f
	}
	switch {
	case failed == nil:
		return p.At(position), ""
	case len(failed.calls) == 1:
		return p.line(failed.file, failed.calls[0]), ""
	}
	return p.line(failed.file, failed.from), "somewhere in " + failed.name
}
