package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// plotFlags say what a figure shows, and how it is written.
type plotFlags struct {
	view.FigureOptions
	size string
	out  string
	only []string
}

func (c *command) plotCommand() *cobra.Command {
	var f plotFlags
	kinds := "KIND is one of\n"
	var names []string
	for _, k := range view.Kinds() {
		kinds += k.Name + ": " + k.Summary + "\n"
		names = append(names, cobra.CompletionWithDesc(k.Name, k.Summary))
	}
	cmd := &cobra.Command{
		Use:     "plot RUN KIND",
		GroupID: "result",
		Short:   "Draw a figure of a run for a paper: PDF, SVG or PNG",
		Long: "Draw a figure of a run for a paper.\n\n" +
			kinds +
			"\nWhat marks and bands mean is printed when the file is written, for the " +
			"caption. The same run gives the same file, byte by byte.\n\n" + cli.RunArgument,
		Example: "  hansa plot quickstart curves --logy\n" +
			"  hansa plot quickstart curves --x bytes\n" +
			"  hansa plot quickstart bars --size double -o figure.svg",
		Args: cli.Want(2, 2, "a RUN and a KIND"),
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
		"horizontal `AXIS`: one of the sweep; for curves, a metric in place of the round, such as "+
			"upload, or bytes for short, and virtual-time, or hours")
	flags.StringSliceVar(&o.Panels, "panels", nil,
		"one panel for each value of these `AXES` of the sweep, or for each method")
	flags.StringSliceVar(&o.Lines, "lines", nil,
		"one line for each value of these `AXES` (default method)")
	flags.BoolVar(&o.LogX, "logx", false, "logarithmic horizontal axis")
	flags.BoolVar(&o.LogY, "logy", false, "logarithmic vertical axis")
	flags.StringVar(&f.Baseline, "baseline", "",
		"for forest: differences from `METHOD` (default the baseline of the report)")
	flags.StringVar(&f.Array, "array", "",
		"for matrix: the array `NAME` (default the first by name that a component recorded, else "+
			"sent)")
	flags.IntVar(&f.Round, "round", 0, "for matrix: the `ROUND` (default the last that was kept)")
	flags.StringSliceVar(&f.Highlight, "highlight", nil,
		"show all but these `METHODS`, or lines, in grey")
	cli.DataFlag(cmd, &f.Data)
	flags.StringArrayVar(&f.only, "only", nil,
		"keep training runs with this `KEY=VALUE`: a method, a seed or a point of the sweep")
	flags.IntVar(&f.Images.Clients, "clients", 6, "for images: show `N` clients")
	flags.IntVar(&f.Images.Each, "each", 2, "for images: show `N` images of each client")
	flags.BoolVar(&f.Images.Stretch, "stretch", false,
		"for images: scale each image to the full range of brightness")
	cli.CompleteFlag(cmd, "size", sizeNames()...)
	cli.CompleteFlag(cmd, "band", chart.Bands()...)
	for _, name := range []string{
		"metric", "x", "panels", "lines", "baseline", "array", "round", "only", "highlight",
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
	kinds := view.Kinds()
	var known []string
	for _, k := range kinds {
		known = append(known, k.Name)
	}
	if err := cli.OneOf("KIND", kind, known); err != nil {
		return err
	}
	size, ok := figure.SizeNamed(f.size)
	if !ok {
		return cli.OneOf("--size", f.size, sizeNames())
	}
	if err := cli.OneOf("--band", f.Chart.Band, chart.Bands()); err != nil {
		return err
	}
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	out := cmp.Or(f.out, session.RunName(run.Dir)+"-"+kind+".pdf")
	format, err := cli.FigureFormat(out, figure.Formats())
	if err != nil {
		return err
	}
	d, note, err := view.Draw(&view.Subject{Session: c.Session, Run: run, Plan: plan},
		kinds[slices.Index(known, kind)],
		f.only, &f.FigureOptions)
	if err != nil {
		return err
	}
	return c.writeFigure(out, d, format, size, note)
}

// writeFigure writes a figure into a file, and says what is seen.
func (c *command) writeFigure(
	out string, d figure.Drawing, format string, size figure.Size, note string,
) error {
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
