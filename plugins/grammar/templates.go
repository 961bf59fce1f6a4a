package grammar

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed productions/*.txt contexts.txt
var files embed.FS

// A Production is a template for a piece of a program.
type Production struct {
	Group string // of similar ones
	Name  string // with its operator and its type

	of   *kind             // that it is about, or nil
	top  string            // declarations of the package
	body string            // statements
	not  map[string]string // contexts that are impossible, and why
}

// A Context is what surrounds a production.
type Context struct {
	Name string
	text string
}

// A section of a file of templates begins with a line "-- head --".
var sectionHead = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// sections cuts a text at its heads.
func sections(text string) (heads, bodies []string) {
	at := sectionHead.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		heads = append(heads, text[m[2]:m[3]])
		bodies = append(bodies, text[m[1]:end])
	}
	return heads, bodies
}

// readContexts returns all contexts.
func readContexts() ([]Context, error) {
	text, err := files.ReadFile("contexts.txt")
	if err != nil {
		return nil, err
	}
	var list []Context
	heads, bodies := sections(string(text))
	for i, head := range heads {
		list = append(list, Context{head, bodies[i]})
	}
	return list, nil
}

// readProductions returns all productions: one for each type and each operator of a template.
func readProductions(kinds []*kind) ([]*Production, error) {
	var list []*Production
	names, err := fs.Glob(files, "productions/*.txt")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		heads, bodies := sections(string(text))
		for i, head := range heads {
			more, err := expand(head, bodies[i], kinds)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, head, err)
			}
			for _, p := range more {
				if seen[p.Group+"/"+p.Name] {
					return nil, fmt.Errorf("%s: two productions are called %s", name, p.Name)
				}
				seen[p.Group+"/"+p.Name] = true
			}
			list = append(list, more...)
		}
	}
	return list, nil
}

// expand returns the productions of a template. Its head is "group / name | types: … | ops: …".
func expand(head, body string, kinds []*kind) (list []*Production, err error) {
	head, operators, _ := strings.Cut(head, " | ops: ") // of which | may be one
	head, sets, typed := strings.Cut(head, " | types: ")
	group, name, ok := strings.Cut(head, " / ")
	if !ok {
		return nil, fmt.Errorf("the head has no group")
	}
	types, ops := []*kind{nil}, []string{""}
	if typed {
		types = among(kinds, strings.Fields(sets))
	}
	if operators != "" {
		ops = strings.Fields(operators)
	}
	if len(types) == 0 {
		return nil, fmt.Errorf("there are no such types")
	}
	not, body, err := impossible(body)
	if err != nil {
		return nil, err
	}
	top, statements, ok := strings.Cut(body, "----\n")
	if !ok {
		top, statements = "", body
	}
	for _, of := range types {
		for _, op := range ops {
			with := func(text string) string { return strings.ReplaceAll(text, "$O", op) }
			p := &Production{Group: group, Name: with(name), of: of, not: not,
				top: with(top), body: with(statements)}
			if of != nil {
				p.Name += " · " + of.name
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// impossible takes the lines "not CONTEXT: why" off a template.
func impossible(body string) (not map[string]string, rest string, err error) {
	not = map[string]string{}
	for strings.HasPrefix(body, "not ") {
		var line string
		line, body, _ = strings.Cut(body, "\n")
		context, why, ok := strings.Cut(strings.TrimPrefix(line, "not "), ": ")
		if !ok {
			return nil, "", fmt.Errorf("%q does not say why", line)
		}
		not[context] = why
	}
	return not, body, nil
}

// among returns the kinds that are in one of the sets, or have one of the names. A set that
// begins with - is taken away.
func among(kinds []*kind, sets []string) (list []*kind) {
	for _, k := range kinds {
		in := false
		for _, set := range sets {
			if less, away := strings.CutPrefix(set, "-"); away {
				in = in && !k.in(less)
			} else {
				in = in || k.in(set)
			}
		}
		if in {
			list = append(list, k)
		}
	}
	return list
}
