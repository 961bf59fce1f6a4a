package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// Every instruction on vector registers is one of AVX. Some processors take hundreds of cycles for
// an instruction of before AVX where the upper half of a register is not zero.
func TestOnlyVectorInstructions(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly: %v", err)
	}
	vectors := regexp.MustCompile(`^\s*([A-Z][A-Z0-9.]*)\s.*\b[XYZ][0-9]+\b`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			m := vectors.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			found++
			if !strings.HasPrefix(m[1], "V") && !strings.HasPrefix(m[1], "K") {
				t.Errorf("%s:%d: %s is an instruction of before AVX", file, n+1, m[1])
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d instructions on vector registers, want thousands", found)
	}
}
