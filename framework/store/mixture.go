package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Mixture counts by which programs, and on which kinds of processors, cells were run. The zero
// Mixture has counted none.
type Mixture struct{ builds, kinds map[string]int }

// Add counts the cell of an attempt; a nil one says nothing.
func (m *Mixture) Add(a *Attempt) {
	if a == nil {
		return
	}
	if m.builds == nil {
		m.builds, m.kinds = map[string]int{}, map[string]int{}
	}
	m.builds[a.program()]++
	if e := a.Environment; e != nil && e.Numerics != "" {
		kind := strings.TrimPrefix(e.Numerics, "program "+e.Program+" ") // as it was written once
		m.kinds[strings.TrimPrefix(kind, "source "+e.Source+" ")]++
	}
}

// program says which program ran a cell. Programs of one source are one, where that is known:
// when and where they were built is nothing that a number depends on.
func (a *Attempt) program() string {
	b := a.Build
	made := b.Go + " " + b.Platform
	switch {
	case a.Environment != nil && a.Environment.Source != "":
		return fmt.Sprintf("source %.12s, %s", a.Environment.Source, made)
	case b.Revision != "" && !b.Modified:
		return fmt.Sprintf("revision %.12s, %s", b.Revision, made)
	case a.Environment != nil && a.Environment.Program != "":
		return fmt.Sprintf("program %.12s, %s", a.Environment.Program, made)
	}
	return "a program that does not say which it is, " + made
}

// String says in one sentence what was mixed, and how many cells are of each. It is empty where
// all cells are of one program and one kind of processor, as far as that is known.
func (m *Mixture) String() string {
	var mixed []string
	for _, list := range []struct {
		of string
		by map[string]int
	}{{"builds of hansa", m.builds}, {"kinds of arithmetic", m.kinds}} {
		if len(list.by) > 1 {
			text := fmt.Sprintf("%d %s (%s)", len(list.by), list.of, counted(list.by))
			mixed = append(mixed, text)
		}
	}
	if len(mixed) == 0 {
		return ""
	}
	return "training runs come from " + strings.Join(mixed, " and from ") + ": their last bits " +
		"may differ"
}

// counted lists what cells are of, most of them first.
func counted(by map[string]int) string {
	var names []string
	for name := range by {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(by[b]-by[a], strings.Compare(a, b))
	})
	for i, name := range names {
		runs := "runs"
		if by[name] == 1 {
			runs = "run"
		}
		names[i] = fmt.Sprintf("%d %s: %s", by[name], runs, name)
	}
	return strings.Join(names, "; ")
}

// Mixture counts the attempts of the cells of a plan. What it cannot read it leaves out, and the
// error is about the first of these.
func (r Run) Mixture(p *Plan) (*Mixture, error) {
	ids := slices.Clone(p.IDs)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	attempts, errs := make([]*Attempt, len(ids)), make([]error, len(ids))
	Each(len(ids), func(k int) { attempts[k], errs[k] = r.LoadAttempt(ids[k]) })
	var m Mixture
	for _, a := range attempts {
		m.Add(a)
	}
	return &m, cmp.Or(errs...)
}
