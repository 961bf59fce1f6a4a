package normal

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// declarations writes all that stands at the top of the files. Variables get their values in a
// function, in the order that the type checker found.
func (e *emitter) declarations() {
	for _, f := range e.Files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				e.general(d)
			case *ast.FuncDecl:
				e.funcDecl(d)
			default:
				e.unknown(d)
			}
		}
	}
	e.at(e.Files[0].Name.Pos())
	e.line("func init() {")
	for _, init := range e.Info.InitOrder {
		e.initialise(init)
	}
	e.line("}")
	for len(e.local) > 0 {
		spec := e.local[0]
		e.local = e.local[1:]
		e.typeSpec(spec)
	}
}

func (e *emitter) general(d *ast.GenDecl) {
	switch d.Tok {
	case token.IMPORT, token.CONST: // packages are named when they are used; constants have values
	case token.TYPE:
		for _, spec := range d.Specs {
			e.typeSpec(spec.(*ast.TypeSpec))
		}
	case token.VAR:
		for _, spec := range d.Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				if id.Name != "_" {
					e.at(id.Pos())
					e.line("var %s %s", e.name(e.object(id)), e.typ(e.typeOf(id)))
				}
			}
		}
	default:
		e.unknown(d)
	}
}

// typeSpec writes a type, and the methods by which other packages know it.
func (e *emitter) typeSpec(spec *ast.TypeSpec) {
	o, ok := e.object(spec.Name).(*types.TypeName)
	if !ok || o.IsAlias() || spec.Name.Name == "_" || e.written[o] {
		return
	}
	e.written[o] = true
	if reaches(o.Type().Underlying(), o) {
		e.Refuse(spec.Name, "make it a struct with a field", "a type that is made of itself alone "+
			"is not interpreted")
		return
	}
	e.at(spec.Pos())
	e.line("type %s %s", e.name(o), e.typ(o.Type().Underlying()))
	if types.IsInterface(o.Type()) {
		return
	}
	methods := types.NewMethodSet(types.NewPointer(o.Type()))
	byValue := types.NewMethodSet(o.Type())
	for m := range methods.Methods() {
		if m.Obj().Exported() {
			e.forward(o, m, byValue.Lookup(e.Pkg, m.Obj().Name()) != nil)
		}
	}
}

// reaches reports whether a type is made of another one without a struct between.
func reaches(t types.Type, o *types.TypeName) bool {
	switch t := t.(type) {
	case *types.Named:
		return t.Obj() == o
	case *types.Pointer:
		return reaches(t.Elem(), o)
	case *types.Slice:
		return reaches(t.Elem(), o)
	case *types.Array:
		return reaches(t.Elem(), o)
	case *types.Map:
		return reaches(t.Key(), o) || reaches(t.Elem(), o)
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if reaches(v.Type(), o) {
					return true
				}
			}
		}
	}
	return false
}

// forward writes a method that calls the function that the method has become.
func (e *emitter) forward(o *types.TypeName, m *types.Selection, byValue bool) {
	f := m.Obj().(*types.Func)
	star := "*"
	if byValue {
		star = ""
	}
	sig := f.Signature()
	var params, args []string
	for i := range sig.Params().Len() {
		params = append(params, fmt.Sprintf("a%d_ %s", i, e.param(sig, i)))
		args = append(args, fmt.Sprintf("a%d_", i))
	}
	if sig.Variadic() {
		args[len(args)-1] += "..."
	}
	e.line("func (r_ %s%s) %s(%s)%s {", star, e.name(o), f.Name(), strings.Join(params, ", "),
		e.resultTypes(sig))
	of := types.Type(o.Type())
	if !byValue {
		of = types.NewPointer(of)
	}
	recv, path := "r_", m.Index()
	recv, of = e.path(recv, of, path[:len(path)-1])
	e.result(sig, e.methodCall(f, recv, of, args))
	e.line("}")
}

// result writes a call whose results are those of the function around.
func (e *emitter) result(sig *types.Signature, call string) {
	if sig.Results().Len() == 0 {
		e.line("%s", call)
		return
	}
	e.line("return %s", call)
}

func (e *emitter) funcDecl(d *ast.FuncDecl) {
	f, ok := e.object(d.Name).(*types.Func)
	if !ok || d.Body == nil || d.Name.Name == "_" {
		return
	}
	name, params := "", []string{}
	if recv := f.Signature().Recv(); recv != nil {
		name = e.method(f)
		params = append(params, e.parameter(recv)+" "+e.typ(recv.Type()))
	} else {
		name = e.name(f)
	}
	e.body("func "+name, params, f.Signature(), d.Body)
	e.line("")
}

// body writes a function: its results have no names in the core.
func (e *emitter) body(head string, params []string, sig *types.Signature, body *ast.BlockStmt) {
	start := body.Pos()
	if len(body.List) > 0 {
		start = body.List[0].Pos()
	}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		params = append(params, e.parameter(p)+" "+e.param(sig, i))
	}
	e.at(start)
	e.line("%s(%s)%s {", head, strings.Join(params, ", "), e.resultTypes(sig))
	e.fn = &function{of: sig, around: e.fn}
	e.at(start)
	e.receive(sig.Recv())
	for p := range sig.Params().Variables() {
		e.receive(p)
	}
	e.namedResults(sig)
	if e.recovering {
		e.deferred = true
		e.fn.recovers = e.temp(Panics + ".Take()")
	}
	if e.usesDefer(body) {
		e.deferred = true
		e.deferring(body)
	} else {
		e.statements(body.List)
		if len(e.fn.results) > 0 && !ends(body.List) {
			e.bareReturn()
		}
	}
	e.fn = e.fn.around
	fmt.Fprintf(e.out, "}")
}

// parameter returns the name of a parameter: the interpreter keeps no room for one without.
func (e *emitter) parameter(p *types.Var) string {
	if p.Name() == "" || p.Name() == "_" {
		return e.new("u")
	}
	return e.name(p)
}

// receive makes −0 of what was sent for it.
func (e *emitter) receive(p *types.Var) {
	if p == nil || p.Name() == "" || p.Name() == "_" {
		return
	}
	e.received(e.name(p), p.Type())
}

func (e *emitter) received(name string, of types.Type) {
	if basic := floatType(of); basic != nil {
		get := e.lowered("ReceiveZero", basic.Name())
		e.line("if %s != %s { %s = %s }", name, name, name,
			e.cast(of, basic, get+"("+e.cast(basic, of, name)+")"))
	} else if holdsFloats(of) {
		e.line("%s(&%s)", e.lowered("ReceiveZeros", ""), name)
	}
}

// cast converts a text from one type to another, where they differ.
func (e *emitter) cast(to, from types.Type, text string) string {
	if types.Identical(to, from) {
		return text
	}
	return e.typ(to) + "(" + text + ")"
}

// lowered returns a function of the package that the core imports for what the interpreter
// lacks.
func (e *emitter) lowered(function, element string) string {
	return e.alias(symbols.Lowered) + "." + symbols.LoweredName(function, element)
}

// namedResults declares results as variables, which are zero on entry.
func (e *emitter) namedResults(sig *types.Signature) {
	if sig.Results().Len() == 0 || sig.Results().At(0).Name() == "" {
		return
	}
	for r := range sig.Results().Variables() {
		name := e.new("r")
		if r.Name() != "_" {
			name = e.name(r)
		}
		e.fn.results = append(e.fn.results, name)
		e.line("var %s %s", name, e.typ(r.Type()))
	}
}

// initialise gives a variable of the package its value.
func (e *emitter) initialise(init *types.Initializer) {
	e.fn = &function{of: types.NewSignatureType(nil, nil, nil, nil, nil, false)}
	e.place(init.Rhs.Pos())
	e.line("{")
	if len(init.Lhs) == 1 {
		if v := init.Lhs[0]; v.Name() == "_" {
			e.temp(e.expr(init.Rhs))
		} else {
			e.store(e.name(v), init.Rhs, v.Type())
		}
	} else {
		names := e.spread(init.Rhs, len(init.Lhs))
		for i, v := range init.Lhs {
			if v.Name() != "_" {
				e.line("%s = %s", e.name(v), names[i])
			}
		}
	}
	e.line("}")
	e.fn = nil
}

// ends reports whether a list of statements ends with a return.
func ends(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ReturnStmt)
	return ok
}
