// Package normal writes a strategy anew in a small core of Go, which the interpreter computes
// as the compiler does.
//
// Type-checked Go goes in. Out comes one file of plain functions whose statements are simple:
// methods are functions, embedded fields are fields, variables have names of their own, every
// assignment assigns one value, a switch has one condition per case, a loop keeps what outlives
// its turn behind a pointer. A node that no function of this package knows is refused; the table
// of Productions says what becomes of each.
package normal

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A Strategy is what is written anew.
type Strategy struct {
	Files []*ast.File // in the order of their indices in positions
	Fset  *token.FileSet
	Info  *types.Info
	Pkg   *types.Package
	// Refuse reports a node that cannot be written in the core, and what to write instead.
	Refuse func(n ast.Node, hint, format string, args ...any)
	// Position returns the number by which the variable Line knows the place of a node, or
	// Nowhere.
	Position func(at token.Pos) int
}

// File is how the core calls the file that it stands in; its lines are positions.
const File = "core.go"

// Nowhere is the position of what the author did not write: when it runs, the statement that
// called it does.
const Nowhere = 1<<30 - 1

// Line is the variable of the core that says which statement is running.
const Line = "Line_"

// Core returns the strategy in the core language.
func Core(s Strategy) string {
	e := &emitter{Strategy: s, out: new(strings.Builder), aliases: map[string]string{},
		names: map[types.Object]string{}, taken: map[string]bool{}, times: map[string]int{},
		written: map[*types.TypeName]bool{}, recovered: map[types.Object]bool{},
		facts: factsOf(s)}
	e.nameTop()
	for _, f := range s.Files {
		e.recovering = e.recovering || e.usesRecover(f, true)
	}
	e.declarations()
	panics := ""
	if e.deferred {
		panics = e.lowered("NewPanics", "")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", s.Pkg.Name())
	for i, path := range e.paths {
		fmt.Fprintf(&b, "import p%d_ %q\n", i, path)
	}
	fmt.Fprintf(&b, "var %s int\n", Line)
	if panics != "" {
		fmt.Fprintf(&b, "var %s = %s(&%s)\n", Panics, panics, Line)
	}
	b.WriteString(e.out.String())
	return b.String()
}

// An emitter writes the core. Its methods for expressions return their text, and write the
// statements that have to run before.
type emitter struct {
	Strategy
	*facts
	out     *strings.Builder
	aliases map[string]string // import path → name in the core
	paths   []string          // in the order of their names
	names   map[types.Object]string
	taken   map[string]bool // names that stand for something
	times   map[string]int  // how often another name was made of a name
	fresh   int             // names that were made up
	fn      *function       // that is being written
	local   []*ast.TypeSpec // types of functions, which are written at the top
	written map[*types.TypeName]bool

	recovering bool                  // a function of the strategy calls recover
	deferred   bool                  // one needs Panics
	recovered  map[types.Object]bool // variables that hold what was recovered
}

// A function is a body while it is written.
type function struct {
	results  []string // names of its named results
	of       *types.Signature
	around   *function
	targets  []target  // of break and continue, from the outside in
	ordered  bool      // calls are given names, so that what stands beside them runs later
	stands   token.Pos // of the statement that is being written
	defers   string    // the variable that has what is deferred, or ""
	recovers string    // the variable that has the panic that the function may end, or ""
}

// A target is a statement that break or continue may leave.
type target struct {
	of    ast.Stmt
	label string // of the author, or ""
	name  string // in the core, once it is needed
	loop  bool
	cond  token.Pos // of a condition that may fail, to be told of on continue
}

// line writes one line of the core.
func (e *emitter) line(format string, args ...any) {
	fmt.Fprintf(e.out, format+"\n", args...)
}

// at writes where the author wrote what comes next.
func (e *emitter) at(pos token.Pos) { e.line("//line %s:%d:1", File, e.Position(pos)) }

// place writes that a statement begins.
func (e *emitter) place(pos token.Pos) {
	e.at(pos)
	if e.Position(pos) == Nowhere {
		return
	}
	e.line("%s = %d", Line, e.Position(pos))
	e.at(pos)
	e.fn.stands = pos
}

// captured returns what f writes, instead of writing it.
func (e *emitter) captured(f func()) string {
	before := e.out
	e.out = new(strings.Builder)
	f()
	text := e.out.String()
	e.out = before
	return text
}

// new returns a name that nothing has.
func (e *emitter) new(stem string) string {
	e.fresh++
	return fmt.Sprintf("%s%d_", stem, e.fresh)
}

// temp gives a value a name that is declared for nothing else.
func (e *emitter) temp(text string) string {
	name := e.new("t")
	e.line("%s := %s", name, text)
	return name
}

// unknown refuses a node that has no place in the core.
func (e *emitter) unknown(n ast.Node) string {
	e.Refuse(n, "write it in another way", "%s is not interpreted",
		strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast.")))
	return "nil"
}

// alias returns the name by which the core knows a package.
func (e *emitter) alias(path string) string {
	name, ok := e.aliases[path]
	if !ok {
		name = fmt.Sprintf("p%d_", len(e.paths))
		e.aliases[path] = name
		e.paths = append(e.paths, path)
	}
	return name
}
