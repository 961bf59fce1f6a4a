package normal

import (
	"fmt"
	"strings"
)

// A Verdict says what becomes of a production of Go in the core.
type Verdict string

// The verdicts. There is no fourth.
const (
	Same    Verdict = "core"    // it is written as it is
	Lowered Verdict = "lowered" // it is written in another way
	Refused Verdict = "refused" // a strategy with it is not run
)

// A Production is one of the Go specification, as it occurs in declarations and functions.
type Production struct {
	Part    string // of the language: "statement"
	Name    string // in words, or the token
	Node    string // the type of package ast that stands for it, an operator or a builtin; or ""
	Verdict Verdict
	How     string // it is lowered
	Example string // of what is refused: a line within a function, or one at the top after "top "
	Cure    string // of the example: what to write instead
}

// Productions returns the table, by parts of the language.
func Productions() []Production {
	var all []Production
	for _, part := range [][]Production{declarations(), typeForms(), statements(), assignments(),
		ranges(), expressions(), operatorForms(), builtins()} {
		all = append(all, part...)
	}
	return all
}

// Table returns the productions as a table of Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString("| of Go | what becomes of it |\n|---|---|\n")
	for _, p := range Productions() {
		how := p.How
		switch p.Verdict {
		case Same:
			how = "as it is"
		case Refused:
			how = "refused"
		}
		fmt.Fprintf(&b, "| %s: %s | %s |\n", p.Part, strings.ReplaceAll(p.Name, "|", `\|`), how)
	}
	return b.String()
}

// A row is the name of a production, the node that stands for it, and how it is lowered.
type row [3]string

func rows(part string, verdict Verdict, names ...row) (list []Production) {
	for _, n := range names {
		list = append(list, Production{Part: part, Name: n[0], Node: n[1], Verdict: verdict,
			How: n[2]})
	}
	return list
}

func refused(part, name, node, example, cure string) Production {
	return Production{Part: part, Name: name, Node: node, Verdict: Refused, Example: example,
		Cure: cure}
}

func declarations() []Production {
	const part = "declaration"
	list := rows(part, Same,
		row{"comment", "Comment", ""}, row{"comments", "CommentGroup", ""},
		row{"file", "File", ""}, row{"general", "GenDecl", ""},
		row{"identifier", "Ident", ""})
	list = append(list, rows(part, Lowered,
		row{"package of files", "Package", "one file"},
		row{"import", "ImportSpec", "packages have names of the core's own"},
		row{"constant", "ValueSpec", "its value stands where it is used"},
		row{"variable", "", "one a line; one that a turn of a loop leaves to a function or a " +
			"pointer lies behind a pointer"},
		row{"variable of the package", "", "it gets its value in the order that the type " +
			"checker found"},
		row{"type", "TypeSpec", "those of functions stand at the top"},
		row{"function", "FuncDecl", "its results have no names; named ones are variables, " +
			"zero on entry, copied when it returns"},
		row{"method", "", "a function that takes the receiver; other packages find a method " +
			"that calls it"},
		row{"parameters, fields", "Field", "all have names; zeros keep their sign"},
		row{"list of fields", "FieldList", "one a name"},
		row{"generic function or type", "", "one for every list of type arguments"},
		row{"name that hides another", "", "each variable has a name of its own"})...)
	return append(list,
		refused(part, "name that ends with _", "", "x_ := 1; _ = x_", "x := 1; _ = x"),
		refused(part, "type of a function as a type argument", "",
			"top func id[T any](x T) T { return x }; func g() { type l int; _ = id(l(1)) }",
			"top func id[T any](x T) T { return x }; type l int; func g() { _ = id(l(1)) }"),
		refused(part, "directive", "Directive", "top //go:build linux", "top // for any machine"),
		refused(part, "init", "", "top func init() {}", "top var three = count(3)"),
		refused(part, "what cannot be parsed", "BadDecl", "top funk g() {}", "top func g() {}"))
}

func typeForms() []Production {
	const part = "type"
	list := rows(part, Same,
		row{"array, slice", "ArrayType", ""}, row{"map", "MapType", ""},
		row{"function", "FuncType", ""}, row{"basic", "", ""})
	list = append(list, rows(part, Lowered,
		row{"struct", "StructType", "an embedded field is one of that name, and what it " +
			"promotes is reached through it"},
		row{"alias", "", "what it stands for"},
		row{"interface", "InterfaceType", "a pointer to a box, with a copy of the value and the " +
			"number of its type; nil is nil"},
		row{"any", "", "such a box"},
		row{"embedded interface", "", "a field of that name; what it promotes are methods that " +
			"call it"})...)
	return append(list,
		refused(part, "interface as the key of a map", "", "var m map[any]int; _ = m",
			"var m map[string]int; _ = m"),
		refused(part, "map or slice of itself", "", "top type tree map[string]tree",
			"top type tree struct{ children map[string]*tree }"),
		refused(part, "complex number", "", "z := 1i; _ = z", "re, im := 0.0, 1.0; _, _ = re, im"),
		refused(part, "channel", "ChanType", "var c chan int; _ = c", "var c []int; _ = c"))
}

func statements() []Production {
	const part = "statement"
	list := rows(part, Same,
		row{"block", "BlockStmt", ""}, row{"empty", "EmptyStmt", ""},
		row{"expression", "ExprStmt", ""}, row{"declaration", "DeclStmt", ""})
	list = append(list, rows(part, Lowered,
		row{"++, --", "IncDecStmt", "of elements of maps and of what is computed, an " +
			"assignment to a place that is computed once"},
		row{"if", "IfStmt", "statements that the condition needs stand before it"},
		row{"for", "ForStmt", "where a turn leaves variables to a function or a pointer, each " +
			"turn has its own; a condition that needs statements is tested in the body"},
		row{"switch", "SwitchStmt", "the tag is computed once; a case is one condition, the " +
			"default the last; with fallthrough a number chooses the case"},
		row{"case", "CaseClause", "its values become one condition"},
		row{"return", "ReturnStmt", "values are computed before the first is stored"},
		row{"break, continue, fallthrough", "BranchStmt", "labels are the core's own"},
		row{"defer", "DeferStmt", "function and arguments are computed; it is called when the " +
			"body is over, or has panicked"},
		row{"label", "LabeledStmt", "it stands before what it names"},
		row{"type switch", "TypeSwitchStmt", "a function finds the first case that the type is " +
			"of; its number is switched on"},
		row{"switch on an interface", "", "conditions that compare boxes"})...)
	return append(list,
		refused(part, "goto", "", "again: if n > 0 { n--; goto again }", "for n > 0 { n-- }"),
		refused(part, "go", "GoStmt", "go count(n)", "count(n)"),
		refused(part, "send", "SendStmt", "var c chan<- int; c <- 1", "c := []int{1}; _ = c"),
		refused(part, "select", "SelectStmt", "select {}", "for { break }"),
		refused(part, "case of a select", "CommClause", "select { default: }", "for { break }"),
		refused(part, "type switch on an error", "", "var err error; switch err.(type) { }",
			"switch { case errors.Is(nil, errFault): }"),
		refused(part, "what cannot be parsed", "BadStmt", "for for", "for { break }"))
}

func assignments() []Production {
	const part = "assignment"
	list := rows(part, Same, row{"x = y", "=", ""}, row{"x := y", ":=", ""},
		row{"x op= y", "", ""})
	return append(list, rows(part, Lowered,
		row{"several values", "AssignStmt", "operands of places, then values, then one " +
			"assignment each, from left to right"},
		row{"results of one call", "", "to new variables, from which each place gets its own"},
		row{"v, ok = m[k]", "", "two look-ups with the same key"},
		row{"place op= call", "", "the place is computed once, and the call before it is read"},
		row{"element of a map op= y", "", "element = element op y, the key computed once"},
		row{"_ = x", "", "x is computed"})...)
}

func ranges() []Production {
	const part = "range"
	list := rows(part, Lowered,
		row{"over a slice", "RangeStmt", "over what it was at first, by variables of its own"},
		row{"over an array", "", "over a copy; only counted, where no element is asked for"},
		row{"over a pointer to an array", "", "counted"},
		row{"over a map", "", "by variables of its own"},
		row{"over a string", "", "over the places where characters begin"},
		row{"over an integer", "", "counted"},
		row{"by variables that are there already", "", "they are assigned when a turn begins"})
	return append(list,
		refused(part, "over a function", "", "for x := range each { n += int(x) }",
			"each(func(x float64) bool { n += int(x); return true })"),
		refused(part, "over a channel", "", "var c <-chan int; for range c { }",
			"var c []int; for range c { }"))
}

func expressions() []Production {
	const part = "expression"
	list := rows(part, Same,
		row{"literal of a basic type", "BasicLit", ""}, row{"field", "SelectorExpr", ""},
		row{"index", "IndexExpr", ""}, row{"slice", "SliceExpr", ""},
		row{"*p", "StarExpr", ""})
	list = append(list, rows(part, Lowered,
		row{"constant", "", "its value, of its type"},
		row{"binary", "BinaryExpr", "a shift counts by what is not negative"},
		row{"unary", "UnaryExpr", "the address of what is no struct is that of a new variable"},
		row{"(x)", "ParenExpr", "where the order of operators needs it"},
		row{"literal of a struct, array, slice or map", "CompositeLit", "with all types; a " +
			"variable that others see gets a copy"},
		row{"key: value", "KeyValueExpr", "fields have their names"},
		row{"function", "FuncLit", "it has a name"},
		row{"call", "CallExpr", "structs, arrays and floats keep the signs of zeros; calls that " +
			"may change what stands beside them are first"},
		row{"f(g())", "", "the results of g have names"},
		row{"call with a variable number of arguments", "Ellipsis", "they are a slice"},
		row{"conversion", "", "of 64 bits to float32 by a function that rounds once"},
		row{"function of a package as a value", "", "a function literal that calls it"},
		row{"method as a value, T.method", "", "a function literal that calls it; " +
			"what it is called on is copied"},
		row{"type assertion", "TypeAssertExpr", "a function that asks for the number of the " +
			"type, and copies the value"},
		row{"conversion to an interface", "", "a new box with a copy"},
		row{"method of an interface", "", "a function that asks for the number of the type, and " +
			"calls its method"},
		row{"comparison of interfaces", "", "a compiled function: numbers of types, then values"},
		row{"generic function of another package", "", "the one for float64, int or string"})...)
	return append(list,
		refused(part, "instance with several types", "IndexListExpr",
			"slices.SortFunc[[]int, int](nil, nil)", "slices.Sort([]int{})"),
		refused(part, "type assertion of an error", "", "var err error; _ = err.(*fault)",
			"var err error; _ = errors.Is(err, errFault)"),
		refused(part, "conversion to an interface of another package", "",
			"errs := []error{&fault{}}; _ = errs", "errs := []error{failed()}; _ = errs"),
		refused(part, "what cannot be parsed", "BadExpr", "n = )", "n = 1"))
}

func operatorForms() []Production {
	const part = "operator"
	var list []Production
	for _, op := range strings.Fields("+ - * / % & | ^ &^ == != < <= > >= !") {
		list = append(list, Production{Part: part, Name: op, Node: op, Verdict: Same})
	}
	for _, op := range strings.Fields("+= -= *= /= %= &= |= ^= <<= >>= &^= ++ --") {
		list = append(list, Production{Part: part, Name: op, Node: op, Verdict: Lowered,
			How: "the place is computed once"})
	}
	for _, op := range []string{"<<", ">>"} {
		list = append(list, Production{Part: part, Name: op, Node: op, Verdict: Lowered,
			How: "by what is not negative"})
	}
	for _, op := range []string{"&&", "||"} {
		list = append(list, Production{Part: part, Name: op, Node: op, Verdict: Lowered,
			How: "an if, where the second operand needs statements"})
	}
	return append(list, refused(part, "<-", "<-", "var c <-chan int; <-c", "var c []int; _ = c"),
		Production{Part: part, Name: "~", Node: "~", Verdict: Lowered,
			How: "gone with the constraint of what is generic"})
}

func builtins() []Production {
	const part = "builtin"
	list := rows(part, Same, row{"cap", "cap", ""}, row{"delete", "delete", ""},
		row{"len", "len", ""}, row{"panic", "panic", ""})
	list = append(list, rows(part, Lowered,
		row{"append", "append", "several values are copied first"},
		row{"clear", "clear", "a compiled function"},
		row{"copy", "copy", "from the bytes of a string"},
		row{"make", "make", "sizes are of type int, and there is memory for them"},
		row{"recover", "recover", "where it is compared with nil"},
		row{"max", "max", "compiled functions"}, row{"min", "min", "compiled functions"},
		row{"new", "new", "of a value, a new variable that gets it"})...)
	const two = "re, im := 0.0, 1.0; _, _ = re, im"
	return append(list,
		refused(part, "close", "close", "var c chan int; close(c)", "var c []int; _ = c"),
		refused(part, "complex", "complex", "_ = complex(v, v)", two),
		refused(part, "imag", "imag", "_ = imag(complex(v, v))", two),
		refused(part, "real", "real", "_ = real(complex(v, v))", two),
		refused(part, "print", "print", "print(n)", "_ = fmt.Sprint(n)"),
		refused(part, "println", "println", "println(n)", "_ = fmt.Sprintln(n)"),
		refused(part, "what recover returns", "", "_ = fmt.Sprint(recover())",
			"_ = recover() != nil"))
}
