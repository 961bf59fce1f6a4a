package study

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Suggest returns what to say about a word that is not one of those allowed: `did you
// mean "x"?` when one of them is near — by letters, as the beginning, or as the last
// element of a path: local.lr for lr — and else all of them. It is empty when nothing is
// allowed.
func Suggest(word string, allowed []string) string {
	if near, ok := nearest(word, allowed); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(allowed) == 0 {
		return ""
	}
	if more := len(allowed) - mostListed; more > 0 {
		return fmt.Sprintf("known: %s and %d more", strings.Join(allowed[:mostListed], ", "), more)
	}
	return "known: " + strings.Join(allowed, ", ")
}

// nearest returns the allowed word that was probably meant; among equally near ones the
// first.
func nearest(word string, allowed []string) (string, bool) {
	best, least := "", 0
	if utf8.RuneCountInString(word) > longestLabel {
		return "", false // too long for a name
	}
	for _, a := range allowed {
		if d, near := distance(word, a); near && (best == "" || d < least) {
			best, least = a, d
		}
	}
	return best, best != ""
}

// distance returns how far a word is from an allowed one, and whether that is near. Of
// words that differ from it in as many letters, those that agree in case are nearer. To
// have forgotten a path is less than to have mistaken a letter.
func distance(word, allowed string) (int, bool) {
	w, a := folded(word), folded(allowed)
	if len(a) > longestLabel {
		return 0, false
	}
	d := levenshtein(w, a)
	total := d + levenshtein([]rune(word), []rune(allowed))
	prefix := min(len(w), len(a)) > 1 &&
		(strings.HasPrefix(string(a), string(w)) || strings.HasPrefix(string(w), string(a)))
	if d < len(w) && d <= (len(w)+1)/3 || prefix {
		return total, true
	}
	if dot := strings.LastIndexByte(allowed, '.'); dot >= 0 {
		d, near := distance(word, allowed[dot+1:])
		return d + 1, near
	}
	return total, false
}

// folded returns the letters of a word without what people mix up: case, - and _.
func folded(word string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(word), "-", "_"))
}

// levenshtein returns the least number of letters inserted, deleted or replaced that
// turn a into b.
func levenshtein(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			replace := diagonal
			if x != y {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j]+1, row[j+1]+1, replace)
		}
	}
	return row[len(b)]
}
