package vet

import "testing"

// A position is a line of the author; where the last one is that of another function, the
// statement that called it is blamed.
func TestPositions(t *testing.T) {
	text := "package p\n\nfunc f() {\n\tg()\n\t_ = 1\n}\n\nfunc g() {\n}\n"
	p, problems := CheckProgram([]File{{Name: "a.go", Text: "package p\n"}, {Name: "b.go", Text: text}}, nil)
	if problems != nil {
		t.Fatal(problems)
	}
	if at := p.At(Position(1, 4)); at.String() != "b.go:4:2" || at.Len != 3 {
		t.Errorf("the call is at %v, %d characters", at, at.Len)
	}
	if at := p.At(0); at.String() != "a.go" {
		t.Errorf("nowhere is %v", at)
	}
	if at := p.At(Position(1, 99)); at.String() != "b.go" {
		t.Errorf("beyond the end is %v", at)
	}
	for _, c := range []struct {
		last, begins int
		want, hint   string
	}{
		{Position(1, 5), Position(1, 4), "b.go:5:2", ""},
		{Position(1, 8), Position(1, 4), "b.go:4:2", ""},
		{Position(1, 8), Position(0, 1), "b.go:8:1", ""},
	} {
		at, hint := p.Blame(c.last, c.begins)
		if at.String() != c.want || hint != c.hint {
			t.Errorf("%v %q, want %s %q", at, hint, c.want, c.hint)
		}
	}
}
