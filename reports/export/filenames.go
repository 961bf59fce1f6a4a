package export

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// distinctFileNames returns names of files for texts, one for each: what a file system may refuse
// or mistake is replaced, and what is then the same, in whatever case, gets a number.
func distinctFileNames(texts []string) map[string]string {
	files, taken := map[string]string{}, map[string]bool{}
	for _, text := range texts {
		if files[text] != "" {
			continue
		}
		plain := fileName(text)
		name := plain
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = plain + "~" + strconv.Itoa(n)
		}
		files[text], taken[strings.ToLower(name)] = name, true
	}
	return files
}

// fileName returns a text as every file system takes it for a name.
func fileName(text string) string {
	plain := strings.Map(func(r rune) rune {
		if study.Hidden(r) || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '-'
		}
		return r
	}, text)
	return cmp.Or(strings.Trim(plain, " ."), "-")
}
