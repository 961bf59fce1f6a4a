package vet

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
)

var update = flag.Bool("update", false, "rewrite what the rules say")

var sectionLine = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// Every rule refuses what it is there for, where it stands, and nothing else. A program begins
// with what is said of it: "// line:column message", the lines counted without these.
func TestRules(t *testing.T) {
	const path = "testdata/rules.txt"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rewritten strings.Builder
	names := sectionLine.FindAllStringSubmatch(string(text), -1)
	for i, part := range sectionLine.Split(string(text), -1)[1:] {
		want, program := expected(part)
		got := refusals(program)
		fmt.Fprintf(&rewritten, "-- %s --\n%s%s", names[i][1], got, program)
		if got != want && !*update {
			t.Errorf("%s:\n%swant\n%s", names[i][1], got, want)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(rewritten.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// expected cuts what is said of a program from the program.
func expected(part string) (want, program string) {
	for {
		line, rest, _ := strings.Cut(part, "\n")
		if !strings.HasPrefix(line, "// ") {
			return want, part
		}
		want, part = want+line+"\n", rest
	}
}

func refusals(program string) string {
	files := []File{{Name: "x", Text: program}}
	_, problems := Check(files)
	var b strings.Builder
	for _, p := range problems {
		if strings.Contains(p.Message, "describes no component") {
			continue
		}
		fmt.Fprintf(&b, "// %d:%d %s", p.Pos.Line, p.Pos.Col, p.Message)
		if p.Hint != "" {
			fmt.Fprintf(&b, " (%s)", p.Hint)
		}
		b.WriteString("\n")
	}
	return b.String()
}
