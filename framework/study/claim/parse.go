package claim

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Vocabulary is what a claim may name.
type Vocabulary struct {
	Methods []string // labels; none: they are not known, and any is taken
	Metrics []string // keys of measures; none: they are not known, and any is taken
	Axes    []string // names of axes
	// Suggest says which of the allowed words was probably meant, or which there are. Nil:
	// nothing is suggested.
	Suggest func(word string, allowed []string) string
}

// A Problem is a mistake in the text of a claim.
type Problem struct {
	At, Len int    // in bytes of the text; Len is at least 1 unless the text ends before At
	Message string // lower case, no full stop
	Hint    string // what is allowed, or what was probably meant; may be empty
}

// A Range is n bytes of the text of a claim from byte At on.
type Range struct{ At, Len int }

// Places are where the parts of a predicate stand in the text of a claim: "" is all of it, a key
// such as "by" or "over" the argument of that name, "bound" the number that it is held to.
type Places map[string]Range

// Parse reads a claim. All mistakes are returned at once, in the order of the text; the claim is
// then nil.
func Parse(text string, v *Vocabulary) (Expr, []Problem) {
	e, _, problems := Locate(text, v)
	return e, problems
}

// Locate is Parse that also says where each predicate of the claim stands.
func Locate(text string, v *Vocabulary) (Expr, []Places, []Problem) {
	p := &parser{text: text, v: v}
	var places []Places
	var e Expr
	for {
		predicate, its, ok := p.predicate()
		if !ok {
			break
		}
		e, places = append(e, predicate), append(places, its)
		if p.space(); p.i == len(text) {
			break
		}
		at := p.i
		if word := p.word(); word != "and" {
			p.fail(at, len(text)-at, "predicates are joined by and",
				"%q stands behind a predicate", strings.TrimSpace(text[at:]))
			break
		}
	}
	if len(p.problems) > 0 {
		return nil, nil, p.problems
	}
	if p.contradictions(e, places); len(p.problems) > 0 {
		return nil, nil, p.problems
	}
	return e, places, nil
}

// A parser reads a text from byte i on.
type parser struct {
	text     string
	i        int
	v        *Vocabulary
	problems []Problem
}

// fail reports a mistake in n bytes from one on.
func (p *parser) fail(at, n int, hint, format string, args ...any) {
	at = min(at, len(p.text))
	n = min(max(1, n), len(p.text)-at)
	p.problems = append(p.problems, Problem{at, n, fmt.Sprintf(format, args...), hint})
}

// suggest says what was probably meant by a word.
func (p *parser) suggest(word string, allowed []string) string {
	if p.v.Suggest == nil {
		return ""
	}
	return p.v.Suggest(word, allowed)
}

// space skips spaces.
func (p *parser) space() {
	rest := strings.TrimLeftFunc(p.text[p.i:], unicode.IsSpace)
	p.i = len(p.text) - len(rest)
}

// take skips spaces and then a sign, if it stands there.
func (p *parser) take(sign string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.i:], sign) {
		return false
	}
	p.i += len(sign)
	return true
}

// word skips spaces, and returns the letters that stand there.
func (p *parser) word() string {
	p.space()
	rest := p.text[p.i:]
	n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	if n < 0 {
		n = len(rest)
	}
	p.i += n
	return rest[:n]
}

// predicate reads a predicate; false if the text cannot be read on.
func (p *parser) predicate() (Predicate, Places, bool) {
	p.space()
	at := p.i
	name := p.word()
	f, known := formOf(name)
	var kinds []string
	for _, k := range Kinds() {
		kinds = append(kinds, string(k))
	}
	switch {
	case name == "":
		p.fail(at, nextSize(p.text[at:]), "known: "+strings.Join(kinds, ", "),
			"a predicate is missing")
		return Predicate{}, nil, false
	case !known:
		p.fail(at, p.i-at, p.suggest(name, kinds), "there is no predicate %q", name)
	}
	if !p.take("(") {
		p.fail(p.i, nextSize(p.text[p.i:]), "", "%s: want ( and what it is said of", name)
		return Predicate{}, nil, false
	}
	if !known {
		p.skip(")")
		return Predicate{}, nil, p.take(")")
	}
	a := arguments{parser: p, form: f, start: at, given: Places{}, of: Predicate{Kind: f.kind}}
	a.read()
	ok := p.take(")")
	a.given[""] = Range{at, p.i - at}
	return a.of, a.given, ok
}

// nextSize returns how many bytes the first character of a text has, 0 when there is none.
func nextSize(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// skip moves on to the next of some signs that is not within parentheses, to the parenthesis that
// closes what it is in, or to the end. A minus sign is one only between spaces.
func (p *parser) skip(signs string) {
	depth := 0
	for p.i < len(p.text) {
		c := p.text[p.i]
		switch {
		case depth == 0 && c != '-' && strings.IndexByte(signs, c) >= 0,
			depth == 0 && strings.Contains(signs, "-") && minusAt(p.text[p.i:]):
			return
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				return
			}
			depth--
		}
		p.i++
	}
}

// minusAt reports whether a text begins with a minus sign between spaces.
func minusAt(text string) bool {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	return len(rest) < len(text) && (strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "− "))
}

// name reads the name of something that there is, up to one of some signs.
func (p *parser) name(kind string, allowed []string, signs string) string {
	p.space()
	at := p.i
	rest := p.text[at:]
	if found := longest(rest, allowed, signs); found != "" {
		p.i += len(found)
		return found
	}
	if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
		name, n := unquote(rest)
		if n == 0 {
			p.fail(at, len(rest), "", "a quote is not closed")
			p.i = len(p.text)
			return ""
		}
		p.i += n
		p.known(kind, name, allowed, at)
		return name
	}
	p.skip(signs)
	name := strings.TrimSpace(p.text[at:p.i])
	if name == "" {
		p.fail(at, nextSize(p.text[at:]), "", "want %s", article(kind))
		return ""
	}
	p.known(kind, name, allowed, at)
	return name
}

// known reports a name that nothing has. What is not known cannot be judged.
func (p *parser) known(kind, name string, allowed []string, at int) {
	switch {
	case slices.Contains(allowed, name):
	case len(allowed) > 0:
		p.fail(at, p.i-at, p.suggest(name, allowed), "there is no %s %q", kind, name)
	case kind == "axis":
		p.fail(at, p.i-at, "there is no [sweep]", "there is no axis %q", name)
	}
}

// article returns a word behind its article.
func article(word string) string {
	if word[0] == 'a' {
		return "an " + word
	}
	return "a " + word
}

// longest returns the longest of some names that a text begins with, if one of some signs or the
// end stands behind it; "" for none.
func longest(text string, names []string, signs string) string {
	found := ""
	for _, name := range names {
		behind, begins := strings.CutPrefix(text, name)
		rest := strings.TrimLeftFunc(behind, unicode.IsSpace)
		ends := rest == "" || rest[0] != '-' && strings.IndexByte(signs, rest[0]) >= 0 ||
			strings.Contains(signs, "-") && minusAt(behind)
		if begins && ends && len(name) > len(found) {
			found = name
		}
	}
	return found
}

// unquote reads a text in quotes, which are doubled within, and returns how many bytes it took; 0
// if the quote is not closed.
func unquote(text string) (string, int) {
	quote := text[:1]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != quote[0]:
			b.WriteByte(text[i])
		case strings.HasPrefix(text[i+1:], quote):
			b.WriteByte(text[i])
			i++
		default:
			return b.String(), i + 1
		}
	}
	return "", 0
}
