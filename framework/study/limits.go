package study

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Limits of an experiment file. With them the time that it takes to read one grows with its size
// alone, whatever is in it, and what is in it fits into tables and terminals.
const (
	// largestFile is how many bytes a file may have.
	largestFile = 8 << 20
	// longestLabel is how many characters a label may have: of a method, an ablation, a metric or
	// a point of an axis; and a key.
	longestLabel = 200
	// longestText is how many characters any other text may have: a title, a claim, a path.
	longestText = 10_000
	// mostKeys is how many keys a table may have.
	mostKeys = 1000
	// mostSuggested is for how many mistakes of a file it is said what was probably meant.
	mostSuggested = 100
	// mostListed is how many of the words that are allowed a message lists.
	mostListed = 60
)

// bounded returns what is beyond the limits of a file in a value and everything in it. The key is
// that under which the value stands.
func bounded(key string, n node) (out Problems) {
	switch v := n.value.(type) {
	case string:
		what, most := "a text", longestText
		if key == "label" {
			what, most = "label", longestLabel
		}
		if size := utf8.RuneCountInString(v); size > most {
			out = append(out, tooLong(n.at.Value, what, size, most))
		}
	case list:
		for i := range v {
			out = append(out, bounded(key, v[i])...)
		}
	case table:
		if len(v) > mostKeys {
			out = append(out, Problem{Pos: v[mostKeys].at.Key,
				Message: fmt.Sprintf("a table has %d keys, more than %d", len(v), mostKeys)})
		}
		for _, f := range v {
			if size := utf8.RuneCountInString(f.key); size > longestLabel {
				out = append(out, tooLong(f.at.Key, "a key", size, longestLabel))
			}
			out = append(out, bounded(f.key, f.node)...)
		}
	}
	return out
}

func tooLong(at Pos, what string, size, most int) Problem {
	return Problem{Pos: at,
		Message: fmt.Sprintf("%s: %d characters, more than %d", what, size, most)}
}

// suggest is Suggest for the first mistakes of a file, and nothing for those after them: what is
// wrong in a thousand places is no slip of a finger.
func (r *reader) suggest(word string, allowed []string) string {
	if len(r.problems) >= mostSuggested {
		return ""
	}
	return Suggest(word, allowed)
}

// near is nearest for the first mistakes of a file.
func (r *reader) near(word string, lists ...[]string) (string, bool) {
	if len(r.problems) >= mostSuggested {
		return "", false
	}
	return nearest(word, slices.Concat(lists...))
}
