package store

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// ranBy returns an attempt by a program of a revision, on a kind of processor.
func ranBy(revision, program, kernels string) *Attempt {
	return &Attempt{Build: Build{Revision: revision, Go: "go1", Platform: "linux/amd64"},
		Environment: &Environment{Program: program,
			Numerics: "program " + program + " go1 linux/amd64 kernels " + kernels}}
}

func TestMixtures(t *testing.T) {
	const clean = "0123456789abcdef"
	modified := ranBy(clean, "bbbb", "avx2")
	modified.Build.Modified = true
	before := &Attempt{Build: Build{Revision: "fedcba9876543210", Go: "go1", Platform: "linux/amd64"}}
	nameless := &Attempt{Build: Build{Go: "go1", Platform: "linux/amd64"}}
	for name, c := range map[string]struct {
		attempts []*Attempt
		want     string
	}{
		"none": {nil, ""},
		"one":  {[]*Attempt{ranBy(clean, "aaaa", "avx2"), nil, ranBy(clean, "aaaa", "avx2")}, ""},
		"one source, built twice": {[]*Attempt{ranBy(clean, "aaaa", "avx2"),
			ranBy(clean, "bbbb", "avx2")}, ""},
		"one source, one attempt of before": {[]*Attempt{before, ranBy(before.Build.Revision, "aaaa", "avx2")}, ""},
		"an older build": {[]*Attempt{before, ranBy(clean, "aaaa", "avx2"), ranBy(clean, "aaaa", "avx2")},
			"training runs come from 2 builds of hansa (2 runs: revision 0123456789ab, go1 linux/amd64; " +
				"1 run: revision fedcba987654, go1 linux/amd64): their last bits may differ"},
		"modified": {[]*Attempt{modified, ranBy(clean, "aaaa", "avx2")},
			"training runs come from 2 builds of hansa (1 run: program bbbb, go1 linux/amd64; 1 run: " +
				"revision 0123456789ab, go1 linux/amd64): their last bits may differ"},
		"nameless": {[]*Attempt{nameless, ranBy("", "aaaa", "avx2")},
			"training runs come from 2 builds of hansa (1 run: a program that does not say which it is, " +
				"go1 linux/amd64; 1 run: program aaaa, go1 linux/amd64): their last bits may differ"},
		"processors": {[]*Attempt{ranBy(clean, "aaaa", "avx2"), ranBy(clean, "aaaa", "avx512")},
			"training runs come from 2 kinds of arithmetic (1 run: go1 linux/amd64 kernels avx2; 1 run: " +
				"go1 linux/amd64 kernels avx512): their last bits may differ"},
	} {
		r, p := Run{t.TempDir()}, &Plan{}
		for k, a := range c.attempts {
			p.IDs = append(p.IDs, fmt.Sprintf("%064x", k), fmt.Sprintf("%064x", k))
			if a == nil {
				continue
			}
			if err := r.SaveAttempt(fmt.Sprintf("%064x", k), a); err != nil {
				t.Fatal(err)
			}
		}
		m, err := r.Mixture(p)
		if err != nil || m.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, m, c.want)
		}
	}
}

// An attempt that cannot be read costs the others nothing.
func TestMixturesOfWhatCanBeRead(t *testing.T) {
	r, p := Run{t.TempDir()}, &Plan{IDs: []string{ab12, ab34, ab99}}
	for k, revision := range []string{"one", "two"} {
		if err := r.SaveAttempt(p.IDs[k], ranBy(revision, "aaaa", "avx2")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(r.file("attempts", ab99), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := r.Mixture(p)
	if err == nil || !strings.Contains(err.Error(), ab99+".json is damaged") {
		t.Errorf("it does not say what it cannot read: %v", err)
	}
	if !strings.Contains(m.String(), "2 builds") {
		t.Errorf("it says %q", m)
	}
}

// BenchmarkMixture reads what ten thousand cells left.
func BenchmarkMixture(b *testing.B) {
	r, p := Run{b.TempDir()}, &Plan{}
	a := ranBy("0123456789abcdef", strings.Repeat("a", 64), "avx512 functions 0123456789abcdef")
	for k := range 10_000 {
		id := fmt.Sprintf("%02x%062d", k%256, k)
		p.IDs = append(p.IDs, id)
		path := r.file("attempts", id)
		if err := os.MkdirAll(path[:len(path)-len(id)-6], 0o777); err != nil {
			b.Fatal(err)
		}
		content := fmt.Sprintf(`{
  "started": "x", "seconds": %d, "build": {"revision": %q, "go": "go1"},
			"environment": {"program": %q, "numerics": %q}, "volatile": []}`, k, a.Build.Revision,
			a.Environment.Program, a.Environment.Numerics)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if m, err := r.Mixture(p); err != nil || len(m.builds) != 1 {
			b.Fatal(m, err)
		}
	}
}
