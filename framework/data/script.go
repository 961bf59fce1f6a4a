package data

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Speech is what one speaking role says in a text, line after line.
type Speech struct {
	Role string
	Text string
}

// ReadSpeech reads a text by speaking roles, in the order in which they speak first: blocks with an
// empty line between them, of which the first line is a name and a colon. The file may be packed by
// gzip. Letters are all that the file has, names and colons among them.
func ReadSpeech(path string, m *Mistakes) (roles []Speech, letters map[rune]bool, err error) {
	known, lines := map[string]int{}, [][]string(nil)
	at, letters := -1, map[rune]bool{}
	visit := func(line int, text []byte) error {
		if err := collect(letters, path, line, text); err != nil {
			return m.report("utf8", func() error { return err })
		}
		name, named := strings.CutSuffix(string(text), ":")
		switch {
		case len(text) == 0:
			at = -1
		case at >= 0:
			lines[at] = append(lines[at], string(text))
		case !named || name == "":
			return m.report("name", func() error {
				return &TextError{path, line, 1, "want the name of a role and a colon, as the " +
					"first line after an empty one"}
			})
		default:
			var again bool
			if at, again = known[name]; !again {
				at = len(roles)
				known[name] = at
				roles, lines = append(roles, Speech{Role: name}), append(lines, nil)
			}
		}
		return nil
	}
	if err := eachLine(path, m, visit); err != nil {
		return nil, nil, err
	}
	for k := range roles {
		roles[k].Text = strings.Join(lines[k], "\n")
		if len(lines[k]) > 0 {
			roles[k].Text += "\n"
		}
	}
	return roles, letters, nil
}

// ReadProse reads a plain text, its lines one below the other. The file may be packed by gzip.
func ReadProse(path string, m *Mistakes) (text string, letters map[rune]bool, err error) {
	var b strings.Builder
	letters = map[rune]bool{}
	err = eachLine(path, m, func(line int, text []byte) error {
		if err := collect(letters, path, line, text); err != nil {
			return m.report("utf8", func() error { return err })
		}
		if line > 1 {
			b.WriteByte('\n')
		}
		b.Write(text)
		return nil
	})
	return b.String(), letters, err
}

// collect adds the characters of a line and its end.
func collect(letters map[rune]bool, path string, line int, text []byte) error {
	letters['\n'] = true
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size < 2 {
			return &TextError{path, line, at + 1, fmt.Sprintf("byte %#x is no UTF-8", text[at])}
		}
		letters[r] = true
		at += size
	}
	return nil
}
