package study

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// document reads a TOML document. The problem, when there is one, is its syntax: the
// toml package gives up at the first mistake.
func document(file string, src []byte) (table, Problems) {
	text := withoutMark(string(src))
	marks := scan(file, text)
	if marks.tooDeep != nil {
		message := fmt.Sprintf("nested more than %d levels deep", deepest)
		return nil, Problems{{Pos: *marks.tooDeep, Message: message}}
	}
	var values map[string]any
	if _, err := toml.Decode(string(src), &values); err != nil {
		return nil, Problems{syntaxProblem(file, text, err)}
	}
	// Two mistakes the toml package lets pass, and drops values that stand beside them.
	if p := marks.again; p != nil {
		message := fmt.Sprintf("key %q has already been defined", p.key)
		return nil, Problems{{Pos: p.at, Message: message}}
	}
	if p := marks.empty; p != nil {
		return nil, Problems{{Pos: p.at, Message: "a key is empty"}}
	}
	root := join(values, marks.root)
	return root.value.(table), bounded("", root)
}

// withoutMark returns a text without its byte order mark, as the toml package reads it.
func withoutMark(text string) string {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\xef\xbb\xbf"} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			return rest
		}
	}
	return text
}

// join returns a value with the places of its marks.
func join(v any, m *mark) node {
	switch v := v.(type) {
	case map[string]any:
		t := make(table, 0, len(v))
		for _, key := range keysOf(v, m) {
			t = append(t, field{key, join(v[key], m.below(key))})
		}
		return node{m.at, t}
	case []map[string]any:
		l := make(list, len(v))
		for i := range v {
			l[i] = join(v[i], m.item(i))
		}
		return node{m.at, l}
	case []any:
		l := make(list, len(v))
		for i := range v {
			l[i] = join(v[i], m.item(i))
		}
		return node{m.at, l}
	}
	return node{m.at, v}
}

// keysOf returns the keys of a table in the order of the file.
func keysOf(v map[string]any, m *mark) []string {
	if len(m.keys) == len(v) {
		return m.keys
	}
	return slices.Sorted(maps.Keys(v))
}

// below returns the mark of a key: the table's own when there is none, as in a value
// from the command line.
func (m *mark) below(key string) *mark {
	if c, ok := m.table[key]; ok {
		return c
	}
	return &mark{at: m.at}
}

// item returns the mark of an element, the list's own when there is none.
func (m *mark) item(i int) *mark {
	if i < len(m.items) {
		return m.items[i]
	}
	return &mark{at: m.at}
}

// syntaxProblem says where and why a document is not TOML.
func syntaxProblem(file, text string, err error) Problem {
	var syntax toml.ParseError
	if !errors.As(err, &syntax) {
		return Problem{Pos: Pos{File: file}, Message: err.Error()}
	}
	// The column of the toml package is not reliable, its offset is.
	start := min(max(0, syntax.Position.Start), len(text))
	end := min(start+max(1, syntax.Position.Len), len(text))
	for start+1 < end && (text[start] == ' ' || text[start] == '\t') {
		start++
	}
	at := Pos{File: file, text: &text}
	before := text[:start]
	at.Line = 1 + strings.Count(before, "\n")
	at.Col = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	wrong, _, _ := strings.Cut(text[start:end], "\n")
	at.Len = max(1, utf8.RuneCountInString(wrong))

	message := strings.TrimSuffix(strings.Join(strings.Fields(syntax.Message), " "), ".")
	for _, first := range []string{"Key", "Invalid"} {
		if rest, ok := strings.CutPrefix(message, first); ok {
			message = strings.ToLower(first) + rest
		}
	}
	problem := Problem{Pos: at, Message: message}
	if message == fmt.Sprintf("expected value but found %q instead", wrong) && wrong != "" {
		problem.Hint = fmt.Sprintf("text stands in quotes: %q", wrong)
	}
	return problem
}
