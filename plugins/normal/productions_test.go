package normal_test

import (
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
	"github.com/hansa-fl/hansa/plugins/normal"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// Every node of package ast, every operator and every builtin has a row, and no row is of what
// does not exist.
func TestTheTableIsComplete(t *testing.T) {
	there := map[string]bool{}
	for _, name := range nodes(t) {
		there[name] = true
	}
	for tok := token.ADD; tok <= token.TILDE; tok++ {
		if tok.IsOperator() && !strings.ContainsAny(tok.String(), "()[]{},;:.") {
			there[tok.String()] = true
		}
	}
	there[token.DEFINE.String()] = true
	for _, name := range types.Universe.Names() {
		if _, builtin := types.Universe.Lookup(name).(*types.Builtin); builtin {
			there[name] = true
		}
	}
	seen := map[string]bool{}
	for _, p := range normal.Productions() {
		switch {
		case p.Node == "":
		case !there[p.Node]:
			t.Errorf("%s: there is no %s", p.Name, p.Node)
		case seen[p.Node]:
			t.Errorf("%s has two rows", p.Node)
		}
		seen[p.Node] = true
		if (p.Verdict == normal.Lowered) != (p.How != "") {
			t.Errorf("%s %s: %s by %q", p.Part, p.Name, p.Verdict, p.How)
		}
	}
	for name := range there {
		if !seen[name] && name != "Unsafe" {
			t.Errorf("%s has no row", name)
		}
	}
}

// nodes returns the names of the types of package ast that are nodes.
func nodes(t *testing.T) (names []string) {
	t.Helper()
	pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import("go/ast")
	if err != nil {
		t.Fatal(err)
	}
	node := pkg.Scope().Lookup("Node").Type().Underlying().(*types.Interface)
	for _, name := range pkg.Scope().Names() {
		o, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if ok && ast.IsExported(name) && !types.IsInterface(o.Type()) &&
			types.Implements(types.NewPointer(o.Type()), node) {
			names = append(names, name)
		}
	}
	if len(names) < 50 {
		t.Fatalf("package ast has %d nodes: %v", len(names), names)
	}
	return names
}

// What is refused is refused, and its cure is not.
func TestCures(t *testing.T) {
	for _, p := range normal.Productions() {
		if p.Verdict != normal.Refused {
			continue
		}
		if said := vetted(p.Example); said == "" {
			t.Errorf("%s %s: %s is not refused", p.Part, p.Name, p.Example)
		}
		if said := vetted(p.Cure); said != "" {
			t.Errorf("%s %s: instead of %s: %s", p.Part, p.Name, p.Example, said)
		}
	}
}

// vetted returns what is wrong with a line.
func vetted(line string) string {
	top, inside := "", line
	if outside, ok := strings.CutPrefix(line, "top "); ok {
		top, inside = outside, ""
	}
	text := strings.NewReplacer("TOP", top, "INSIDE", inside).Replace(around)
	_, problems := vet.CheckProgram([]vet.File{{Name: "x.go", Text: text}}, nil)
	if problems == nil {
		return ""
	}
	return problems.Error()
}

const around = `package p

import (
	"errors"
	"fmt"
	"slices"
)

TOP

type pair struct{ x, y float64 }

func (p *pair) norm() float64 { return p.x + p.y }

type fault struct{}

func (*fault) Error() string { return "" }

func failed() error { return &fault{} }

func count(n int) int { return n }

func each(yield func(float64) bool) { yield(1) }

var errFault = errors.New("fault")
var _, _ = fmt.Sprint(), slices.Contains([]int{1}, 1)

func f(n int, v float64) {
	INSIDE
}
`
