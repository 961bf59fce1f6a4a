package page

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/hansa-fl/hansa/reports/figure"
)

// Style returns the style sheet of pages, for others that are to look the same.
func Style() string { return Slim(style) }

// Sorting returns the script of pages by which tables of class sorts are sorted, sorts(table), and
// the one that adds a button to choose light or dark to the header, theme().
func Sorting() string { return Slim(sortsScript) }

// Slim leaves out indents, empty lines and lines of comment, none of which are within a text.
func Slim(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Still returns a figure that stands still, as SVG within HTML: black, white and grey follow the
// colours of the page where it is within an element of class still.
func Still(d figure.Drawing) (template.HTML, error) {
	size, _ := figure.SizeNamed("double")
	var b bytes.Buffer
	if err := figure.Write(&b, d, "svg", size); err != nil {
		return "", err
	}
	text := b.String()[strings.Index(b.String(), "<svg "):]
	text = strings.Replace(text, ` xmlns="http://www.w3.org/2000/svg"`, "", 1)
	text = strings.Replace(text, ` xmlns:xlink="http://www.w3.org/1999/xlink"`, "", 1)
	return template.HTML(text), nil
}
