package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
)

// A content is what the template is filled with.
type content struct {
	*Page
	Title      string
	Summary    string
	Style      template.CSS
	Script     template.JS
	Failed     int
	Tables     []render.Sheet
	Claims     *table.ClaimSet // nil for none
	Contest    []render.Sheet  // differences
	Contestant string          // why there are none
	Course     *render.Sheet
	Ranks      template.HTML
	RanksNote  string
	Thinned    string
	Audit      []render.Sheet
	Fewer      string // of how many methods this tells; "" for all
	Clients    *plain
	Plan       template.HTML
	Figures    figures
	Notes      map[string]string // below charts, by their names
}

// figures is what the scripts draw.
type figures struct {
	Run     string                `json:"run"`
	Entries []entry               `json:"entries"`
	Curves  *curves               `json:"curves"`
	Charts  map[string]*pageChart `json:"charts"`
}

// An entry of the legend has the same look in all figures. Its colour is a property of the style
// sheet: --e0 is that of the first.
type entry struct {
	Label string    `json:"label"`
	Dash  []float64 `json:"dash,omitempty"`
	Shape int       `json:"shape"`
}

// An author fills in a content.
type author struct {
	*content
	legend []chart.Entry
}

func contentOf(p *Page) (*content, error) {
	a := &author{content: &content{Page: p, Notes: map[string]string{},
		Figures: figures{Run: p.Name, Charts: map[string]*pageChart{}}}}
	in := p.Input
	if claims := table.JudgeClaims(p.Name, &in); len(claims.Claims) > 0 {
		a.Claims, in.Claims = &claims, nil // they stand apart
	}
	tables, err := table.Build(in)
	if err != nil {
		return nil, err
	}
	for i := range tables {
		a.Tables = append(a.Tables, a.sheet(&tables[i]))
		for _, r := range tables[i].Rows {
			a.entry(chart.Entry{Label: r.Method, Grey: r.Role != ""})
		}
	}
	for _, g := range p.Gaps {
		if g.Why != "" {
			a.Failed++
		}
	}
	if a.Title = p.Input.Title; a.Title == "" {
		a.Title = p.Name
	}
	a.summarise(&tables[0])
	if err := a.compare(); err != nil {
		return nil, err
	}
	a.Figures.Curves = gather(&p.Input, func(c study.Cell) int {
		return a.entry(chart.Entry{Label: c.Method, Grey: c.Role != ""})
	})
	a.Thinned = a.Figures.Curves.thinned()
	a.world()
	if p.Plans != nil {
		if a.Plan, err = Still(p.Plans); err != nil {
			return nil, err
		}
	}
	a.dress()
	return a.content, nil
}

// sheet arranges a table, whose title need not say what that of the page says.
func (a *author) sheet(t *table.Table) render.Sheet {
	s := render.SheetOf(t)
	s.Title = strings.TrimPrefix(strings.TrimPrefix(s.Title, a.Input.Title), " — ")
	return s
}

// entry returns the index of an entry of the legend, which is added when it is new.
func (a *author) entry(e chart.Entry) int {
	k := slices.IndexFunc(a.legend, func(x chart.Entry) bool { return x.Label == e.Label })
	if k < 0 {
		k = len(a.legend)
		a.legend = append(a.legend, e)
	}
	return k
}

// summarise says how large the run is.
func (a *author) summarise(t *table.Table) {
	in := &a.Input
	var methods []string
	axes := map[string][]string{}
	var order []string
	for _, c := range in.Cells {
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
		for _, at := range c.Point {
			if axes[at.Axis] == nil {
				order = append(order, at.Axis)
			}
			if !slices.Contains(axes[at.Axis], at.Label) {
				axes[at.Axis] = append(axes[at.Axis], at.Label)
			}
		}
	}
	words := []string{counted(len(in.Cells), "training run"), counted(len(methods), "method")}
	for _, axis := range order {
		words = append(words, fmt.Sprintf("%s: %s", axis, strings.Join(axes[axis], ", ")))
	}
	a.Summary = strings.Join(append(words, counted(len(t.Seeds), "seed")), " · ")
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// compare adds paired differences, ranks where they were tested, and the course of training.
func (a *author) compare() error {
	c, err := table.Compare(a.Input, table.ComparisonOptions{})
	if err != nil {
		a.Contestant = err.Error()
		return nil
	}
	for _, t := range c.Tables() {
		if t.View != table.LearningCurves {
			a.Contest = append(a.Contest, a.sheet(&t))
		}
	}
	course := a.sheet(&c.LearningCurve)
	a.Course = &course
	a.draw("forest")(chart.Forest(a.Input, ""))
	r := c.Ranking
	if r == nil || r.Why != "" {
		return nil
	}
	d := &figure.Ranks{Methods: r.Methods, Cliques: r.Cliques, Critical: float64(r.Critical)}
	for _, rank := range r.Ranks {
		d.Ranks = append(d.Ranks, float64(rank))
	}
	a.RanksNote = fmt.Sprintf("Mean ranks over %d conditions, 1 is the best; Friedman p = %.2g. "+
		"Bars join methods that the critical difference does not tell apart.", r.Conditions,
		float64(r.P))
	a.Ranks, err = Still(d)
	return err
}

// draw returns what adds a chart under a name, or says why there is none.
func (a *author) draw(name string) func(*chart.Chart, error) {
	return func(c *chart.Chart, err error) {
		if err != nil {
			a.Notes[name] = err.Error()
			return
		}
		drawn := chartOf(c, name, a.entry)
		a.Figures.Charts[name], a.Notes[name] = drawn, drawn.Note
	}
}

// world adds the clients and their data.
func (a *author) world() {
	w := a.World
	if w == nil {
		return
	}
	if n := len(w.Findings); n > 0 {
		if n < w.Arms {
			a.Fewer = fmt.Sprintf("the first %d of %d methods at points of the sweep; hansa audit "+
				"tells of all", n, w.Arms)
		}
		a.Audit = render.AuditSheets(w.Findings)
		a.Clients = w.clients()
		a.draw("participation")(chart.Participation(w.Findings))
		a.draw("weights")(chart.Weights(w.Findings))
	}
	if len(w.Dealings) > 0 {
		a.draw("partition")(chart.Partition(w.Dealings), nil)
	}
}

// dress fills in how the page looks.
func (a *author) dress() {
	var b strings.Builder
	for i, s := range figure.Styles(a.legend) {
		a.Figures.Entries = append(a.Figures.Entries,
			entry{Label: a.legend[i].Label, Dash: s.Dashes, Shape: s.Shape})
		light := [3]uint8{s.Color.R, s.Color.G, s.Color.B}
		dark := light
		for k, x := range light {
			dark[k] = x + uint8(0.35*float64(255-x))
		}
		if light == [3]uint8{} {
			dark = [3]uint8{230, 237, 243} // black is what the text is
		}
		fmt.Fprintf(&b, "--e%d:light-dark(#%x,#%x);", i, light, dark)
	}
	a.Style = template.CSS(Style() + ":root{" + b.String() + "}\n")
	a.Script = template.JS(Slim(scaleScript + drawScript + curvesScript + sortsScript + pageScript))
}
