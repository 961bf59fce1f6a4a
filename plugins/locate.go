package plugins

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// place finds a line of a file in a text.
var place = regexp.MustCompile(`([^\s:]+\.go):(\d+):(\d+): `)

// Locate returns the place in the strategy that a text names, and the text without it. A text
// that names none is returned as it is.
func (s *Strategy) Locate(text string) (study.Pos, string) {
	for _, m := range place.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		for i, f := range s.Files {
			if f.Name != name && filepath.Base(f.Name) != name {
				continue
			}
			line, err := strconv.Atoi(text[m[4]:m[5]])
			if err != nil {
				continue
			}
			rest := strings.TrimSpace(text[:m[0]] + text[m[1]:])
			return s.pkg.At(vet.Position(i, line)), rest
		}
	}
	return study.Pos{}, text
}
