package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// comments are what a package of ours says of its names: of the package itself by "", of a
// function or type by its name, of a method or field by Type.Name.
type comments struct {
	above  map[string]string // on lines of their own
	beside map[string]string // at the end of the line
}

// readComments reads the comments of a package below a folder. Those of the standard library
// are wherever Go is, and are not read.
func readComments(top, path string) (*comments, error) {
	c := &comments{map[string]string{}, map[string]string{}}
	below, ours := strings.CutPrefix(path, module)
	if !ours {
		return c, nil
	}
	files, err := filepath.Glob(filepath.Join(top, "framework", below, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		c.note("", tree.Doc, nil)
		for _, d := range tree.Decls {
			c.declaration(d)
		}
	}
	return c, nil
}

// note keeps what is said of a name.
func (c *comments) note(name string, above, beside *ast.CommentGroup) {
	if text := above.Text(); text != "" {
		c.above[name] = text
	}
	if text := beside.Text(); text != "" {
		c.beside[name] = strings.TrimSpace(text)
	}
}

func (c *comments) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		c.note(name, d.Doc, nil)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			c.spec(d, spec)
		}
	}
}

// spec keeps what is said of one name of a declaration. What is said of several together
// belongs to none.
func (c *comments) spec(d *ast.GenDecl, spec ast.Spec) {
	alone := d.Doc
	if d.Lparen.IsValid() {
		alone = nil
	}
	switch s := spec.(type) {
	case *ast.TypeSpec:
		c.note(s.Name.Name, cmp.Or(s.Doc, alone), nil)
		switch t := s.Type.(type) {
		case *ast.StructType:
			c.members(s.Name.Name, t.Fields)
		case *ast.InterfaceType:
			c.members(s.Name.Name, t.Methods)
		}
	case *ast.ValueSpec:
		for _, id := range s.Names {
			c.note(id.Name, cmp.Or(s.Doc, alone), s.Comment)
		}
	}
}

// members keeps what is said of the fields or methods of a type.
func (c *comments) members(of string, list *ast.FieldList) {
	for _, f := range list.List {
		for _, id := range f.Names {
			c.note(of+"."+id.Name, f.Doc, f.Comment)
		}
	}
}

// receiver returns the name of the type of a receiver.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// above writes what is said above a name.
func (w *writer) above(name string) {
	if text := w.said.above[name]; text != "" {
		w.print("\n%s", commented(text))
	}
}

// commented returns text as a comment.
func commented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("// "+line, " \n") + "\n")
	}
	return b.String()
}

// beside returns what is said at the end of the line of a name.
func (w *writer) beside(name string) string {
	if text := w.said.beside[name]; text != "" {
		return " // " + text
	}
	return ""
}
