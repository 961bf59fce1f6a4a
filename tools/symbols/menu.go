package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/plugins/policy"
)

// A menu is what strategies may use: the packages of the policy, and of each the names that
// are left.
type menu struct {
	top      string   // of the module
	paths    []string // sorted
	packages map[string]*types.Package
	denied   map[string]map[string]string // by path
	kept     map[types.Object]bool        // names at the top of packages
}

// load reads the packages of the policy from what the compiler exports of them.
func load(top string) (*menu, error) {
	m := &menu{top: top, packages: map[string]*types.Package{},
		denied: map[string]map[string]string{}, kept: map[types.Object]bool{}}
	for _, p := range policy.Packages() {
		m.paths = append(m.paths, p.Path)
	}
	lookup, err := exports(top, m.paths)
	if err != nil {
		return nil, err
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", lookup)
	for _, p := range policy.Packages() {
		pkg, err := imports.Import(p.Path)
		if err != nil {
			return nil, err
		}
		m.packages[p.Path], m.denied[p.Path] = pkg, p.Denied
		for _, name := range pkg.Scope().Names() {
			_, denied := p.Denied[name]
			wanted := p.Only == nil || slices.Contains(p.Only, name)
			if token.IsExported(name) && !denied && wanted {
				m.kept[pkg.Scope().Lookup(name)] = true
			}
		}
		for _, name := range p.Only {
			if pkg.Scope().Lookup(name) == nil {
				return nil, fmt.Errorf("%s has no %s", p.Path, name)
			}
		}
	}
	m.prune()
	return m, nil
}

// exports returns where the compiler's export data of packages and of all below them lie.
func exports(top string, paths []string) (func(path string) (io.ReadCloser, error), error) {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	cmd := exec.Command("go", append(args, paths...)...)
	cmd.Dir, cmd.Stderr = top, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	at := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		path, export, _ := strings.Cut(lines.Text(), "\t")
		at[path] = export
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(at[path]) }, lines.Err()
}

// prune drops names that need what is not there, until none is left.
func (m *menu) prune() {
	for again := true; again; {
		again = false
		for _, path := range m.paths {
			for _, name := range m.packages[path].Scope().Names() {
				o := m.packages[path].Scope().Lookup(name)
				if m.kept[o] && !m.usable(o) {
					delete(m.kept, o)
					again = true
				}
			}
		}
	}
}

// usable reports whether everything is there that a name cannot do without. A struct can do
// without fields and a type without methods, an interface without none.
func (m *menu) usable(o types.Object) bool {
	t, isType := o.(*types.TypeName)
	switch {
	case !isType:
		return m.speaks(o.Type())
	case t.IsAlias():
		return m.speaks(types.Unalias(t.Type()))
	}
	switch u := t.Type().Underlying().(type) {
	case *types.Struct:
		return true
	case *types.Interface:
		for f := range u.Methods() {
			if !f.Exported() || !m.speaks(f.Type()) {
				return false
			}
		}
		return true
	default:
		return m.speaks(u)
	}
}

// speaks reports whether a type mentions nothing but what strategies may use.
func (m *menu) speaks(t types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return m.names(t.Obj()) && m.speaks(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if !m.speaks(arg) {
				return false
			}
		}
		return m.names(t.Origin().Obj())
	case *types.Pointer:
		return m.speaks(t.Elem())
	case *types.Slice:
		return m.speaks(t.Elem())
	case *types.Array:
		return m.speaks(t.Elem())
	case *types.Map:
		return m.speaks(t.Key()) && m.speaks(t.Elem())
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			if !m.speaks(p.Constraint()) {
				return false
			}
		}
		return m.speaksAll(t.Params()) && m.speaksAll(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() || !m.speaks(f.Type()) {
				return false
			}
		}
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Chan:
		return false
	}
	return true // type parameters, any, and the constraints written in place
}

func (m *menu) speaksAll(list *types.Tuple) bool {
	for v := range list.Variables() {
		if !m.speaks(v.Type()) {
			return false
		}
	}
	return true
}

// names reports whether strategies may use a type by its name.
func (m *menu) names(t *types.TypeName) bool { return t.Pkg() == nil || m.kept[t] }

// objects returns the names of a package that are left, sorted.
func (m *menu) objects(path string) (list []types.Object) {
	scope := m.packages[path].Scope()
	for _, name := range scope.Names() {
		if o := scope.Lookup(name); m.kept[o] {
			list = append(list, o)
		}
	}
	return list
}
