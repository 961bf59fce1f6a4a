package phrase

import (
	"slices"
	"strings"
	"testing"
)

// The words of a command line are those that were quoted.
func TestWordsOfCommands(t *testing.T) {
	for _, words := range [][]string{
		{"hansa", "run", "experiments/a.toml"},
		{"hansa", "run", "my file.toml", "--set", "A, it's: local.lr=0.1", "--only", "size=α = 0.1"},
		{"", "'", `\`, "=x", "''", " "},
		nil,
	} {
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, Quote(w))
		}
		if got := Words(strings.Join(quoted, "  ")); !slices.Equal(got, words) {
			t.Errorf("%q is read as %q", words, got)
		}
	}
}
