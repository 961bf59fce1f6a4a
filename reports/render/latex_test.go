package render

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// compile runs pdflatex over a document of the article class that loads nothing but
// booktabs, and returns its log.
func compile(t *testing.T, body []byte) string {
	t.Helper()
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("pdflatex is missing: install texlive-latex-base and texlive-latex-recommended")
		}
		t.Skip("pdflatex is missing: tables are not compiled")
	}
	dir := t.TempDir()
	document := "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" +
		string(body) + "\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "table.tex"), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(pdflatex, "-draftmode", "-interaction=nonstopmode", "table.tex")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("pdflatex: %v\n%s", err, out)
	}
	log, err := os.ReadFile(filepath.Join(dir, "table.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(log)
}

// trouble is what the log says of errors and of lines that stick out.
var trouble = regexp.MustCompile(`(?m)^(?:!|Overfull \\hbox|Missing character).*(?:\n.*){0,3}`)

func TestLaTeXCompiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	list := reportstest.Examples()
	for range 10 {
		list = append(list, reportstest.Random(rng))
	}
	var body bytes.Buffer
	for _, x := range list {
		if err := LaTeX(&body, reportstest.Tables(t, x.Input)); err != nil {
			t.Fatal(err)
		}
		io.WriteString(&body, "\\clearpage\n")
	}
	if found := trouble.FindAllString(compile(t, body.Bytes()), -1); found != nil {
		t.Errorf("%s", strings.Join(found, "\n"))
	}
}

// TestTeXHasAllCharacters: whatever is in a label, it compiles, in text and in a row that
// begins with it.
func TestTeXHasAllCharacters(t *testing.T) {
	var body bytes.Buffer
	body.WriteString("\\begin{tabular}{l}\nfirst \\\\\n")
	n := 0
	add := func(r rune) {
		if unicode.IsControl(r) {
			return // no label has one: see oneLine
		}
		body.WriteString(tex(string(r)) + tex("x"+string(r)+string(r)+"y") + " \\\\\n")
		if n++; n%40 == 0 {
			body.WriteString("\\end{tabular}\n\n\\begin{tabular}{l}\nnext \\\\\n")
		}
	}
	for r := rune(0x20); r < 0x250; r++ {
		add(r)
	}
	for r := rune(0x370); r < 0x400; r++ {
		add(r)
	}
	for r := rune(0x2000); r < 0x2300; r++ {
		add(r)
	}
	for _, r := range "◂★✓✔𝒜𝒵𝒞ℰ联邦🚀\u3000" {
		add(r)
	}
	for accent := range texAccents {
		for _, r := range "aZθ" {
			body.WriteString(tex(string(r)+string(accent)) + " \\\\\n")
		}
	}
	body.WriteString("\\end{tabular}\n")
	if found := trouble.FindAllString(compile(t, body.Bytes()), -1); found != nil {
		t.Errorf("%s", strings.Join(found, "\n"))
	}
}

func TestTeX(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"FedAvg (K = 2)", "FedAvg (K = 2)"},
		{`a\b{c}$d&e#f%g_h`, `a\textbackslash{}b\{c\}\$d\&e\#f\%g\_h`},
		{"[x] *y*", "{[}x{]} {*}y{*}"},
		{"p̃ θ̂ e\u0301", `$\tilde{p}$ $\hat{\theta}$ \'{e}`},
		{"θᵗ⁻¹ uᵢ", `$\theta$$^{t}$$^{-}$$^{1}$ u$_{i}$`},
		{"a -- b", "a -{}- b"},
		{"𝒜 ≤ ∞", `$\mathcal{A}$ $\le$ $\infty$`},
		{"联", `\texttt{U+8054}`},
	} {
		if got := tex(c.text); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestTeXEntry(t *testing.T) {
	for _, c := range []struct {
		e    table.Entry
		want string
	}{
		{table.Entry{}, `&`},
		{table.Entry{Word: "—", Notes: []int{2}}, `\multicolumn{2}{c}{—\textsuperscript{b}}`},
		{table.Entry{Word: "~", Aside: "(p = 0.41)"}, `\multicolumn{2}{c}{$\sim$\ ($p = 0.41$)}`},
		{table.Entry{Whole: "−1", Frac: ".25", Spread: "0.12"}, `$-1$ & $.25{\scriptstyle\,\pm\,0.12}$`},
		{table.Entry{Whole: "1", Frac: ".5", Spread: "∞"}, `$1$ & $.5{\scriptstyle\,\pm\,\infty}$`},
		{table.Entry{Whole: "3", Frac: ".42", Spread: "0.21", Scale: "e−5", Best: true},
			`$(\mathbf{3}$ & $\mathbf{.42}{\scriptstyle\,\pm\,0.21})\cdot10^{-5}$`},
		{table.Entry{Whole: "20", Frac: ".0", Scale: " k"}, `$20$ & $.0\,\mathrm{k}$`},
		{table.Entry{Whole: "×50400", Aside: "(always)"}, `${\times}50400$ & \ (always)`},
		{table.Entry{Whole: "75", Frac: ".0", Aside: "(3/5)", Notes: []int{1, 27}},
			`$75$ & $.0$\ (3/5)\textsuperscript{a,\,aa}`},
		{table.Entry{Whole: "7", Star: "**"}, `$7$ & $^{\ast\ast}$`},
		{table.Entry{Whole: "7", Star: "†"}, `$7$ & $^{\dagger}$`},
	} {
		if got := texEntry(c.e); got != c.want {
			t.Errorf("%+v: %s, want %s", c.e, got, c.want)
		}
	}
}

func TestLetters(t *testing.T) {
	for n, want := range map[int]string{1: "a", 26: "z", 27: "aa", 52: "az", 53: "ba", 703: "aaa"} {
		if got := letters(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
