package leaderboard

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/page"
	"github.com/hansa-fl/hansa/reports/table"
)

// A cost is something that a training run takes.
type cost struct {
	Name string
	unit string
	of   func(x *spent) float64 // NaN where it is not known
}

// A spent is what is known of what a training run took.
type spent struct {
	cell   *study.Cell
	result *engine.Result
	took   *engine.Cost // nil: not known
}

// trained counts the local trainings of a run: one for every participant of every round.
func (x *spent) trained() float64 {
	return math.Round(x.result.Law.Mean * float64(x.cell.Played()))
}

// of returns a number of what a run took, NaN where that is not known.
func of(read func(t *engine.Cost) float64) func(x *spent) float64 {
	return func(x *spent) float64 {
		if x.took == nil {
			return math.NaN()
		}
		return read(x.took)
	}
}

// timed is of for seconds, which are not taken of long runs.
func timed(seconds func(t *engine.Cost) float64) func(x *spent) float64 {
	return of(func(t *engine.Cost) float64 {
		if !t.Timed {
			return math.NaN()
		}
		return seconds(t)
	})
}

// costs are what can be shown; those that are 0 or unknown of all runs are not.
func costs() []cost {
	return []cost{
		{"rounds", "", func(x *spent) float64 { return float64(x.cell.Played()) }},
		{"local trainings", "", (*spent).trained},
		{"upload", fl.Bytes, of((*engine.Cost).Upload)},
		{"download", fl.Bytes, of((*engine.Cost).Download)},
		{"virtual time", fl.Hours, of(func(t *engine.Cost) float64 { return t.Hours })},
		{"clients", "s", timed(func(t *engine.Cost) float64 { return t.Clients })},
		{"server", "s", timed(func(t *engine.Cost) float64 { return t.Server })},
		{"preprocessing", "s", of(func(t *engine.Cost) float64 { return t.Preprocess })},
	}
}

// Costs returns the costs that some run of the group has, short times in milliseconds.
func (g *group) Costs() []cost {
	if g.costs != nil {
		return g.costs
	}
	list := []cost{}
	for _, c := range costs() {
		most := 0.0
		for i := range g.in.Cells {
			if x, ok := g.costOf(i, &c); ok {
				most = max(most, x)
			}
		}
		if c.unit == "s" && most < 1 {
			seconds := c.of
			c.unit = "ms"
			c.of = func(x *spent) float64 { return 1000 * seconds(x) }
		}
		if most > 0 {
			list = append(list, c)
		}
	}
	g.costs = list
	return list
}

// costOf returns what a run took, if that is known.
func (g *group) costOf(i int, c *cost) (float64, bool) {
	id := g.in.IDs[i]
	if g.in.Results[id] == nil {
		return 0, false
	}
	x := c.of(&spent{&g.in.Cells[i], g.in.Results[id], g.in.Costs[id]})
	return x, !math.IsNaN(x)
}

// costSample collects what runs took, by seed.
func (g *group) costSample(cells []int, c *cost) infer.Sample {
	return g.plan.Collect(cells, func(i int) (float64, bool) { return g.costOf(i, c) })
}

// addAmounts writes what the runs of rows took, each cost with the same digits in all rows.
func (g *group) addAmounts(rows []row) {
	for _, c := range g.Costs() {
		samples := make([]infer.Sample, len(rows))
		var spans [][2]float64
		for i := range rows {
			samples[i] = g.costSample(rows[i].cells, &c)
			if low, high := infer.MeanInterval(samples[i].Values); high > low {
				spans = append(spans, [2]float64{low, high})
			}
		}
		w := table.NewWriter(c.unit, spans)
		for i := range rows {
			rows[i].Costs = append(rows[i].Costs, spanned(&samples[i], c.unit, w))
		}
	}
}

// spanned writes the mean of a cost, with its interval where that shows that seeds differ.
func spanned(s *infer.Sample, unit string, w table.Writer) amount {
	if len(s.Values) == 0 {
		return amount{"—", table.Number(math.NaN())}
	}
	low, high := infer.MeanInterval(s.Values)
	low = max(0, low) // nothing takes less
	text := plainNumber(s.Mean())
	if high > low || text == "" {
		text = w.Value(s.Mean(), low, high)
	}
	switch {
	case !(high > low):
	case unit == fl.Bytes:
		if from, to := table.Amount(low, unit), table.Amount(high, unit); from != to {
			text += " [" + from + ", " + to + "]"
		}
	default:
		text += " " + w.Interval(low, high)
	}
	return amount{text, table.Number(s.Mean())}
}

// plainNumber writes a small whole number; "" of every other one.
func plainNumber(x float64) string {
	if x != math.Trunc(x) || math.Abs(x) >= 1e4 {
		return ""
	}
	return fmt.Sprintf("%.0f", x)
}

// Head names a cost with its unit.
func (c cost) Head() string {
	if c.unit == "" || c.unit == fl.Bytes {
		return c.Name + " ↓"
	}
	return c.Name + " (" + c.unit + ") ↓"
}

// A costFigure shows what methods reach against what they take.
type costFigure struct {
	Name string
	SVG  template.HTML
	Note string
}

// A reached point is a method with what it reached, and the cells behind that.
type reached struct {
	method infer.Method
	mean   float64
	low    float64
	high   float64
	cells  []int
}

// overall returns what methods reach over the conditions in which all are complete.
func (g *group) overall() (list []reached) {
	t := &g.result.Overall
	for r := range t.Rows {
		m := infer.Method{Label: t.Rows[r].Method, Role: t.Rows[r].Role, Parent: t.Rows[r].Parent}
		var cells []int
		for k, used := range g.result.Used {
			if used {
				cells = append(cells, g.plan.CellsAt(m, &g.plan.Blocks[0],
					infer.Point(g.result.Each.Columns[k].Point))...)
			}
		}
		list = appendReached(list, m, &t.Rows[r].Cells[0], cells)
	}
	return list
}

// at returns what methods reach in a condition.
func (g *group) at(k int) (list []reached) {
	t := &g.result.Each
	for r := range t.Rows {
		m := infer.Method{Label: t.Rows[r].Method, Role: t.Rows[r].Role, Parent: t.Rows[r].Parent}
		cells := g.plan.CellsAt(m, &g.plan.Blocks[0], infer.Point(t.Columns[k].Point))
		list = appendReached(list, m, &t.Rows[r].Cells[k], cells)
	}
	return list
}

// appendReached adds a method if it has a mean.
func appendReached(list []reached, m infer.Method, c *table.Cell, cells []int) []reached {
	if c.N() == 0 || !infer.Finite(float64(c.Mean)) || len(cells) == 0 {
		return list
	}
	low, high := infer.MeanInterval(floats(c.Values))
	if !infer.Finite(low) {
		low, high = float64(c.Mean), float64(c.Mean)
	}
	return append(list, reached{m, float64(c.Mean), low, high, cells})
}

// costFigures draws the metric against every cost in which methods differ.
func (g *group) costFigures(methods []reached) (list []costFigure, err error) {
	for _, c := range g.Costs() {
		f := costFigure{Name: c.Name}
		drawn := &chart.Chart{Panels: []chart.Panel{{
			X: chart.Axis{Label: axisLabel(&c)}, Y: chart.Axis{Label: g.column().Metric}}}}
		least, most := math.Inf(1), 0.0
		for _, m := range methods {
			s := g.costSample(m.cells, &c)
			if len(s.Values) == 0 {
				continue
			}
			x := s.Mean()
			least, most = min(least, x), max(most, x)
			drawn.Panels[0].Marks = append(drawn.Panels[0].Marks, chart.Mark{Shape: chart.Points,
				Entry: len(drawn.Legend), X: []float64{scaledCost(x, c.unit)},
				Y: []float64{m.mean}, Low: []float64{m.low}, High: []float64{m.high}})
			drawn.Legend = append(drawn.Legend,
				chart.Entry{Label: m.method.Label, Grey: !m.method.Ranked()})
		}
		if len(drawn.Legend) < 2 {
			continue
		}
		if most-least <= 1e-9*most {
			text := table.Amount(most, c.unit)
			if c.unit == "" {
				text = cmp.Or(plainNumber(most), text)
			}
			f.Note = fmt.Sprintf("all methods take the same: %s.", text)
			list = append(list, f)
			continue
		}
		drawn.Panels[0].X.Log = least > 0 && most > 20*least
		if drawn.Highlight(g.named(drawn)) != nil {
			continue // every label is of the legend
		}
		f.Note = fmt.Sprintf("bars are 95 %% intervals over n = %s.",
			counted(len(g.plan.Seeds), "seed")) + namedNote(drawn)
		if f.SVG, err = page.Still(figure.Chart{Chart: drawn}); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// mostNamed is how many methods a figure names at most: colours of more are not told apart.
const mostNamed = 8

// named lists the methods that a figure of many names: the baseline, and those at whose cost or
// less no other has a better mean. It lists none where all are named.
func (g *group) named(c *chart.Chart) (labels []string) {
	marks := c.Panels[0].Marks
	if len(marks) <= mostNamed {
		return nil
	}
	sign := 1.0
	if g.column().Direction == infer.Down {
		sign = -1
	}
	for _, m := range marks {
		x, y := m.X[0], sign*m.Y[0]
		beaten := slices.ContainsFunc(marks, func(o chart.Mark) bool {
			return o.X[0] <= x && sign*o.Y[0] > y || o.X[0] < x && sign*o.Y[0] >= y
		})
		if label := c.Legend[m.Entry].Label; !beaten || label == g.Baseline {
			labels = append(labels, label)
		}
	}
	return labels
}

// namedNote says which methods a figure names.
func namedNote(c *chart.Chart) string {
	if !slices.ContainsFunc(c.Legend, func(e chart.Entry) bool { return e.Muted }) {
		return ""
	}
	return " Coloured are the baseline and the methods than which none has a better mean for as " +
		"little; means do not tell methods apart where intervals are wide."
}

// axisLabel names the axis of a cost.
func axisLabel(c *cost) string {
	switch c.unit {
	case "":
		return c.Name
	case fl.Bytes:
		return c.Name + " (MB)"
	}
	return c.Name + " (" + c.unit + ")"
}

// scaledCost is a cost on its axis.
func scaledCost(x float64, unit string) float64 {
	if unit == fl.Bytes {
		return x / 1e6
	}
	return x
}
