package plugins

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/plugins/asked"
	"github.com/hansa-fl/hansa/plugins/grammar"
)

const (
	// perMachine is how many programs are vetted and interpreted as one package. In few of so small
	// ones something is refused, upon which all of a package is vetted again; and what a panic costs
	// the interpreter grows with the package.
	perMachine = 5

	perBinary = 500                        // programs that are compiled into one binary
	perCache  = 10000                      // programs whose packages are kept while they are built
	enough    = 20                         // differences that end the test
	matrix    = "testdata/grammar-full.md" // what the last full run found, for the README
)

// Every production of the grammar does the same compiled and interpreted in every context, bit
// for bit, or is refused; the programs use all of them. In full, which takes hours:
//
//	go test -v ./plugins -run 'Grammar|RandomPrograms' -fuzz-programs 200000 -fuzz-store -timeout 9h
func TestGrammar(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal("programs of the grammar are compiled, which needs the go command")
	}
	collectLess(t)
	g, err := grammar.New()
	if err != nil {
		t.Fatal(err)
	}
	p := &proof{g: g, matrix: g.NewMatrix()}
	for from := 0; from < *asked.Programs && len(p.different) < enough; from += perBinary {
		if *asked.Programs > perCache && from%perCache == 0 {
			p.ownCache(t)
		}
		to := min(from+perBinary, *asked.Programs)
		p.prove(t, g.Programs(*asked.Seed, from, to))
		t.Logf("%d programs of seed %d: %d differences, %d of them in cells that are known to differ",
			to, *asked.Seed, len(p.different)+p.known, p.known)
	}
	for i, d := range p.different {
		if i < *asked.Minimised {
			d = p.minimise(t, d)
		}
		t.Errorf("seed %d: %s: %s\n%s", *asked.Seed, g.CellName(d.use.Cell),
			firstDifference(d.got, d.want), numbered(d.source))
	}
	if *asked.Programs >= g.PerPass() && len(p.different) == 0 {
		p.covers(t)
	}
	report := p.matrix.Report()
	t.Log(report)
	if *asked.Store && !t.Failed() {
		if err := os.WriteFile(matrix, []byte(p.stored(report)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// covers wants that all cells were hit, and that the table of open ones is true.
func (p *proof) covers(t *testing.T) {
	missing := p.matrix.Missing()
	for _, name := range missing[:min(len(missing), enough)] {
		t.Errorf("no program hits %s", name)
	}
	if len(missing) > 0 {
		t.Errorf("%d cells were not hit", len(missing))
	}
	for _, name := range p.matrix.Closed() {
		t.Errorf("open.txt says that it differs, and it does not: %s", name)
	}
}

// What the README shows of the grammar is about the grammar that there is.
func TestStoredMatrix(t *testing.T) {
	text, err := os.ReadFile(matrix)
	if err != nil {
		t.Fatal(err)
	}
	g, err := grammar.New()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), g.Size()) {
		t.Errorf("%s is not about %s; TestGrammar says how it is made anew", matrix, g.Size())
	}
}
