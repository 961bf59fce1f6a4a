package figure

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/verdict"
)

// docketed are verdicts of every outcome: of a run with few claims, one with none, and one with
// more than a line has room for.
func docketed() *Verdicts {
	v := &Verdicts{Rows: []VerdictRow{
		{"FedAVOT Fig. 1a — restricted availability", verdict.Outcomes()}, {"none", nil}, {"many", nil}}}
	for i := range 70 {
		v.Rows[2].Verdicts = append(v.Rows[2].Verdicts, verdict.Outcomes()[i%7%4])
	}
	return v
}

// Verdicts can be told apart without colour: each has a symbol, and its brightness is its own.
func TestVerdicts(t *testing.T) {
	golden(t, "verdicts.svg", written(t, docketed(), "svg", "double"))
	text := pdfText(t, written(t, docketed(), "pdf", "column"))
	for _, want := range []string{"holds (21)", "refuted (21)", "undecided (21)", "cannot be run here (11)",
		"not comparable (1)", "not judged (1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the legend lacks %q:\n%s", want, text)
		}
	}
	var bright []int
	for _, o := range verdict.Outcomes() {
		k := verdictColor(o)
		bright = append(bright, (299*int(k.R)+587*int(k.G)+114*int(k.B))/1000)
	}
	slices.Sort(bright)
	for i := range bright[1:] {
		if bright[i+1]-bright[i] < 20 {
			t.Errorf("two squares are as bright: %v", bright)
		}
	}
}

// Nothing leaves the page, at any size.
func TestVerdictsFit(t *testing.T) {
	for _, s := range Sizes() {
		p := drawn(t, docketed(), s)
		for _, one := range p.texts {
			from, to := p.box(&one)
			if from.X < -0.01 || from.Y < -0.01 || to.X > p.page.X+0.01 || to.Y > p.page.Y+0.01 {
				t.Errorf("%s: %v leaves the page", s.Name, one.lines)
			}
		}
		a := docketed().laid(p)
		if right := a.side + a.cell*vg.Length(a.across); right > p.page.X {
			t.Errorf("%s: squares leave the page", s.Name)
		}
	}
}
