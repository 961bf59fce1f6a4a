// Package phrase writes small parts of messages: numbers of things, command lines, reasons.
package phrase

import (
	"fmt"
	"strings"
	"unicode"
)

// Behind returns a reason as it stands behind what it is the reason of.
func Behind(why string) string {
	if why == "" {
		return ""
	}
	return fmt.Sprintf(": %s", why)
}

// List names things, at least one, in a sentence: "a", "a and b", "a, b and c".
func List(things []string) string {
	last := len(things) - 1
	if last == 0 {
		return things[0]
	}
	return strings.Join(things[:last], ", ") + " and " + things[last]
}

// Have puts a verb behind things: "a has", "a and b have".
func Have(things []string) string {
	if len(things) == 1 {
		return things[0] + " has"
	}
	return List(things) + " have"
}

// FirstLine returns a message without what only the run of its cell needs, such as a command.
func FirstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}

// Count says how many there are of something.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Hint returns a command line of hansa for the user to copy, its words as a shell reads them.
func Hint(words ...string) string {
	line := "hansa"
	for _, word := range words {
		line += " " + Quote(word)
	}
	return line
}

// Quote quotes a word for a shell where it needs that: where it has more than letters, digits and
// signs that no shell reads anything into.
func Quote(word string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@+:,./=-", r)
	}
	if word == "" || word[0] == '=' || strings.ContainsFunc(word, special) {
		return Quoted(word)
	}
	return word
}

// Quoted quotes a word for a shell, whether it needs that or not.
func Quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Words returns the words of a command line that Quote has quoted.
func Words(line string) (words []string) {
	var word strings.Builder
	inside, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			inside, begun = !inside, true
		case c == '\\' && !inside && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			begun = true
		case c == ' ' && !inside:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}
