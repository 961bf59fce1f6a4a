package grammar

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
)

// all returns the text of the programs of one pass.
func all(t *testing.T) (sources []string) {
	t.Helper()
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range g.Programs(1, 0, g.PerPass()) {
		text, err := g.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, text.Source)
	}
	return sources
}

// see is the package to which programs hand what they compute.
const see = "package see\nfunc Int(x int64)\nfunc Uint(x uint64)\nfunc Float(x float64)\n" +
	"func Text(x string)\nfunc Bool(x bool)\nfunc Hold()\nfunc Held() string\n"

// withSee is an importer that knows that package, and those of the standard library.
type withSee struct {
	types.Importer
	see *types.Package
}

// Import implements types.Importer.
func (w withSee) Import(path string) (*types.Package, error) {
	if path == "see" {
		return w.see, nil
	}
	return w.Importer.Import(path)
}

// Programs are valid Go: what is refused of them is refused by hansa alone.
func TestProgramsAreGo(t *testing.T) {
	fset := token.NewFileSet()
	check := func(name, source string, conf types.Config) *types.Package {
		file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		pkg, err := conf.Check(name, fset, []*ast.File{file}, nil)
		if err != nil {
			t.Errorf("%v\n%s", err, source)
		}
		return pkg
	}
	conf := types.Config{Importer: withSee{importer.ForCompiler(fset, "source", nil),
		check("see", see, types.Config{IgnoreFuncBodies: true})}}
	for _, source := range all(t) {
		check("p.go", source, conf)
	}
}

// Every token of Go occurs in the programs, and every kind of node of a syntax tree.
func TestProgramsHoldAllOfTheGrammar(t *testing.T) {
	nodes, tokens := map[string]bool{}, map[token.Token]bool{}
	for _, source := range all(t) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				nodes[reflect.TypeOf(n).Elem().Name()] = true
			}
			return true
		})
		var s scanner.Scanner
		s.Init(fset.AddFile("s.go", -1, len(source)), []byte(source), nil, 0)
		for {
			_, tok, _ := s.Scan()
			if tokens[tok] = true; tok == token.EOF {
				break
			}
		}
	}
	const kinds = "Ident Ellipsis BasicLit FuncLit CompositeLit ParenExpr SelectorExpr IndexExpr " +
		"IndexListExpr SliceExpr TypeAssertExpr CallExpr StarExpr UnaryExpr BinaryExpr KeyValueExpr " +
		"ArrayType StructType FuncType InterfaceType MapType ChanType DeclStmt EmptyStmt LabeledStmt " +
		"ExprStmt SendStmt IncDecStmt AssignStmt GoStmt DeferStmt ReturnStmt BranchStmt BlockStmt IfStmt " +
		"CaseClause SwitchStmt TypeSwitchStmt CommClause SelectStmt ForStmt RangeStmt ImportSpec " +
		"ValueSpec TypeSpec GenDecl FuncDecl Field FieldList File"
	for _, kind := range strings.Fields(kinds) {
		if !nodes[kind] {
			t.Errorf("no program has a node %s", kind)
		}
	}
	for tok := token.IDENT; tok <= token.TILDE; tok++ {
		literal := tok <= token.STRING
		if (literal || tok.IsOperator() || tok.IsKeyword()) && !tokens[tok] {
			t.Errorf("no program has a token %s", tok)
		}
	}
}

// The programs of a seed are always the same, those of another seed are others, and one pass uses
// every cell once.
func TestProgramsAreThoseOfTheSeed(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Cell]int{}
	for _, p := range g.Programs(1, 0, g.PerPass()) {
		for _, u := range p.Uses {
			for _, c := range u.Cells() {
				seen[c]++
			}
		}
	}
	for _, c := range g.Cells() {
		if seen[c] != 1 {
			t.Errorf("%s is used %d times", g.CellName(c), seen[c])
		}
	}
	write := func(seed uint64) string {
		text, err := g.Write(g.Programs(seed, 5, 6)[0])
		if err != nil {
			t.Fatal(err)
		}
		return text.Source
	}
	if write(1) != write(1) || write(1) == write(2) {
		t.Error("a program is not that of its seed")
	}
}

// The matrix tells cells apart by what became of them.
func TestMatrix(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	m, cells := g.NewMatrix(), g.Cells()
	if missing := m.Missing(); len(missing) != len(cells) {
		t.Errorf("%d of %d cells are missing at first", len(missing), len(cells))
	}
	use := func(i int) Use { return Use{Cell: cells[i], Beside: none} }
	m.Equal(use(0))
	m.Equal(use(1))
	if m.Differs(use(1)) {
		t.Error("a difference is known without being open")
	}
	for range often {
		if m.GivenUp(cells[2]) {
			t.Error("a cell is given up too early")
		}
		m.Refused(cells[2], "no")
	}
	if !m.GivenUp(cells[2]) || m.GivenUp(cells[0]) || m.GivenUp(cells[3]) {
		t.Error("cells are given up that should not be, or not those that should")
	}
	got := m.Totals(func(*Production, Context) bool { return true })
	if got.Equal != 1 || got.Differ != 1 || got.Refused != 1 || got.Cells != len(cells) {
		t.Errorf("totals are %v", got)
	}
	if missing := m.Missing(); len(missing) != len(cells)-3 {
		t.Errorf("%d cells are missing", len(missing))
	}
	if report := m.Report(); !strings.Contains(report, "1 different") ||
		!strings.Contains(report, "| no |") || !strings.Contains(report, g.Size()) {
		t.Error(report)
	}
}

// A smaller program has one cut, and what it does not need is left out.
func TestSmaller(t *testing.T) {
	const source = "package programs\n\nimport (\n\t\"math\"\n\t\"see\"\n)\n\nfunc spare() {}\n" +
		"func Run1() {\n\tx := math.Abs(1)\n\tif x > 0 {\n\t\tsee.Float(x + 2)\n\t}\n}\n"
	list := strings.Join(Smaller(source), "\n----\n")
	for _, part := range []string{"see.Float(x)", "see.Float(2)", "x := 1\n", "\t\tsee.Float(x + 2)\n}"} {
		if !strings.Contains(list, part) {
			t.Errorf("no program has %q:\n%s", part, list)
		}
	}
	if needed := Needed(source); strings.Contains(needed, "spare") {
		t.Error(needed)
	}
	const unused = "package programs\n\nimport (\n\t\"see\"\n)\n\nfunc Run1() {\n\tx := 1\n\tsee.Int(2)\n}\n"
	if got := Unused(unused, "x", 8); strings.Contains(got, "x :=") {
		t.Error(got)
	}
}
