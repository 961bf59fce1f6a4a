package plugins

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// A fault names the line of the author's statement that failed, wherever the core has it.
func TestPlacesOfFaults(t *testing.T) {
	for _, body := range []string{
		"x := 1\n_ = x\n_ = xs[n] // here",
		"if n == 9 {\n\t_ = 1\n} else if xs[n] > 0 { // here\n\t_ = 2\n}",
		"for i := 0; xs[i] > 0; i++ { // here\n\tif i == 1 {\n\t\tcontinue\n\t}\n\t_ = i\n}",
		"for i := 0; i < 9; i++ {\n\txs[i]++ // here\n}",
		"for i := 0; far(i) < 9; i++ {\n\tg := func() int { return i }\n\txs[g()]++ // here\n}",
		"switch {\ncase n == 1:\ncase xs[n] == 2: // here\n\tn++\n}",
		"switch {\ncase n == 1:\ncase far(n) == 2, xs[far(n)] == 2: // here\n\tn++\n}",
		"for _, x := range xs[n:] {\n\t_ = x\n}\nfor range xs[:n+n] { // here\n\tn++\n}",
		"var m map[int]int\nn++\nm[n], n = 1, 2 // here",
		"f := func(k int) int {\n\tn++\n\treturn xs[k] // here\n}\n_ = f(0)\n_ = f(7)",
		"a, b := two(), 3\na, b = b,\n\tfar(a)\na, b = xs[b], n/(n-n) // here\n_, _ = a, b",
		"b := box{}\nb.up(1)\nb.next.up(2)\n_ = b // far",
		"for i := range 3 {\n\tn = i\n}\npanic(n) // here",
		"pick(xs, 1)\npick([]string{\"a\"}, n) // generic",
		"s := stack[float64]{}\ns.top(n)\n_ = s // stack",
		"defer func() {\n\tn++\n}()\n_ = xs[n] // here",
		"func() {\n\tdefer func() { _ = recover() }()\n\tpanic(n)\n}()\n_ = far(n)\n_ = xs[n] // here",
		"defer func() {\n\t_ = recover()\n\t_ = xs[n] // here\n}()\npanic(n)",
		"var x any = far(n)\n_ = x.(int)\n_ = far(1) + x.(two2).n // here",
		"var u upper\n_ = far(n)\nu.up(far(n)) // here",
		"var u upper = &box{}\nu.up(1)\nu = u.(*box).next\nu.up(2) // far",
		"var u upper\ndefer func() { _ = xs }()\nn++\ndefer u.up(1) // here",
		"var x any = xs\nn++\nswitch x {\ncase 1:\ncase any(xs): // here\n}",
		"var x any = xs\nif far(n) == 3 && x == any(xs) { // here\n\tn++\n}",
		"switch x := any(n).(type) {\ncase string:\n\t_ = x\ncase int:\n\t_ = xs[x] // here\n}",
		"var x any = two2{}\nn = x.(interface{ two() int }).two()\nn = x.(upper2).three() // here",
		"var x any = 1.5\npanic(x) // here",
	} {
		text := "package p\n\nvar xs = []int{1, 2, 3}\n\n" +
			"type box struct {\n\tn    int\n\tnext *box\n}\n\n" +
			"func (b *box) up(k int) {\n\tn := k\n\tb.n += n // method\n}\n\n" +
			"type upper interface{ up(k int) }\n\ntype two2 struct{ n int }\n\n" +
			"type upper2 interface{ three() int }\n\nfunc (two2) two() int { return 2 }\n\n" +
			"func two() int { return 2 }\n\nfunc far(n int) int {\n\treturn n\n}\n\n" +
			"func pick[T any](list []T, k int) T {\n\tk++\n\treturn list[k-1] // instance\n}\n\n" +
			"type stack[T any] struct{ list []T }\n\nfunc (s *stack[E]) top(k int) E {\n\tk++\n" +
			"\treturn s.list[k] // element\n}\n\n" +
			"func Run() {\n\tn := len(xs)\n\t_ = n\n" + body + "\n}\n"
		marker := "// here"
		for said, elsewhere := range map[string]string{"// far": "// method",
			"// generic": "// instance", "// stack": "// element"} {
			if strings.Contains(body, said) {
				marker = elsewhere
			}
		}
		want := strings.Count(text[:strings.Index(text, marker)], "\n") + 1
		if at := failing(t, text); at != want {
			t.Errorf("line %d failed, want %d:\n%s", at, want, numbered(text))
		}
	}
}

// failing returns the line in which a program fails.
func failing(t *testing.T, text string) int {
	t.Helper()
	pkg, problems := vet.CheckProgram([]vet.File{{Name: "p.go", Text: text}}, nil)
	if problems != nil {
		t.Fatal(problems)
	}
	m, err := newMachine(t.Context(), pkg, time.Minute, yaegi{symbols.Table()})
	if err != nil {
		t.Fatal(err)
	}
	defer m.stop()
	var fault *Fault
	err = m.call("p", "Run", func() error { m.value("Run").Call(nil); return nil })
	if !errors.As(err, &fault) {
		t.Fatalf("%v is no fault:\n%s", err, text)
	}
	return fault.Pos.Line
}
