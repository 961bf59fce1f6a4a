package corpora

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/plugins/vet"
)

// An adapter makes a program one of the dialect. Lines stay where they are.
type adapter struct {
	text     string
	fset     *token.FileSet
	tree     *ast.File
	info     *types.Info
	recorder string // how the program calls Recorder
	recorded bool   // something is replaced by it
	edits    []edit
	left     string
	kept     map[*types.Package]bool // that are still used
	pkg      *types.Package
	showers  map[string]string // the functions that make text of values, by type
	shown    strings.Builder   // the text of these functions
}

// An edit replaces part of a text.
type edit struct {
	from, to int
	by       string
}

// adapt reads a program, and adapts it or says why it is left out.
func adapt(name, text string) Program {
	p := Program{Name: name}
	a := &adapter{text: text, fset: token.NewFileSet(), kept: map[*types.Package]bool{},
		showers: map[string]string{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses:      map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{},
		}}
	var err error
	a.tree, err = parser.ParseFile(a.fset, name, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		p.Left = notGo
		return p
	}
	if p.Left = leftFor(a.tree); p.Left != "" {
		return p
	}
	var errs []error
	conf := types.Config{Importer: importer{}, GoVersion: vet.Language,
		Error: func(err error) { errs = append(errs, err) }}
	// What is wrong is in errs.
	a.pkg, _ = conf.Check("main", a.fset, []*ast.File{a.tree}, a.info)
	if len(errs) > 0 {
		p.Left = leftByTypes(errs)
		return p
	}
	a.recorder = freshName(a.tree, Recorder)
	a.replaceDirectives()
	a.replaceOutput()
	p.Left = a.left
	entry := a.entry()
	a.replaceImports()
	p.Text = a.edited() + entry + a.shown.String()
	p.Initialises = a.initialises()
	return p
}

// freshName returns a name that a file does not use.
func freshName(tree *ast.File, name string) string {
	used := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for used[name] {
		name += "0"
	}
	return name
}

// record replaces an expression by a function of Recorder.
func (a *adapter) record(e ast.Expr, function string) {
	a.recorded = true
	a.edit(e.Pos(), e.End(), a.recorder+"."+function)
}

func (a *adapter) edit(from, to token.Pos, by string) {
	a.edits = append(a.edits, edit{a.fset.Position(from).Offset, a.fset.Position(to).Offset, by})
}

// replaceOutput makes calls of Recorder of what prints and ends the program.
func (a *adapter) replaceOutput() {
	done := map[ast.Node]bool{}
	ast.Inspect(a.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			a.replaceStream(n, done)
			a.showArguments(n)
		case *ast.SelectorExpr:
			a.replaceName(n, n.Sel, done)
		case *ast.Ident:
			a.replaceName(n, n, done)
		}
		return true
	})
}

// replaceStream replaces a call that prints to a standard stream.
func (a *adapter) replaceStream(call *ast.CallExpr, done map[ast.Node]bool) {
	o := a.object(call.Fun)
	if o == nil || o.Pkg() == nil || o.Pkg().Path() != "fmt" || len(call.Args) == 0 ||
		!strings.HasPrefix(o.Name(), "Fprint") {
		return
	}
	stream := a.object(call.Args[0])
	if stream == nil || stream.Pkg() == nil || stream.Pkg().Path() != "os" {
		return
	}
	a.record(call.Fun, "P"+strings.TrimPrefix(o.Name(), "Fp"))
	end := call.Args[0].End()
	if len(call.Args) > 1 {
		end = call.Args[1].Pos()
	}
	a.edit(call.Args[0].Pos(), end, "")
	for _, e := range []ast.Expr{call.Fun, call.Args[0]} {
		ast.Inspect(e, func(n ast.Node) bool {
			done[n] = true
			return true
		})
	}
}

// object returns what an expression names, or nil.
func (a *adapter) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return a.info.Uses[e]
	case *ast.SelectorExpr:
		return a.info.Uses[e.Sel]
	}
	return nil
}

// replaceName replaces a name that prints or ends the program, and notes what else is used of
// packages.
func (a *adapter) replaceName(whole ast.Expr, id *ast.Ident, done map[ast.Node]bool) {
	o := a.info.Uses[id]
	if o == nil || done[id] {
		return
	}
	done[id] = true
	if b, ok := o.(*types.Builtin); ok && (b.Name() == "print" || b.Name() == "println") {
		a.record(whole, "P"+b.Name()[1:])
		return
	}
	if _, ok := o.(*types.PkgName); ok || o.Pkg() == nil || o.Pkg().Path() == "main" {
		return
	}
	if o.Parent() != o.Pkg().Scope() {
		return // a method or a field
	}
	switch path := o.Pkg().Path(); {
	case path == "fmt" && strings.HasPrefix(o.Name(), "Print"), path == "os" && o.Name() == "Exit":
		a.record(whole, o.Name())
	case path == "fmt" && strings.HasPrefix(o.Name(), "Fprint"), path == "os":
		a.left = "uses " + path + "." + o.Name()
	default:
		a.kept[o.Pkg()] = true
	}
}

// replaceImports removes imports of what is not used any more, and adds that of Recorder.
func (a *adapter) replaceImports() {
	name, by := a.tree.Name, "program"
	if a.recorded || strings.Contains(a.shown.String(), a.recorder+".") {
		by += fmt.Sprintf("; import %s %q", a.recorder, Recorder)
	}
	a.edit(name.Pos(), name.End(), by)
	for _, d := range a.tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, spec := range g.Specs {
			spec := spec.(*ast.ImportSpec)
			switch {
			case a.kept[a.imported(spec)]:
			case g.Lparen.IsValid():
				a.edit(spec.Pos(), spec.End(), "")
			default:
				a.edit(g.Pos(), g.End(), "")
			}
		}
	}
}

// imported returns the package that an import is of.
func (a *adapter) imported(spec *ast.ImportSpec) *types.Package {
	o := a.info.Implicits[spec]
	if spec.Name != nil {
		o = a.info.Defs[spec.Name]
	}
	if name, ok := o.(*types.PkgName); ok {
		return name.Imported()
	}
	return nil
}

// entry renames init functions, and returns a function that calls them and main in order.
func (a *adapter) entry() string {
	var calls strings.Builder
	for i, d := range a.tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name != "init" {
			continue
		}
		name := freshName(a.tree, fmt.Sprintf("init%d", i))
		a.edit(f.Name.Pos(), f.Name.End(), name)
		fmt.Fprintf(&calls, "\t%s()\n", name)
	}
	return fmt.Sprintf("\nfunc %s() {\n%s\tmain()\n}\n", Run, calls.String())
}

// edited returns the text with the edits made.
func (a *adapter) edited() string {
	slices.SortStableFunc(a.edits, func(x, y edit) int { return x.from - y.from })
	var b strings.Builder
	at := 0
	for _, e := range a.edits {
		b.WriteString(a.text[at:e.from] + e.by)
		at = e.to
	}
	return b.String() + a.text[at:]
}
