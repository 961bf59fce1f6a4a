package corpora

import (
	_ "embed" // of summary.json
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Summary is what became of all programs of the corpora.
type Summary struct {
	Toolchain string // whose tests Go's are
	Corpora   []Count
}

// A Count is what became of the programs of one corpus.
type Count struct {
	Corpus  string
	Files   int
	Left    map[string]int     // programs by why they were left out
	Agree   int                // programs that do interpreted what they do compiled
	Differ  []string           // the names of those that do not
	Slow    []string           // the names of those that do not end in time when interpreted
	Refused map[string]Refusal // by reason
	Whole   int                // programs that are refused
}

// A Refusal is how many programs are refused for a reason.
type Refusal struct {
	Programs int // that have it among others
	Alone    int // that would be accepted but for it
}

//go:embed summary.json
var stored []byte

// SummaryFile is where the summary of the last run over all programs lies, within the module.
const SummaryFile = "plugins/corpora/summary.json"

// Stored returns the summary of the last run over all programs.
func Stored() (s Summary, err error) {
	err = json.Unmarshal(stored, &s)
	return s, err
}

// Tried is how many programs were not left out.
func (c Count) Tried() int {
	n := c.Files
	for _, left := range c.Left {
		n -= left
	}
	return n
}

// Accepted is how many programs are not refused.
func (c Count) Accepted() int { return c.Agree + len(c.Differ) + len(c.Slow) }

// Refuse counts a program that is refused with these messages.
func (c *Count) Refuse(messages []string) {
	c.Whole++
	reasons := map[string]bool{}
	for _, m := range messages {
		reasons[reason(m)] = true
	}
	for r := range reasons {
		now := c.Refused[r]
		now.Programs++
		if len(reasons) == 1 {
			now.Alone++
		}
		c.Refused[r] = now
	}
}

// particular are the parts of messages that name what is in a program.
var particular = []struct{ pattern, by string }{
	{`^.*: the interpreter cannot run this: .*`, "the interpreter cannot run this"},
	{`^written out for its type arguments: .*`, "the type checker refuses what is written out"},
	{`^an? .* prints`, "a T prints"},
	{`^what may be a .* (prints|becomes|is compared)`, "what may be a T $1"},
	{`^an interface is used in a way that is not interpreted: .*`,
		"an interface is used in a way that is not interpreted"},
	{`^\S+ is a word`, "x is a word"},
	{`a function keeps [^ ,]+`, "a function keeps v"},
	{`the address of [^ ,]+`, "the address of v"},
	{`a slice of the array [^ ,]+`, "a slice of the array v"},
	{`^\S+ hides`, "x hides"},
	{`"[^"]*"`, "…"},
}

// reason returns a message without what is particular to a program.
func reason(message string) string {
	for _, p := range particular {
		message = regexp.MustCompile(p.pattern).ReplaceAllString(message, p.by)
	}
	return message
}

// Markdown returns tables of what became of the programs.
func (s Summary) Markdown() string {
	var b strings.Builder
	b.WriteString("| |")
	for _, c := range s.Corpora {
		fmt.Fprintf(&b, " %s |", titles[c.Corpus])
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(s.Corpora)) + "\n")
	row := func(name string, of func(c Count) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range s.Corpora {
			fmt.Fprintf(&b, " %s |", of(c))
		}
		b.WriteByte('\n')
	}
	count := func(of func(c Count) int) func(Count) string {
		return func(c Count) string { return fmt.Sprint(of(c)) }
	}
	row("files", count(func(c Count) int { return c.Files }))
	for _, g := range groups {
		row("left out: "+g.title, count(func(c Count) int { return c.left(g.takes) }))
	}
	row("**tried**", count(Count.Tried))
	row("refused", count(func(c Count) int { return c.Whole }))
	row("**accepted**", func(c Count) string {
		return fmt.Sprintf("%d (%.1f %%)", c.Accepted(), share(c.Accepted(), c.Tried()))
	})
	row("do interpreted what they do compiled", count(func(c Count) int { return c.Agree }))
	row("take longer than 20 s interpreted", count(func(c Count) int { return len(c.Slow) }))
	row("**differ**", count(func(c Count) int { return len(c.Differ) }))
	b.WriteString(s.sentences())
	return b.String()
}

func share(part, of int) float64 { return 100 * float64(part) / float64(max(1, of)) }

// titles are the columns of the corpora.
var titles = map[string]string{"go": "Go's tests", "yaegi": "the interpreter's tests"}

// groups are the rows of what is left out.
var groups = []struct {
	title string
	takes func(reason string) bool
}{
	{goroutines, func(r string) bool { return r == goroutines }},
	{"`unsafe`, `reflect`, `runtime`, `sync`, cgo", isApart},
	{"imports that the dialect does not have", isElsewhere},
	{notGo, func(r string) bool { return r == notGo }},
	{notMain, func(r string) bool { return r == notMain }},
}

func isApart(reason string) bool {
	return slices.Contains(apart, strings.TrimPrefix(reason, "imports "))
}

func isElsewhere(reason string) bool {
	named := strings.HasPrefix(reason, "imports ") || strings.HasPrefix(reason, "uses ")
	return named && !isApart(reason)
}

func (c Count) left(takes func(string) bool) (n int) {
	for r, programs := range c.Left {
		if takes(r) {
			n += programs
		}
	}
	return n
}

// sentences returns what is said below the table.
func (s Summary) sentences() string {
	var b strings.Builder
	accepted, tried := 0, 0
	left, refused := map[string]int{}, map[string]Refusal{}
	for _, c := range s.Corpora {
		accepted, tried = accepted+c.Accepted(), tried+c.Tried()
		for r, n := range c.Left {
			if isElsewhere(r) {
				_, name, _ := strings.Cut(r, " ")
				left["`"+name+"`"] += n
			}
		}
		for r, n := range c.Refused {
			now := refused[r]
			refused[r] = Refusal{now.Programs + n.Programs, now.Alone + n.Alone}
		}
	}
	fmt.Fprintf(&b, "\nTogether %.1f %% of %d are accepted. Go's tests are those of %s.\n\n",
		share(accepted, tried), tried, s.Toolchain)
	for _, c := range s.Corpora {
		for _, name := range c.Differ {
			fmt.Fprintf(&b, "Differs: `%s`.\n", name)
		}
	}
	b.WriteString("| why programs are refused | programs | " +
		"that alone keeps them out |\n|---|---:|---:|\n")
	for _, r := range often(refused, func(r Refusal) int { return r.Programs }) {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", strings.ReplaceAll(r, "|", `\|`),
			refused[r].Programs, refused[r].Alone)
	}
	b.WriteString("\nThe imports that the dialect does not have, " +
		"with how many programs they leave out:\n")
	var parts []string
	for _, name := range often(left, func(n int) int { return n }) {
		parts = append(parts, fmt.Sprintf("%s %d", name, left[name]))
	}
	b.WriteString(strings.Join(parts, ", ") + ".\n")
	return b.String()
}

// often returns the keys of a map, the most frequent first.
func often[V any](m map[string]V, count func(V) int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if n := count(m[b]) - count(m[a]); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
}
