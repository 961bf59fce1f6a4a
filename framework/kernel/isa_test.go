package kernel

import (
	"os"
	"testing"
)

// usable lists the paths that this machine can run.
func usable() (list []path) {
	for p := range best() + 1 {
		list = append(list, p)
	}
	return list
}

func TestWordsChooseThePath(t *testing.T) {
	for _, c := range []struct {
		word       string
		best, want path
	}{
		{"", avx512, avx512},
		{"", generic, generic},
		{"avx512", avx512, avx512},
		{"avx512", avx2, avx2},
		{"avx512", generic, generic},
		{"avx2", avx512, avx2},
		{"avx2", generic, generic},
		{"generic", avx512, generic},
		{"sse", avx2, avx2},
	} {
		if got := choose(c.word, c.best); got != c.want {
			t.Errorf("%q on a machine with %v chooses %v, want %v", c.word, c.best, got, c.want)
		}
	}
	if want := choose(os.Getenv("HANSA_ISA"), best()); ISA() != want.String() {
		t.Errorf("ISA() = %q, want %q", ISA(), want)
	}
}
