package samples

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

//go:embed */*.go */*.toml
var files embed.FS

// A Sample is a component that one of the samples describes.
type Sample struct {
	Folder  string // of the sample, and the name of its main file
	Kind    string // as in an experiment
	Name    string
	Summary string
}

// Names lists the samples, sorted.
func Names() (names []string) {
	// What is embedded was there when this package was compiled.
	entries, _ := files.ReadDir(".")
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Files returns the files of a sample but for its tests, by their names.
func Files(sample string) (map[string]string, error) {
	if !slices.Contains(Names(), sample) {
		return nil, fmt.Errorf("samples: there is no %q", sample)
	}
	texts := map[string]string{}
	entries, err := files.ReadDir(sample)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, unread := fs.ReadFile(files, path.Join(sample, e.Name()))
		if unread != nil {
			return nil, unread
		}
		texts[e.Name()] = string(text)
	}
	return texts, err
}

// List returns the components of all samples, by folder and in the order of their files.
func List() (list []Sample, err error) {
	for _, folder := range Names() {
		texts, err := Files(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range sorted(texts) {
			if path.Ext(name) != ".go" {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), name, texts[name], 0)
			if err != nil {
				return nil, err
			}
			list = append(list, described(tree, folder)...)
		}
	}
	return list, nil
}

func sorted(texts map[string]string) (names []string) {
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// described returns the components that a file describes: literals of entries.
func described(tree *ast.File, folder string) (list []Sample) {
	kinds := map[string]string{} // by the name of their entries
	for _, k := range new(registry.Registry).Kinds() {
		kinds[k.Type+"Entry"] = k.Name
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := literal.Type.(*ast.SelectorExpr)
		if !ok || kinds[of.Sel.Name] == "" {
			return true
		}
		s := Sample{Folder: folder, Kind: kinds[of.Sel.Name]}
		for _, element := range literal.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			switch key, _ := pair.Key.(*ast.Ident); key.Name {
			case "Name":
				s.Name = text(pair.Value)
			case "Summary":
				s.Summary = text(pair.Value)
			}
		}
		list = append(list, s)
		return false
	})
	return list
}

// text returns the value of a literal, or of several that are added.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		if err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return ""
}

// Find returns the sample of a folder or, where there is none, of a component.
func Find(name string) (Sample, error) {
	list, err := List()
	if err != nil {
		return Sample{}, err
	}
	i := slices.IndexFunc(list, func(s Sample) bool { return s.Folder == name })
	if i < 0 {
		i = slices.IndexFunc(list, func(s Sample) bool { return s.Name == name })
	}
	if i < 0 {
		return Sample{}, fmt.Errorf("there is no sample %q; %s", name,
			study.Suggest(name, Names()))
	}
	return list[i], nil
}

// Of returns the samples whose component is of a kind.
func Of(kind string) []Sample {
	list, err := List()
	if err != nil {
		return nil // a test of samples fails long before a user can see this
	}
	return slices.DeleteFunc(list, func(s Sample) bool { return s.Kind != kind })
}
