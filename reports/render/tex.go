package render

import (
	"fmt"
	"strings"
	"unicode"
)

// tex writes text for LaTeX: what has a meaning there is escaped, mathematics is set as such, and a
// character that no font of plain pdflatex has becomes its code point.
func tex(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if i+1 < len(runes) && texAccents[runes[i+1]] != "" {
			b.WriteString(accented(r, texAccents[runes[i+1]]))
			i++
			continue
		}
		b.WriteString(texRune(r))
		// Two of these in a row would become one: a dash, a closing quote.
		if (r == '-' || r == '\'') && i+1 < len(runes) && runes[i+1] == r {
			b.WriteString("{}")
		}
	}
	return b.String()
}

// texRune writes one character.
func texRune(r rune) string {
	if escape, ok := texEscapes[r]; ok {
		return escape
	}
	if symbol, ok := texMath(r); ok {
		return "$" + symbol + "$"
	}
	switch {
	case r < 0x80 || strings.ContainsRune("–—‘’“”•…€", r):
		return string(r)
	case strings.ContainsRune("«»ÐÞðþĄąĐđĘęĮįŊŋŲų„", r):
		return `{\fontencoding{T1}\selectfont ` + string(r) + "}"
	case r > 0xa0 && r < 0x180 && !strings.ContainsRune("\u00adĦħĸĿŀŉŦŧſ", r),
		r >= 0x218 && r <= 0x21b:
		return string(r)
	case unicode.IsSpace(r):
		return "~"
	default:
		return fmt.Sprintf(`\texttt{U+%04X}`, r)
	}
}

// texMath returns what a character is in mathematics.
func texMath(r rune) (string, bool) {
	if symbol, ok := texSymbols[r]; ok {
		return symbol, true
	}
	if r >= '𝒜' && r <= '𝒵' {
		return `\mathcal{` + string('A'+r-'𝒜') + "}", true
	}
	return "", false
}

// accented sets an accent on a letter: p̃ in mathematics, é in text.
func accented(r rune, accent string) string {
	if !strings.HasPrefix(accent, "$") {
		return fmt.Sprintf(accent, texRune(r))
	}
	letter, ok := texMath(r)
	if !ok {
		letter = strings.Trim(texRune(r), "$")
	}
	return fmt.Sprintf(accent, letter)
}
