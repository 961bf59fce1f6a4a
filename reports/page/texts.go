package page

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// Continuations returns the texts of models as lines that can be printed; empty where there are
// none.
func (p *Page) Continuations() string {
	var b strings.Builder
	for _, t := range p.Texts {
		fmt.Fprintf(&b, "\n%s goes on from %q:\n", study.Printable(t.Cell), t.Prompt)
		for line := range strings.SplitSeq(t.Text, "\n") {
			fmt.Fprintf(&b, "    %s\n", study.Printable(line))
		}
	}
	return b.String()
}
