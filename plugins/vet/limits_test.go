package vet

import (
	"fmt"
	"strings"
	"testing"
)

// atLimits are programs with n of what the limits are of, in their order.
func atLimits() []func(n int) string {
	return []func(n int) string{
		ofBytes: func(n int) string {
			return "package p\n/*" + strings.Repeat("x", n-len("package p\n/**/")) + "*/"
		},
		ofFunctions:  func(n int) string { return "package p\n" + repeated(n, "func f#() {}\n") },
		ofStatements: func(n int) string { return "package p\nfunc f(x int) {\n" + repeated(n, "x++\n") + "}\n" },
		ofElements: func(n int) string {
			return "package p\nvar a = [][]float64{{" + repeated(n/2-1, "#,") + "}, {" +
				repeated(n-n/2-1, "#,") + "}}\n"
		},
		ofLevels: func(n int) string { // a file, a declaration, its specification, the operand
			return "package p\nvar a = 1" + repeated(n-4, "+1") + "\n"
		},
		ofInstances: func(n int) string {
			return "package p\nfunc g[T any](x T) {}\n" + "func f() {\n" +
				repeated(n, "g([#]int{})\n") + "}\n"
		},
		ofParts: func(n int) string { // the array, too
			return fmt.Sprintf("package p\nvar a [%d]int\n", n-1)
		},
	}
}

// repeated returns a text n times, with its number in place of #.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// A strategy may have as much as a limit says. One more is refused with the number, what was found,
// the place and what to do.
func TestLimits(t *testing.T) {
	places := []string{ofBytes: "x", ofFunctions: "x:1002:1", ofStatements: "x:5003:1",
		ofElements: "x:2:9", ofLevels: "x:2:9", ofInstances: "x:204:1", ofParts: "x:2:7"}
	for i, program := range atLimits() {
		limit := Limits()[i]
		if said := refusals(program(limit.Most)); said != "" {
			t.Errorf("%d %s: %s", limit.Most, limit.Of, said)
		}
		_, problems := Check([]File{{Name: "x", Text: program(limit.Most + 1)}})
		want := limit.problem(limit.Most+1, problems[0].Pos)
		if len(problems) != 1 || problems[0].Message != want.Message || problems[0].Hint != limit.Cure {
			t.Errorf("%d %s: %v", limit.Most+1, limit.Of, problems)
		}
		if at := problems[0].Pos.String(); at != places[i] {
			t.Errorf("%d %s are refused at %s, want %s", limit.Most+1, limit.Of, at, places[i])
		}
	}
}

// Limits are of all files together, and of generic functions as they are written out.
func TestLimitsAreOfTheWhole(t *testing.T) {
	half := repeated(Limits()[ofStatements].Most/2+1, "x++\n")
	a := File{Name: "a", Text: "package p\nfunc f(x int) {\n" + half + "}\n"}
	b := File{Name: "b", Text: "package p\nfunc g[T int | int8](x T) {\n" + half + "}\n"}
	if _, problems := Check([]File{a, b}); len(problems) != 1 || problems[0].Pos.File != "b" {
		t.Errorf("two files: %v", problems)
	}
	b.Text += "func h() {\ng(1)\ng(int8(1))\n}\n"
	if _, problems := Check([]File{b}); len(problems) != 1 ||
		!strings.HasPrefix(problems[0].Message, "5,004 statements") {
		t.Errorf("two lists of type arguments: %v", problems)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
