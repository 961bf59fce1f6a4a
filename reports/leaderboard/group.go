package leaderboard

import (
	"cmp"
	"fmt"
	"html/template"
	"reflect"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/page"
	"github.com/hansa-fl/hansa/reports/table"
)

// A group is runs that are compared with each other: at the conditions that they share their
// settings agree, methods apart.
type group struct {
	Title      string
	Short      string // the title without what all titles begin with, up to a colon
	Baseline   string // "" for none
	Metric     string // with its direction: "accuracy (%) ↑"
	Summary    string
	Setting    []fact // what all conditions share
	Tuning     string
	Edges      string // what a mark of chosen values says; "" for none
	Remarks    []string
	Conditions []condition
	Heat       *heat         // nil for no baseline
	Ranks      template.HTML // "" for none
	RanksNote  string
	Figures    []costFigure

	site   *site
	runs   []int // of the board
	in     infer.Input
	plan   *infer.Plan
	result *table.Comparison
	names  *infer.PathNames
	costs  []cost // that some run has; nil before Costs is called

	origins map[string][2]int // run and cell of it, by id; nil before origin is called
}

// A fact is a name and what stands for it.
type fact struct{ Name, Text string }

// standard is the method with which others are compared where no report says so.
const standard = "FedAvg"

// compare makes groups of the runs, and compares the methods of each.
func (s *site) compare() error {
	names := namer{firstPage: true, claimsPage: true}
	for _, runs := range together(s.Runs) {
		g := &group{site: s, runs: runs}
		if err := g.compare(); err != nil {
			return fmt.Errorf("%s: %w", s.Runs[runs[0]].Name, err)
		}
		for k := range g.result.Each.Columns {
			g.addCondition(k, names)
		}
		g.Heat = g.heatMap()
		if err := g.rank(); err != nil {
			return err
		}
		var err error
		if g.Figures, err = g.costFigures(g.overall()); err != nil {
			return err
		}
		s.Groups = append(s.Groups, g)
	}
	s.shorten()
	return nil
}

// together sorts runs into groups in which infer.Pool makes one of them, and in which final values
// are means of as many rounds.
func together(runs []infer.Run) (groups [][]int) {
	for i := range runs {
		k := slices.IndexFunc(groups, func(group []int) bool {
			if runs[group[0]].Report.Final != runs[i].Report.Final {
				return false
			}
			_, _, err := infer.Pool(pick(runs, append(slices.Clone(group), i)))
			return err == nil
		})
		if k < 0 {
			groups = append(groups, []int{i})
			continue
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// pick returns some of the runs.
func pick(runs []infer.Run, which []int) (list []infer.Run) {
	for _, i := range which {
		list = append(list, runs[i])
	}
	return list
}

// compare compares the methods of the group.
func (g *group) compare() error {
	var err error
	if g.in, g.Remarks, err = infer.Pool(pick(g.site.Runs, g.runs)); err != nil {
		return err
	}
	g.plan = infer.NewPlan(&g.in)
	baseline := cmp.Or(g.site.Baseline, g.in.Report.Baseline)
	if baseline == "" && g.plan.Row(standard) >= 0 {
		baseline = standard
	}
	g.result, err = table.Compare(g.in, table.ComparisonOptions{Baseline: baseline})
	if err != nil {
		return err
	}
	g.names = g.in.Paths()
	g.in.Report.Columns = nil // a condition is a point on all axes
	g.plan = infer.NewPlan(&g.in)
	g.Baseline = g.result.Each.Baseline
	g.Metric = headOf(g.column())
	g.Title = cmp.Or(g.in.Title, g.site.Runs[g.runs[0]].Name)
	g.summarise()
	return nil
}

// column is that of the metric in the first condition.
func (g *group) column() *table.Column { return &g.result.Each.Columns[0] }

// headOf names a metric with its unit and with the direction that is better.
func headOf(c *table.Column) string {
	text := c.Metric
	if c.Unit != "" {
		text += " (" + c.Unit + ")"
	}
	switch c.Direction {
	case infer.Up:
		text += " ↑"
	case infer.Down:
		text += " ↓"
	}
	return text
}

// summarise says how large the group is, what is the same in all conditions, and what was tuned.
func (g *group) summarise() {
	ranked := 0
	for _, m := range g.plan.Methods {
		if m.Ranked() {
			ranked++
		}
	}
	g.Summary = fmt.Sprintf("%s in %s, %s; %s in all", counted(ranked, "method"),
		counted(len(g.result.Each.Columns), "condition"),
		counted(len(g.plan.Seeds), "seed"), counted(len(g.in.Cells), "training run"))
	all := make([]int, len(g.in.Cells))
	for i := range all {
		all[i] = i
	}
	g.Setting = slices.Concat(g.common(), g.shared(all), g.made())
	switch t := g.in.Tuning; {
	case t == nil:
		g.Tuning = "Nothing was tuned: all parameters are those of the experiment file."
	case t.Open:
		g.Tuning = "The trials of tuning have not ended: not all parameters are chosen yet."
	default:
		g.Tuning = sentences(table.TuningTexts(t))
		if slices.ContainsFunc(t.Chosen, func(c store.Choice) bool { return len(c.Edges) > 0 }) {
			g.Edges = edge + " marks the least or the largest value that was tried: a better one " +
				"may lie beyond."
		}
	}
}

// Tuned reports whether parameters of some group were chosen by trials.
func (s *site) Tuned() bool {
	return slices.ContainsFunc(s.Groups, func(g *group) bool { return g.in.Tuning != nil })
}

// constant are the coordinates that all conditions have, where there are several.
func (g *group) constant() (list infer.Point) {
	columns := g.result.Each.Columns
	if len(columns) < 2 {
		return nil
	}
	for _, c := range columns[0].Point {
		without := func(other table.Column) bool { return !slices.Contains(other.Point, c) }
		if !slices.ContainsFunc(columns, without) {
			list = append(list, c)
		}
	}
	return list
}

// common are the facts that no condition is called by, as all have them.
func (g *group) common() (list []fact) {
	for _, c := range g.constant() {
		list = append(list, fact{study.LastPart(c.Axis), c.Label})
	}
	return list
}

// varying returns a point without what all conditions have.
func (g *group) varying(at infer.Point) infer.Point {
	constant := g.constant()
	return slices.DeleteFunc(slices.Clone(at), func(c infer.Coordinate) bool {
		return slices.Contains(constant, c)
	})
}

// made says which programs made the results, where that is known.
func (g *group) made() []fact {
	var texts []string
	for _, run := range g.runs {
		if run >= len(g.site.Made) {
			continue
		}
		for _, m := range g.site.Made[run] {
			if text := m.String(); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if texts == nil {
		return nil
	}
	return []fact{{"computed by", strings.Join(texts, "; ")}}
}

// shared lists the settings, those of methods apart, that cells share.
func (g *group) shared(cells []int) (list []fact) {
	add := func(name string, of func(c *study.Cell) string) {
		first := &g.in.Cells[cells[0]]
		text := of(first)
		for _, i := range cells {
			c := &g.in.Cells[i]
			if pick, ok := c.Picks[name]; ok && reflect.DeepEqual(pick, first.Picks[name]) {
				continue // to write it takes longer, and there are thousands
			}
			if text != of(c) {
				return
			}
		}
		if text != "" {
			list = append(list, fact{name, g.names.In(text)})
		}
	}
	add("clients", func(c *study.Cell) string { return fmt.Sprint(c.Clients) })
	add("rounds", func(c *study.Cell) string { return fmt.Sprint(c.Rounds) })
	for _, slot := range study.Slots() {
		if !slices.Contains(study.MethodKeys(), slot) || slot == "selection" {
			add(slot, func(c *study.Cell) string { return pickText(c, slot) })
		}
	}
	return list
}

// pickText writes a component of a cell with its parameters.
func pickText(c *study.Cell, slot string) string {
	pick, ok := c.Picks[slot]
	if !ok {
		return ""
	}
	return pick.Name + parameters(c, slot)
}

// parameters writes the parameters of a slot of a cell: " (alpha = 0.1, kind = per-class)".
func parameters(c *study.Cell, slot string) string {
	var words []string
	for _, s := range infer.Settings(c) {
		path, below := strings.CutPrefix(s.Path, slot+".")
		if below && s.Value != "" && !strings.HasSuffix(path, study.SourceKey) {
			words = append(words, path+" = "+s.Value)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// rank draws the critical-difference diagram, where ranks over conditions were tested.
func (g *group) rank() error {
	r := g.result.Ranking
	switch {
	case r == nil:
		g.RanksNote = "Ranks take two conditions at least, in which every method is complete."
		return nil
	case r.Why != "":
		g.RanksNote = capital(r.Why) + ": the diagram shows mean ranks without a test."
	default:
		g.RanksNote = fmt.Sprintf("Friedman test: p %s; critical difference %.2f by Nemenyi at "+
			"5 %%. Bars join methods whose ranks do not differ significantly.",
			related(table.PValue(r.P)), float64(r.Critical))
	}
	d := &figure.Ranks{Methods: r.Methods}
	if r.Why == "" {
		d.Cliques, d.Critical = r.Cliques, float64(r.Critical)
	}
	for _, x := range r.Ranks {
		d.Ranks = append(d.Ranks, float64(x))
	}
	g.RanksNote = fmt.Sprintf("Mean ranks over n = %s; 1 is the best. ",
		counted(r.Conditions, "condition")) + g.RanksNote
	var err error
	g.Ranks, err = page.Still(d)
	return err
}

// related writes a probability behind its letter: "= 0.04", "< 0.001".
func related(p string) string {
	if strings.HasPrefix(p, "<") {
		return p
	}
	return "= " + p
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// capital begins a sentence.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// sentences joins texts that have neither a capital nor a full stop.
func sentences(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = capital(text) + "."
	}
	return strings.Join(list, " ")
}

// shorten finds the short titles of the groups.
func (s *site) shorten() {
	if len(s.Groups) == 0 {
		return
	}
	first := s.Groups[0].Title
	at := strings.LastIndex(first, ": ") + len(": ")
	for _, g := range s.Groups {
		for at >= len(": ") && !strings.HasPrefix(g.Title, first[:at]) {
			at = strings.LastIndex(first[:at-len(": ")], ": ") + len(": ")
		}
	}
	for _, g := range s.Groups {
		if g.Short = g.Title; at >= len(": ") && len(s.Groups) > 1 {
			g.Short = g.Title[at:]
		}
	}
}
