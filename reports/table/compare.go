package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

const (
	fewestBlocks = 6       // conditions below which ranks are not tested
	manyBlocks   = 10      // conditions from which on the distribution of F is near enough
	shuffles     = 100_000 // random orders behind a p
)

// ComparisonOptions say what of an experiment is compared.
type ComparisonOptions struct {
	Metric   string   // "": the first of the report
	Baseline string   // "": that of the report, if any
	Targets  []Target // whose time to reach is reported
	Budgets  []Target // of costs, at which the metric is reported
	Margin   float64  // within which a difference counts as none, in units of the metric; 0: none
	Remarks  []string // that are to stand under the first table
}

// A Target is a value of a metric, in its unit, to be reached. Of a budget Value may be in another
// unit, B or s.
type Target struct {
	Metric string
	Value  float64
	Unit   string // of Value; empty: that of the metric
}

// A comparison is a Comparison in the making.
type comparison struct {
	*draft  // of Each
	options ComparisonOptions
	result  *Comparison
	used    []int // columns of Each
}

// Compare compares the methods of an experiment over all points of its sweep.
func Compare(in infer.Input, o ComparisonOptions) (*Comparison, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	in.Report.Columns = nil // the conditions are all the points there are
	if o.Baseline != "" {
		in.Report.Baseline, in.Report.Against = o.Baseline, "baseline"
	}
	if err := in.SetDefaults(); err != nil {
		return nil, err
	}
	names := in.Paths()
	in = names.Shorten(in)
	p := newTablePlan(&in)
	if err := p.completeOptions(&o); err != nil {
		return nil, err
	}
	p.Metrics = []string{o.Metric}
	c := &comparison{draft: p.draft(&p.Blocks[0]), options: o, result: &Comparison{}}
	c.table.View = Differences
	c.chooseConditions()
	for k := range c.table.Columns {
		c.addTestStatistics(k, o.Margin, func(r, other int) float64 {
			return c.superiority(r, other, []int{k})
		})
	}
	overall := c.overall()
	c.rankMethods()
	blocks := c.overConditions()
	curves := c.learningCurve()
	c.explainTables(overall, blocks, curves)
	c.result.Each, c.result.Overall, c.result.LearningCurve = *c.table, *overall.table,
		*curves.table
	if blocks != nil {
		blocks.table.Ranking = c.result.Ranking
		c.result.Blocks = blocks.table
		shortenPaths(c.result.Blocks, names)
	}
	for _, t := range []*Table{&c.result.Each, &c.result.Overall, &c.result.LearningCurve} {
		shortenPaths(t, names)
	}
	return c.result, nil
}

// completeOptions checks the options against what there is, and fills in what they leave out.
func (p *tablePlan) completeOptions(o *ComparisonOptions) error {
	if name := p.In.Report.Baseline; o.Baseline != "" && p.Row(name) < 0 {
		var names []string
		for _, m := range p.Methods {
			names = append(names, m.Label)
		}
		return fmt.Errorf("there is no method %q; %s", name, study.Suggest(name, names))
	}
	if o.Metric == "" && len(p.Metrics) > 0 {
		o.Metric = p.Metrics[0]
	}
	var err error
	if o.Budgets, err = p.readBudgets(o.Budgets); err != nil && len(p.In.Results) > 0 {
		return err
	}
	wanted := []string{o.Metric}
	for _, t := range o.Targets {
		wanted = append(wanted, t.Metric)
	}
	for i, metric := range wanted {
		s := p.AnySeries(metric)
		switch {
		case s == nil && len(p.In.Results) == 0:
			return fmt.Errorf("nothing was run yet: there is nothing to compare")
		case s == nil:
			return fmt.Errorf("no result has the metric %q; %s", metric,
				study.Suggest(metric, p.measuredMetrics()))
		case fl.Cumulative(s.Unit) || s.Describes:
			return fmt.Errorf("of %q neither more nor less is better: it cannot be compared",
				metric)
		}
		if i > 0 && s.Unit == "%" && o.Targets[i-1].Value > 0 && o.Targets[i-1].Value <= 1 {
			return fmt.Errorf("%q is in percent: a target of %g is %g %%, not %g", metric,
				o.Targets[i-1].Value, o.Targets[i-1].Value, 100*o.Targets[i-1].Value)
		}
	}
	return nil
}

// measuredMetrics lists the metrics that cells measure.
func (p *tablePlan) measuredMetrics() []string {
	var keys []string
	for i := range p.In.Cells {
		for _, m := range p.In.Cells[i].Measures {
			if !slices.Contains(keys, m.Key) {
				keys = append(keys, m.Key)
			}
		}
	}
	return keys
}

// competes reports whether the method of a row competes: it is ranked, and somewhere complete
// and comparable.
func (c *comparison) competes(r int) bool {
	return c.Methods[r].Ranked() && slices.ContainsFunc(c.samples[r],
		func(s infer.Sample) bool { return s.Comparable() })
}

// chooseConditions marks the conditions at which all competing methods are complete and comparable.
func (c *comparison) chooseConditions() {
	for k := range c.table.Columns {
		used := true
		some := false
		for r := range c.Methods {
			if c.competes(r) {
				used, some = used && c.samples[r][k].Comparable(), true
			}
		}
		c.result.Used = append(c.result.Used, used && some)
		if used && some {
			c.used = append(c.used, k)
		}
	}
}

// newTable begins a table with the same rows.
func (c *comparison) newTable(view View) *draft {
	t := Table{Title: c.table.Title, Block: []infer.Coordinate{}, Axes: []string{},
		Seeds:  c.table.Seeds,
		Spread: c.table.Spread, Against: c.table.Against, Baseline: c.table.Baseline,
		Command: c.table.Command, Hash: c.table.Hash, View: view, Notes: []Note{}}
	d := &draft{tablePlan: c.tablePlan, table: &t, others: c.others, numbers: map[string]int{},
		block: &infer.Block{Points: []infer.Point{nil}}, samples: make([][]infer.Sample,
			len(c.Methods))}
	for _, m := range c.Methods {
		row := Row{Method: m.Label, Role: m.Role, Parent: m.Parent, Notes: []int{}}
		t.Rows = append(t.Rows, row)
	}
	return d
}

// addColumn adds a column to a sheet, given the sample of every row.
func (c *comparison) addColumn(d *draft, column Column, samples []infer.Sample) {
	column.Point, column.Notes = []infer.Coordinate{}, []int{}
	d.table.Columns = append(d.table.Columns, column)
	d.family, d.pairs = append(d.family, 0), append(d.pairs, nil)
	for r, m := range c.Methods {
		var cells []int
		for k, at := range c.block.Points {
			if len(c.used) == 0 || slices.Contains(c.used, k) {
				cells = append(cells, c.CellsAt(m, c.block, at)...)
			}
		}
		d.samples[r] = append(d.samples[r], samples[r])
		d.table.Rows[r].Cells = append(d.table.Rows[r].Cells, d.cell(&samples[r], cells))
	}
}

// averageSamples returns the means of samples over the seeds that are in all of them. Planned are
// the seeds that all of them should have.
func averageSamples(list []infer.Sample) infer.Sample {
	if len(list) == 0 {
		return infer.Sample{}
	}
	s := infer.Sample{}
	for _, one := range list {
		s.Incomparable = s.Incomparable || one.Incomparable
		for _, text := range one.Differs {
			if !slices.Contains(s.Differs, text) {
				s.Differs = append(s.Differs, text)
			}
		}
	}
	for _, seed := range list[0].Planned {
		if !slices.ContainsFunc(list, func(other infer.Sample) bool {
			return !slices.Contains(other.Planned, seed)
		}) {
			s.Planned = append(s.Planned, seed)
		}
	}
	for i, seed := range list[0].Seeds {
		values := []float64{list[0].Values[i]}
		for _, other := range list[1:] {
			if j := slices.Index(other.Seeds, seed); j >= 0 {
				values = append(values, other.Values[j])
			}
		}
		if len(values) == len(list) {
			mean, _ := infer.MeanSD(values)
			s.Seeds, s.Values = append(s.Seeds, seed), append(s.Values, mean)
		}
	}
	return s
}

// gather returns, by row, what read returns of its cells, averaged within a seed over the
// conditions used.
func (c *comparison) gather(read func(i int) (float64, bool)) []infer.Sample {
	list := make([]infer.Sample, len(c.Methods))
	for r, m := range c.Methods {
		var samples []infer.Sample
		for _, k := range c.used {
			s := c.Collect(c.CellsAt(m, c.block, c.block.Points[k]), read)
			s.Differs, s.Incomparable = c.samples[r][k].Differs, c.samples[r][k].Incomparable
			samples = append(samples, s)
		}
		list[r] = averageSamples(samples)
	}
	return list
}

// overall makes the table of the means over the conditions used.
func (c *comparison) overall() *draft {
	d := c.newTable(Differences)
	list := make([]infer.Sample, len(c.Methods))
	for r := range c.Methods {
		var samples []infer.Sample
		for _, k := range c.used {
			samples = append(samples, c.samples[r][k])
		}
		list[r] = averageSamples(samples)
	}
	c.addColumn(d, c.table.Columns[0], list)
	d.compare(0)
	d.rank(0)
	d.addTestStatistics(0, c.options.Margin, func(r, other int) float64 {
		return c.superiority(r, other, c.used)
	})
	return d
}

// overConditions makes the table of the same differences with conditions as the unit; nil where
// there are fewer than two.
func (c *comparison) overConditions() *draft {
	if len(c.used) < 2 {
		return nil
	}
	d := c.newTable(Standings)
	d.table.seedsWithin = c.table.planned()
	list := make([]infer.Sample, len(c.Methods))
	for r := range c.Methods {
		for i, k := range c.used {
			list[r].Planned = append(list[r].Planned, uint64(i))
			s := &c.samples[r][k]
			if list[r].Incomparable = list[r].Incomparable ||
				s.Incomparable; list[r].Differs == nil {
				list[r].Differs = s.Differs
			}
			if s.Complete() {
				list[r].Seeds = append(list[r].Seeds, uint64(i))
				list[r].Values = append(list[r].Values, s.Mean())
			}
		}
	}
	c.addColumn(d, c.table.Columns[0], list)
	d.compare(0)
	d.addTestStatistics(0, c.options.Margin, func(r, other int) float64 {
		return c.superiority(r, other, c.used)
	})
	for r := range c.Methods {
		d.table.Rows[r].Cells[0].Standing = c.standing(r)
	}
	return d
}

// standing counts in how many conditions the method of a row differs significantly from the other.
func (c *comparison) standing(r int) *Standing {
	s := &Standing{Rank: Number(math.NaN()), Tested: true}
	if c.result.Ranking != nil {
		if i := slices.Index(c.result.Ranking.Methods, c.Methods[r].Label); i >= 0 {
			s.Rank = c.result.Ranking.Ranks[i]
		}
	}
	for _, k := range c.used {
		v := c.table.Rows[r].Cells[k].Versus
		switch {
		case v == nil || v.Outcome == infer.Untested:
			s.Tested = false
		case v.Outcome == infer.NotSignificant || v.Outcome == infer.Identical:
			s.Ties++
		case (v.Delta > 0) == (c.table.Columns[k].Direction == infer.Up):
			s.Wins++
		default:
			s.Losses++
		}
	}
	return s
}

// rankMethods ranks the competing methods over the conditions used.
func (c *comparison) rankMethods() {
	k := &Ranking{Conditions: len(c.used), ChiSquare: Number(math.NaN()), F: Number(math.NaN()),
		P: Number(math.NaN()), Critical: Number(math.NaN()), Ranks: []Number{}, Cliques: [][]int{}}
	ranks := make([][]float64, len(c.used))
	for i, column := range c.used {
		var means []float64
		k.Methods = nil
		for r, m := range c.Methods {
			if c.competes(r) {
				means = append(means, c.samples[r][column].Mean())
				k.Methods = append(k.Methods, m.Label)
			}
		}
		ranks[i] = infer.Ranks(means, c.table.Columns[column].Direction == infer.Up)
	}
	if len(c.used) < 2 || len(k.Methods) < 2 {
		return
	}
	c.result.Ranking = k
	means := infer.RankSums(ranks)
	for i := range means {
		means[i] /= float64(len(ranks))
		k.Ranks = append(k.Ranks, Number(means[i]))
	}
	if len(c.used) < fewestBlocks {
		k.Why = fmt.Sprintf("ranks over %d conditions are not tested, which takes %d", len(c.used),
			fewestBlocks)
		return
	}
	chi, f, p := infer.Friedman(ranks)
	if math.IsNaN(chi) {
		k.Why = "all methods are tied in every condition"
		return
	}
	if len(c.used) < manyBlocks {
		p, k.Shuffled = infer.PermutationTest(ranks, shuffles, rand.New(rand.NewPCG(1, 1))), true
	}
	k.ChiSquare, k.F, k.P = Number(chi), Number(f), Number(p)
	critical := infer.CriticalDifference(len(k.Methods), len(c.used), infer.Alpha)
	k.Critical, k.Cliques = Number(critical), nonNil(infer.Cliques(means, critical))
}
