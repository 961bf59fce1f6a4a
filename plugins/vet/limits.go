package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Limit is how much of something a strategy may have, in all of its files. Every component that
// is built interprets the strategy anew. One that is at its limits loads within a few seconds;
// beyond them it would take minutes.
type Limit struct {
	Of   string // what is counted, in the plural
	Most int
	Cure string // what to do about a strategy that has more
}

// Indices of Limits.
const (
	ofBytes = iota
	ofFunctions
	ofStatements
	ofElements
	ofLevels
	ofInstances
	ofParts
)

// Limits lists all limits of a strategy.
func Limits() []Limit {
	return []Limit{
		ofBytes: {"bytes of source", 256 << 10, "compute a table, or take it from the data set " +
			"or from a parameter; write a loop instead of code that a program has written"},
		ofFunctions: {"functions", 1000, "give one function an argument that says what differs"},
		ofStatements: {"statements", 5000,
			"write a loop, or call a function that has the statements once"},
		ofElements: {"elements of literals", 10_000,
			"compute the table, or take it from the data set or from a parameter"},
		ofLevels: {"levels of nesting", 300, "name parts of the expression, or make a function " +
			"of an inner block; n operators in a row are n levels"},
		ofInstances: {"lists of type arguments", 200, "name the types that are needed; a generic " +
			"function that calls two others with new types doubles them with every call"},
		ofParts: {"elements and fields in one value", 100_000, "use a slice"},
	}
}

// exceeds refuses a strategy with more of something than it may have, before anything is done with
// it that takes long. Of each limit the node is named that takes the strategy beyond it.
func (c *checker) exceeds() {
	n := 0
	for _, s := range c.sources {
		if n += len(s.Text); n > Limits()[ofBytes].Most {
			at := study.Pos{File: s.Name}
			c.problems = append(c.problems, Limits()[ofBytes].problem(n, at))
			return
		}
	}
	c.exceedsTrees()
}

// exceedsTrees is exceeds for what the syntax trees have, as they are or with generic functions
// written out.
func (c *checker) exceedsTrees() {
	limits := Limits()
	size := sizes{limits: limits, n: make([]int, len(limits)),
		beyond: make([]ast.Node, len(limits))}
	for _, s := range c.sources {
		size.measure(s.tree)
	}
	for i, n := range size.beyond {
		if n != nil {
			c.problems = append(c.problems, limits[i].problem(size.n[i], c.at(n.Pos(), n.End())))
		}
	}
}

// problem says that there is more of something than there may be.
func (l Limit) problem(n int, at study.Pos) study.Problem {
	return study.Problem{Pos: at, Hint: l.Cure,
		Message: fmt.Sprintf("%s %s, and a strategy may have %s", thousands(n), l.Of,
			thousands(l.Most))}
}

// String says the limit: "1,000 functions".
func (l Limit) String() string { return thousands(l.Most) + " " + l.Of }

// thousands returns a number as it is read: 300,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// sizes counts what limits are of.
type sizes struct {
	limits []Limit
	n      []int      // by limit
	beyond []ast.Node // that took the number beyond its limit
	table  ast.Node   // the outermost literal around what is visited
}

// measure counts what a tree has.
func (s *sizes) measure(tree ast.Node) {
	var stack []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			last := stack[len(stack)-1]
			if stack = stack[:len(stack)-1]; last == s.table {
				s.table = nil
			}
			return true
		}
		stack = append(stack, n)
		s.count(ofLevels, max(0, len(stack)-s.n[ofLevels]), n)
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			s.count(ofFunctions, 1, n)
		case *ast.BlockStmt:
		case ast.Stmt:
			s.count(ofStatements, 1, n)
		case *ast.CompositeLit:
			if s.table == nil {
				s.table = n
			}
			s.count(ofElements, len(n.Elts), s.table)
		}
		return true
	})
}

// count adds to one of the numbers, and notes the node with which it is too high.
func (s *sizes) count(limit, more int, n ast.Node) {
	s.n[limit] += more
	if s.beyond[limit] == nil && s.n[limit] > s.limits[limit].Most {
		s.beyond[limit] = n
	}
}

// exceedsParts refuses types whose values have too many elements and fields: they are copied one by
// one, and with every level of arrays or structs their number may double.
func (c *checker) exceedsParts() {
	limit := Limits()[ofParts]
	known := map[types.Type]float64{}
	for _, s := range c.sources {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ArrayType, *ast.StructType:
				parts := partsOf(c.info.TypeOf(n.(ast.Expr)), known)
				if parts > float64(limit.Most) {
					at := c.at(n.Pos(), n.End())
					c.problems = append(c.problems, limit.problem(int(min(parts, 1e18)), at))
					return false
				}
			}
			return true
		})
	}
}

// partsOf returns how many elements and fields a value of a type has, itself counted.
func partsOf(t types.Type, known map[types.Type]float64) float64 {
	if n, ok := known[t]; ok {
		return n
	}
	known[t] = 1 // of what is made of itself: the type checker has refused it
	n := 1.0
	switch u := t.Underlying().(type) {
	case *types.Array:
		n += float64(u.Len()) * partsOf(u.Elem(), known)
	case *types.Struct:
		for f := range u.Fields() {
			n += partsOf(f.Type(), known)
		}
	}
	known[t] = n
	return n
}
