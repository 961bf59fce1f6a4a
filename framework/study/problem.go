package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Pos is a place in an experiment file, or on the command line.
type Pos struct {
	File string // as the user named it; "--set", "--seeds", "--only"; "default": set by no file
	Line int    // from 1; 0 when there is no line
	Col  int    // from 1, in characters
	Len  int    // in characters, at most to the end of the line

	text *string // of the file, so that a Problem can show its line; nil when there is none
}

// String returns the place as compilers write it.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// In returns the place with the text of its file, so that a Problem can show the line.
func (p Pos) In(text *string) Pos {
	p.text = text
	return p
}

// A Span is where a key was written, and where its value was.
type Span struct{ Key, Value Pos }

// A Problem is one mistake of the user.
type Problem struct {
	Pos     Pos
	Message string // lower case, no full stop
	Hint    string // what is allowed, or what was probably meant; may be empty
}

// Problems are all mistakes that were found; none of them is reported alone when there
// are others.
type Problems []Problem

// Error returns one line per problem, in the order of the file.
func (ps Problems) Error() string {
	var lines []string
	for _, p := range ps.tidy() {
		line := p.Message
		if p.Pos.File != "" {
			line = p.Pos.String() + ": " + line
		}
		if p.Hint != "" {
			line += " (" + p.Hint + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// tidy returns the problems in the order of the file, each once; those without a line
// come last. A mistake in one line may surface in every cell that the line decides.
func (ps Problems) tidy() Problems {
	ps = slices.Clone(ps)
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			-cmp.Compare(min(a.Pos.Line, 1), min(b.Pos.Line, 1)),
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
		)
	})
	seen := map[Problem]bool{}
	return slices.DeleteFunc(ps, func(p Problem) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}

// Tidy returns the problems in the order of the file, each once.
func (ps Problems) Tidy() Problems { return ps.tidy() }

// orNil returns the problems as an error, nil when there are none.
func (ps Problems) orNil() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
