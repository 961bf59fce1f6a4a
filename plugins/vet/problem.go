package vet

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/policy"
)

// refuse reports that a node is outside the dialect, and what to write instead.
func (c *checker) refuse(n ast.Node, hint, format string, args ...any) {
	at := c.at(n.Pos(), n.End())
	c.problems = append(c.problems,
		study.Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// at returns a place of a strategy for a reader; one that ends on a later line ends with its
// first.
func (c *checker) at(from, to token.Pos) study.Pos {
	s := c.sourceOf(from)
	start := c.fset.Position(from).Offset
	return place(&s.Text, s.Name, start, c.fset.Position(to).Offset-start)
}

// place returns so many bytes of a text from an offset on as a place for a reader.
func place(text *string, name string, offset, length int) study.Pos {
	offset = min(offset, len(*text))
	before := (*text)[:offset]
	line, _, _ := strings.Cut((*text)[offset:min(offset+length, len(*text))], "\n")
	return study.Pos{
		File: name, Line: strings.Count(before, "\n") + 1,
		Col: utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1,
		Len: max(1, utf8.RuneCountInString(line)),
	}.In(text)
}

// typeError reports what the type checker found. What follows from an import that was
// refused is not reported.
func (c *checker) typeError(err error) {
	e, ok := err.(types.Error)
	if !ok || strings.Contains(e.Msg, errRefused.Error()) {
		return
	}
	if strings.Contains(e.Msg, "have Aggregate(*fl.Round) (fl.Vector, error)") &&
		c.formerAggregates() {
		return
	}
	s := c.sourceOf(e.Pos)
	offset := c.fset.Position(e.Pos).Offset
	at := place(&s.Text, s.Name, offset, tokenLength(s.Text[min(offset, len(s.Text)):]))
	c.problems = append(c.problems, study.Problem{Pos: at,
		Message: strings.Join(strings.Fields(e.Msg), " "), Hint: c.hint(s, e)})
}

// tokenLength returns the length of the token that a text begins with.
func tokenLength(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	var sc scanner.Scanner
	fset := token.NewFileSet()
	sc.Init(fset.AddFile("", -1, len(line)), []byte(line), func(token.Position, string) {}, 0)
	_, tok, lit := sc.Scan()
	if lit == "" {
		lit = tok.String()
	}
	return len(lit)
}

// hint returns what to do about an error of the type checker, or "".
func (c *checker) hint(s *source, e types.Error) string {
	if name, of, ok := strings.Cut(e.Msg, " in struct literal of type "); ok {
		return policy.Moved(of[strings.LastIndexByte(of, '.')+1:],
			strings.TrimPrefix(name, "unknown field "))
	}
	name, undefined := strings.CutPrefix(e.Msg, "undefined: ")
	pkg, member, qualified := strings.Cut(name, ".")
	if !undefined {
		return c.missingMethod(e.Msg)
	}
	if !qualified {
		return near(name, c.names())
	}
	for _, spec := range s.tree.Imports {
		path := importPath(spec)
		if importName(spec) != pkg {
			continue
		}
		if advice := policy.Advice(path, member); advice != "" {
			return advice
		}
		return near(member, c.namesOf(path))
	}
	return ""
}

// formerAggregates reports the methods that have the form of earlier versions, each once. It
// returns false where none is written with these names, as where fl is imported by another one.
func (c *checker) formerAggregates() (found bool) {
	for _, s := range c.sources {
		for _, d := range s.tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "Aggregate" ||
				f.Type.Results.NumFields() == 0 ||
				types.ExprString(f.Type.Results.List[0].Type) != "fl.Vector" {
				continue
			}
			found = true
			problem := study.Problem{Pos: c.at(f.Name.Pos(), f.Type.End()),
				Message: "Aggregate returns an fl.Outcome, not an fl.Vector",
				Hint:    policy.FormerAggregate}
			if !slices.ContainsFunc(c.problems, func(p study.Problem) bool {
				return p.Pos == problem.Pos && p.Message == problem.Message
			}) {
				c.problems = append(c.problems, problem)
			}
		}
	}
	return found
}

// missing finds the type and the name of a field or a method that is not there.
var missing = regexp.MustCompile(`(\w+) has no field or method (\w+)`)

// missingMethod returns what may have been meant where a field or a method is not there because
// the policy takes it away, or because it is gone.
func (c *checker) missingMethod(message string) string {
	m := missing.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	of, member := m[1], m[2]
	if instead := policy.Former(of, member); instead != "" {
		return instead
	}
	for _, p := range policy.Packages() {
		if advice := p.Denied[of+"."+member]; advice != "" {
			return advice
		}
	}
	return ""
}

// names are those that the strategy declares at its top.
func (c *checker) names() (names []string) {
	for _, s := range c.sources {
		for _, d := range s.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names = append(names, d.Name.Name)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names = append(names, spec.Name.Name)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							names = append(names, id.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// namesOf are those of a package that strategies may use.
func (c *checker) namesOf(path string) []string {
	p, err := newImporter(c).Import(path)
	if err != nil {
		return nil
	}
	return p.Scope().Names()
}

// near asks whether one of the names was meant, where one is near.
func near(word string, names []string) string {
	if s := study.Suggest(word, names); strings.HasPrefix(s, "did you mean") {
		return s
	}
	return ""
}

// instead returns what to import instead.
func (c *checker) instead(path string) string {
	if advice := policy.Instead(path); advice != "" {
		return advice
	}
	var paths []string
	for _, p := range policy.Packages() {
		paths = append(paths, p.Path)
	}
	return study.Suggest(path, paths)
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil { // the parser has seen that it can be
		return spec.Path.Value
	}
	return path
}

// importName returns the name by which a file knows a package.
func importName(spec *ast.ImportSpec) string {
	path := importPath(spec)
	switch {
	case spec.Name != nil:
		return spec.Name.Name
	case path == "math/rand/v2":
		return "rand"
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}
