package study

import (
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// deepest is how far tables and lists may be nested.
const deepest = 64

// A mark is where a value stands in a file, with the marks of everything in it.
type mark struct {
	at    Span
	keys  []string // of a table, in the order of the file
	table map[string]*mark
	items []*mark // of a list
	whole bool    // it was written as one value, to which nothing can be added
}

// child returns the mark of a key in a table, or in the newest table of a list of them.
func (m *mark) child(p part) *mark {
	if len(m.items) > 0 {
		m = m.items[len(m.items)-1]
	}
	c, ok := m.table[p.key]
	if !ok {
		c = &mark{at: Span{p.at, p.at}}
		if m.table == nil {
			m.table = map[string]*mark{}
		}
		m.table[p.key] = c
		m.keys = append(m.keys, p.key)
	}
	return c
}

// A part is one element of a dotted key.
type part struct {
	key string
	at  Pos
}

// A scanner finds the positions of the keys and values of a TOML document, which the toml package
// does not return: its metadata list keys, without lines. What the values are, and whether the
// document is TOML, is for that package alone. Documents that are not TOML are scanned without an
// error, and the result is not used.
type scanner struct {
	src     string
	here    Pos // of the byte src[i]; its Len is not used
	i       int
	depth   int
	root    *mark
	tooDeep *Pos  // where the nesting first goes beyond the deepest
	again   *part // the first key that is written once more, on top of a value or a table
	empty   *part // the first key without a character
}

// scan scans a document.
func scan(file, src string) *scanner {
	s := &scanner{src: src, here: Pos{File: file, Line: 1, Col: 1, text: &src}, root: &mark{}}
	open := s.root
	for s.blank(); s.i < len(src); s.blank() {
		start := s.i
		if s.peek() == '[' {
			open = s.header()
		} else {
			s.pair(open)
		}
		if s.i == start {
			s.skip(1)
		}
	}
	return s
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.src) {
		return s.src[s.i]
	}
	return 0
}

// skip moves on by n bytes, or to the end.
func (s *scanner) skip(n int) {
	for ; n > 0 && s.i < len(s.src); n-- {
		c := s.src[s.i]
		s.i++
		if c == '\n' {
			s.here.Line++
			s.here.Col = 1
		} else if s.i == len(s.src) || utf8.RuneStart(s.src[s.i]) {
			s.here.Col++
		}
	}
}

// skipWhile moves on while the next byte satisfies the condition.
func (s *scanner) skipWhile(is func(c byte) bool) {
	for s.i < len(s.src) && is(s.src[s.i]) {
		s.skip(1)
	}
}

// blank skips white space, line breaks and comments.
func (s *scanner) blank() {
	for {
		start := s.i
		s.skipWhile(func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' })
		if s.peek() == '#' {
			s.skipWhile(func(c byte) bool { return c != '\n' })
		}
		if s.i == start {
			return
		}
	}
}

// since returns the place of what was scanned from the given place and byte on.
func (s *scanner) since(at Pos, start int) Pos {
	first, _, _ := strings.Cut(s.src[start:s.i], "\n")
	at.Len = utf8.RuneCountInString(strings.TrimRight(first, "\r"))
	return at
}

// header scans [a.b] or [[a.b]] and returns the mark of the table that it opens.
func (s *scanner) header() *mark {
	s.skip(1)
	many := s.peek() == '['
	if many {
		s.skip(1)
	}
	parts := s.key()
	m := s.descend(s.root, parts)
	if many && len(parts) > 0 {
		last := parts[len(parts)-1].at
		m.items = append(m.items, &mark{at: Span{last, last}})
	}
	s.skipWhile(func(c byte) bool { return c == ']' })
	return m
}

// descend returns the mark at the end of a dotted key.
func (s *scanner) descend(m *mark, parts []part) *mark {
	for _, p := range parts {
		m = m.child(p)
		if m.whole {
			first(&s.again, p)
		}
		if p.key == "" {
			first(&s.empty, p)
		}
	}
	return m
}

// first keeps the first of several.
func first(kept **part, p part) {
	if *kept == nil {
		*kept = &p
	}
}

// pair scans key = value into the mark of a table.
func (s *scanner) pair(m *mark) {
	parts := s.key()
	m = s.descend(m, parts)
	if m.table != nil || m.items != nil {
		first(&s.again, parts[len(parts)-1])
	}
	if s.peek() == '=' {
		s.skip(1)
		s.blank()
		s.value(m)
	}
}

// key scans a dotted key.
func (s *scanner) key() []part {
	var parts []part
	for {
		s.blank()
		at, start := s.here, s.i
		if c := s.peek(); c == '"' || c == '\'' {
			s.quoted(c)
		} else {
			s.skipWhile(bare)
		}
		parts = append(parts, part{unquote(s.src[start:s.i]), s.since(at, start)})
		if len(parts) > deepest {
			s.stop()
		}
		s.blank()
		if s.peek() != '.' {
			return parts
		}
		s.skip(1)
	}
}

// stop gives up on a document that is nested too deeply.
func (s *scanner) stop() {
	if s.tooDeep == nil {
		at := s.here
		at.Len = 1
		s.tooDeep = &at
	}
	s.i = len(s.src)
}

func bare(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// quoted scans a string of any of the four kinds.
func (s *scanner) quoted(quote byte) {
	end := strings.Repeat(string(quote), 3)
	long := strings.HasPrefix(s.src[s.i:], end)
	if !long {
		end = end[:1]
	}
	s.skip(len(end))
	for s.i < len(s.src) && !strings.HasPrefix(s.src[s.i:], end) {
		if s.peek() == '\\' && quote == '"' {
			s.skip(1)
		}
		s.skip(1)
	}
	s.skip(len(end))
	for extra := 0; long && extra < 2 && s.peek() == quote; extra++ {
		s.skip(1) // a long string may end in one or two quotes of its own
	}
}

// unquote returns the key that is written, in quotes or bare.
func unquote(text string) string {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return text
	}
	var doc map[string]string
	if _, err := toml.Decode("key = "+text, &doc); err != nil {
		return text
	}
	return doc["key"]
}

// value scans a value into its mark.
func (s *scanner) value(m *mark) {
	at, start := s.here, s.i
	switch c := s.peek(); c {
	case '"', '\'':
		s.quoted(c)
	case '[':
		s.within(']', func() {
			item := &mark{at: Span{Key: m.at.Key}}
			m.items = append(m.items, item)
			s.value(item)
		})
	case '{':
		s.within('}', func() { s.pair(m) })
	default:
		s.scalar()
	}
	m.at.Value = s.since(at, start)
	m.whole = true
}

// within scans the elements between brackets.
func (s *scanner) within(end byte, element func()) {
	if s.depth++; s.depth > deepest {
		s.stop()
	}
	s.skip(1)
	for s.blank(); s.i < len(s.src) && s.peek() != end; s.blank() {
		start := s.i
		element()
		s.blank()
		if s.peek() == ',' || s.i == start {
			s.skip(1)
		}
	}
	s.skip(1)
	s.depth--
}

// scalar scans a number, a date, true or false.
func (s *scanner) scalar() {
	rest := s.src[s.i:]
	if end := strings.IndexAny(rest, ",]}#\r\n"); end >= 0 {
		rest = rest[:end]
	}
	s.skip(len(strings.TrimRight(rest, " \t")))
}
