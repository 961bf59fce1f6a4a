package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/normal"
	"github.com/hansa-fl/hansa/registry"
)

const (
	opening = "<!-- generated: "
	closing = "<!-- end -->"
)

// generators make what stands in blocks, by name.
var generators = map[string]func(top string) (string, error){
	"menu": menu, "references": references, "experiments": experiments,
	"computed wrongly": dialect("computed wrongly"), "unknown": dialect("unknown"),
	"kept out": dialect("kept out"), "samples": samples, "imports": imports, "limits": limits,
	"strategy kinds": strategyKinds,
	"productions":    func(string) (string, error) { return normal.Table(), nil },
	"corpora":        otherPrograms,
	"grammar":        grammar,
	"claims":         allClaims,
	"contradictions": allContradictions,
	"helpers":        helpers, "without loops": withoutLoops,
}

// replaceBlocks makes every generated block of a text anew.
func replaceBlocks(text, top string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, opening)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, rest, ok := strings.Cut(rest, " -->\n")
		_, after, closed := strings.Cut(rest, closing)
		generate := generators[name]
		if !ok || !closed || generate == nil {
			return "", fmt.Errorf("a generated block %q is not one of %v, or has no end",
				name, slices.Sorted(maps.Keys(generators)))
		}
		body, err := generate(top)
		if err != nil {
			return "", err
		}
		out.WriteString(opening + name + " -->\n" + body + closing)
		text = after
	}
}

// menu lists all components by kind.
func menu(string) (string, error) {
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, k := range reg.Kinds() {
		fmt.Fprintf(&b, "**%s** — %s\n\n", k.Name, k.Meaning)
		b.WriteString("| name | what it is | parameters |\n|---|---|---|\n")
		for _, e := range k.Entries {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Name, escape(e.Summary), parameters(e.Params))
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// parameters names what an entry takes, with defaults where there are any.
func parameters(specs []fl.Spec) string {
	var parts []string
	for _, s := range specs {
		needed := ""
		if s.Required {
			needed = " (required)"
		}
		switch {
		case s.Kind == "choice":
			options := slices.Clone(s.Options)
			for i, o := range options {
				if o == s.Default {
					options[i] = "**" + o + "**"
				}
			}
			names := strings.Join(options, ", ")
			parts = append(parts, fmt.Sprintf("`%s`%s %s", s.Name, needed, names))
		case s.Default == nil:
			parts = append(parts, "`"+s.Name+"`"+needed)
		case s.Kind == "ints":
			list := strings.ReplaceAll(fmt.Sprint(s.Default), " ", ", ")
			parts = append(parts, fmt.Sprintf("`%s` %s", s.Name, list))
		default:
			parts = append(parts, fmt.Sprintf("`%s` %v", s.Name, s.Default))
		}
	}
	return escape(strings.Join(parts, " · "))
}

func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// references lists the bibliography.
func references(string) (string, error) {
	var b strings.Builder
	papers := builtin.Papers()
	for _, key := range slices.Sorted(maps.Keys(papers)) {
		fmt.Fprintf(&b, "- `%s` %s\n", key, papers[key])
	}
	return b.String(), nil
}

// experiments lists the experiment files with what their comments say of them.
func experiments(top string) (string, error) {
	var b strings.Builder
	b.WriteString("| file | what it shows | runs |\n|---|---|---:|\n")
	err := eachExperiment(top, func(name string, spec *study.Spec) error {
		cells, err := spec.Expand()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %d |\n",
			name, name, escape(comment(spec.Source)), len(cells))
		return nil
	})
	return b.String(), err
}

// comment returns the comment at the top of an experiment file.
func comment(source string) string {
	var words []string
	for line := range strings.Lines(source) {
		text, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		words = append(words, strings.Fields(text)...)
	}
	return strings.Join(words, " ")
}
