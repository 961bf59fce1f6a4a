package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// plotFlags say what a figure shows, and how it is written.
type plotFlags struct {
	figureOptions
	size string
	out  string
	only []string
}

// figureOptions say what a figure shows.
type figureOptions struct {
	Chart    chart.Options
	Baseline string // differences from this method; "": that of the report
	Array    string // of a matrix: its name; "": the first of the round
	Round    int    // of a matrix; 0: the last that was kept
	Data     string // a list of folders with data
	Images   imageOptions
}

// A plotKind is a kind of figure.
type plotKind struct {
	name, summary string
	draw          func(s *subject, f *figureOptions) (d figure.Drawing, note string, err error)
}

// A subject is the run that a figure is of.
type subject struct {
	*session.Session
	run  store.Run
	plan *store.Plan
}

// input reads the results of the run.
func (s *subject) input(f *figureOptions) *infer.Input {
	in := s.Gather(s.run, s.plan, nil)
	if f.Baseline != "" {
		in.Report.Baseline = f.Baseline
	}
	return in
}

// plotKinds lists the kinds of figures.
func plotKinds() []plotKind {
	return []plotKind{
		{"curves", "a metric over the rounds", charted(chart.Curves)},
		{"sweep", "final values over an axis of the sweep", charted(chart.Sweep)},
		{"bars", "final values side by side", charted(chart.BarChart)},
		{"forest", "paired differences from the baseline", plotForest},
		{"ranks", "average ranks over conditions, and the difference that matters", plotRanks},
		{"partition", "how many samples of each class each client has", plotPartition},
		{"participation", "which clients participate, and with which " +
			"weight", audited(chart.Participation)},
		{"weights", "the importance p̃ that is optimised, against p", audited(chart.Weights)},
		{"images", "images of clients, before preprocessing and after", plotImages},
		{"matrix", "arrays that hansa run --keep kept, such as plans", plotMatrix},
	}
}

// charted returns how a kind with axes is drawn.
func charted(
	drawn func(infer.Input, chart.Options) (*chart.Chart, error),
) func(*subject, *figureOptions) (figure.Drawing, string, error) {
	return func(s *subject, f *figureOptions) (figure.Drawing, string, error) {
		return drawable(drawn(*s.input(f), f.Chart))
	}
}

func plotForest(s *subject, f *figureOptions) (figure.Drawing, string, error) {
	return drawable(chart.Forest(*s.input(f), f.Chart.Metric))
}

func plotRanks(s *subject, f *figureOptions) (figure.Drawing, string, error) {
	o := table.ComparisonOptions{Metric: f.Chart.Metric, Baseline: f.Baseline}
	c, err := table.Compare(*s.input(f), o)
	if err != nil {
		return nil, "", err
	}
	r := c.Ranking
	if r == nil {
		return nil, "", errors.New("ranks need two methods that are complete in two or more " +
			"points of the sweep")
	}
	d := &figure.Ranks{Methods: r.Methods, Cliques: r.Cliques}
	for _, rank := range r.Ranks {
		d.Ranks = append(d.Ranks, float64(rank))
	}
	note := fmt.Sprintf("mean ranks over %d conditions, 1 is the best; ", r.Conditions)
	if r.Why != "" {
		return d, note + "nothing is tested: " + r.Why, nil
	}
	if critical := float64(r.Critical); critical > 0 {
		d.Critical = critical
	}
	return d, note + fmt.Sprintf("Friedman p = %.2g; bars join methods that the critical "+
		"difference does not tell apart", float64(r.P)), nil
}

// drawable returns a chart as a drawing.
func drawable(c *chart.Chart, err error) (figure.Drawing, string, error) {
	if err != nil {
		return nil, "", err
	}
	return figure.Chart{Chart: c}, c.Note, nil
}

func (c *command) plotCommand() *cobra.Command {
	var f plotFlags
	kinds := "KIND is one of\n"
	var names []string
	for _, k := range plotKinds() {
		kinds += k.name + ": " + k.summary + "\n"
		names = append(names, cobra.CompletionWithDesc(k.name, k.summary))
	}
	cmd := &cobra.Command{
		Use:     "plot RUN KIND",
		GroupID: "result",
		Short:   "Draw a figure of a run for a paper: PDF, SVG or PNG",
		Long: "Draw a figure of a run for a paper. RUN is its name under ./runs, its folder, or " +
			"its experiment file.\n" + kinds + "What marks and bands are is said when the file " +
			"is written, for the caption. The same run gives the same file, byte by byte.",
		Example: "  hansa plot quickstart curves --logy\n" +
			"  hansa plot quickstart bars --size double -o figure.svg",
		Args: want(2, 2, "a RUN and a KIND"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (
			[]string, cobra.ShellCompDirective,
		) {
			switch len(args) {
			case 0:
				return session.RunNames(), cobra.ShellCompDirectiveDefault
			case 1:
				return names, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return c.plot(args[0], args[1], &f) },
	}
	f.flags(cmd)
	return cmd
}

func (f *plotFlags) flags(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.Chart
	flags.StringVarP(&f.out, "output", "o", "",
		"write `FILE`: .pdf, .svg or .png (default RUN-KIND.pdf)")
	flags.StringVar(&f.size, "size", "column", "`SIZE`: "+strings.Join(sizeNames(), ", "))
	flags.StringVar(&o.Metric, "metric", "",
		"show the metric `KEY` (default the first of the report)")
	flags.StringVar(&o.Band, "band", "std",
		"`BAND` around means: "+strings.Join(chart.Bands(), ", "))
	flags.StringVar(&o.X, "x", "",
		"the `AXIS` across: of the sweep; of curves, a metric instead of the round")
	flags.StringSliceVar(&o.Panels, "panels", nil,
		"a panel for each value of these `AXES` of the sweep, or of method")
	flags.StringSliceVar(&o.Lines, "lines", nil,
		"a line for each value of these `AXES` (default method)")
	flags.BoolVar(&o.LogX, "logx", false, "a logarithmic axis across")
	flags.BoolVar(&o.LogY, "logy", false, "a logarithmic axis upwards")
	flags.StringVar(&f.Baseline, "baseline", "",
		"of forest: differences from `METHOD` (default the baseline of the report)")
	flags.StringVar(&f.Array, "array", "",
		"of matrix: the array called `NAME` (default the first of the round)")
	flags.IntVar(&f.Round, "round", 0, "of matrix: of this `ROUND` (default the last kept)")
	dataFlag(cmd, &f.Data)
	flags.StringArrayVar(&f.only, "only", nil,
		"keep the cells with this `KEY=VALUE`: a method, a seed or a point of the sweep")
	flags.IntVar(&f.Images.Clients, "clients", 6, "of images: show so many clients, `N`")
	flags.IntVar(&f.Images.Each, "each", 2, "of images: show so many of every client, `N`")
	flags.BoolVar(&f.Images.Stretch, "stretch", false,
		"of images: stretch each from its darkest to its brightest pixel")
	completeFlag(cmd, "size", sizeNames()...)
	completeFlag(cmd, "band", chart.Bands()...)
	for _, name := range []string{
		"metric", "x", "panels", "lines", "baseline", "array", "round", "only",
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

func sizeNames() (names []string) {
	for _, s := range figure.Sizes() {
		names = append(names, s.Name)
	}
	return names
}

// plot draws a figure of a run and writes it.
func (c *command) plot(arg, kind string, f *plotFlags) error {
	kinds := plotKinds()
	var known []string
	for _, k := range kinds {
		known = append(known, k.name)
	}
	if err := oneOf("KIND", kind, known); err != nil {
		return err
	}
	size, ok := figure.SizeNamed(f.size)
	if !ok {
		return oneOf("--size", f.size, sizeNames())
	}
	if err := oneOf("--band", f.Chart.Band, chart.Bands()); err != nil {
		return err
	}
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	out := cmp.Or(f.out, session.RunName(run.Dir)+"-"+kind+".pdf")
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(out)), ".")
	if !slices.Contains(figure.Formats(), format) {
		return fmt.Errorf("-o %s: a figure ends in .%s", out,
			strings.Join(figure.Formats(), ", ."))
	}
	d, note, err := figureOf(&subject{c.Session, run, plan}, kinds[slices.Index(known, kind)],
		f.only, &f.figureOptions)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := figure.Write(&b, d, format, size); err != nil {
		return fault.Of(err)
	}
	if err := os.WriteFile(out, b.Bytes(), 0o666); err != nil {
		return fault.Of(err)
	}
	if missing, err := figure.Missing(d); err != nil {
		return fault.Of(err)
	} else if missing != "" {
		c.Sayf("the font has no %s: PNG and PDF show a box for each, SVG what the reader's fonts "+
			"have", missing)
	}
	c.Sayf("%s", strings.TrimSuffix(fmt.Sprintf("wrote %s: %s", out, note), ": "))
	return nil
}

// figureOf makes a figure of the cells of a run that filters keep, and says what is seen.
func figureOf(s *subject, k plotKind, only []string, f *figureOptions) (
	d figure.Drawing, note string, err error,
) {
	if s.plan, err = s.plan.Only(only); err != nil {
		return nil, "", err
	}
	d, note, err = k.draw(s, f)
	if err != nil {
		return nil, "", fmt.Errorf("%s of %s: %w", k.name, s.run.Dir, err)
	}
	return d, note, nil
}
