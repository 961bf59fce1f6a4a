// Package registry names components, describes them and builds them. What differs between kinds of
// components stands in kind.go; all else iterates over them.
package registry

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Table holds the entries of one kind by name.
type Table[T any] struct {
	entries map[string]fl.Entry[T]
	names   []string // of entries, sorted
}

// nameForm is the form of the names of components.
var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Named reports whether a component can be called so: words of [a-z0-9], joined by -.
func Named(name string) bool { return nameForm.MatchString(name) }

// Add registers entries. A name can be taken only once.
func (t *Table[T]) Add(entries ...fl.Entry[T]) error {
	if t.entries == nil {
		t.entries = map[string]fl.Entry[T]{}
	}
	var errs []error
	for _, e := range entries {
		switch _, taken := t.entries[e.Name]; {
		case !Named(e.Name):
			errs = append(errs, fmt.Errorf("registry: %q is no name: want [a-z0-9] and -", e.Name))
		case taken:
			errs = append(errs, fmt.Errorf("registry: %q is already registered", e.Name))
		case e.New == nil:
			errs = append(errs, fmt.Errorf("registry: %q has no New", e.Name))
		default:
			t.entries[e.Name] = e
			at, _ := slices.BinarySearch(t.names, e.Name)
			t.names = slices.Insert(t.names, at, e.Name)
		}
	}
	return errors.Join(errs...)
}

// Names lists what is registered, sorted.
func (t *Table[T]) Names() []string { return slices.Clone(t.names) }

// Get returns the entry called name.
func (t *Table[T]) Get(name string) (fl.Entry[T], bool) {
	e, ok := t.entries[name]
	return e, ok
}

// A Description is what an entry says of itself.
type Description struct {
	Kind, Name string
	Summary    string
	Paper      string
	Deviations string
	Params     []fl.Spec
	Example    map[string]any
	Waives     map[string]string
	Says       []string // what it can do that others of its kind cannot, in sentences
	Source     string   // digest of the code of a strategy; empty: it is built in
}

// describe lists the entries of the kind, sorted by name, with what they declare when they are
// built from nothing.
func (k KindOf[T]) describe(r *Registry) []Description {
	var list []Description
	t := k.table(r)
	for _, name := range t.Names() {
		e := t.entries[name]
		p := fl.NewParams(nil, fl.Setting{}, nil)
		k.declares(p)
		// An error here is the contract's business; what was declared stands anyway.
		c, _ := e.New(p)
		d := Description{Kind: k.Name, Name: name, Summary: e.Summary, Paper: e.Paper,
			Deviations: e.Deviations, Params: p.Specs(), Example: e.Example, Waives: e.Waives,
			Source: e.Source}
		if k.says != nil {
			d.Says = k.says(e, c)
		}
		list = append(list, d)
	}
	return list
}

// Kinds describes the whole registry, in the order in which a reader of an experiment
// meets the kinds.
func (r *Registry) Kinds() (list []Kind) {
	for _, k := range kinds() {
		f := k.Facts()
		f.Entries = k.describe(r)
		list = append(list, f)
	}
	return list
}

// KindNamed returns the kind of a name, or false.
func KindNamed(name string) (Kind, bool) {
	k, ok := kindNamed(name)
	if !ok {
		return Kind{}, false
	}
	return k.Facts(), true
}

// Declare declares the parameters that all components of a kind have beside their own.
func Declare(kind string, p *fl.Params) {
	if k, ok := kindNamed(kind); ok {
		k.declares(p)
	}
}

func kindNamed(name string) (kind, bool) {
	list := kinds()
	i := slices.IndexFunc(list, func(k kind) bool { return k.name() == name })
	if i < 0 {
		return nil, false
	}
	return list[i], true
}

// Merge adds the entries of another registry.
func (r *Registry) Merge(from *Registry) error {
	var errs []error
	for _, k := range kinds() {
		errs = append(errs, k.merge(r, from))
	}
	return errors.Join(errs...)
}

// Written stands in the error of a guard that saw a call write to what it may only read. Guards
// look at every call, so that it is seen by whatever asks first.
const Written = "which it may only read"
