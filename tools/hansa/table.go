package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// tableFlags say how a table is printed.
type tableFlags struct {
	format string
	width  int
}

// formats are the ways to print a table, by name.
var formats = []string{"text", "markdown", "latex", "html", "csv", "json"}

func (t *tableFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.format, "format", "text",
		"`FORMAT` of the table: "+strings.Join(formats, ", "))
	cmd.Flags().IntVar(&t.width, "width", 0,
		"`COLUMNS` of a text table (default those of the terminal, else $COLUMNS, else as many as "+
			"it takes)")
	cli.CompleteFlag(cmd, "format", formats...)
}

func (t *tableFlags) check() error {
	if err := checkWidth(t.width); err != nil {
		return err
	}
	return cli.OneOf("--format", t.format, formats)
}

// checkWidth refuses columns that no text can have; 0 stands for those of the terminal.
func checkWidth(columns int) error {
	if columns < 0 {
		return fmt.Errorf("--width %d: want at least 1", columns)
	}
	return nil
}

func (c *command) tableCommand() *cobra.Command {
	var t tableFlags
	var l lookFlags
	cmd := &cobra.Command{
		Use:     "table RUN",
		GroupID: "result",
		Short:   "Print the table of a run again, in any format",
		Long: "Print the table of a run again, in any format, as the [report] of the experiment " +
			"says or as flags do. RUN is its name under ./runs, its folder, or its experiment " +
			"file. Markdown, LaTeX and HTML begin with a comment that holds the command and the " +
			"hash of the cells. In CSV a text that a spreadsheet would take for a formula, as it " +
			"begins with =, +, - or @, stands behind an apostrophe.",
		Example: "  hansa table quickstart\n" +
			"  hansa table quickstart --format latex --delta > table.tex\n" +
			"  hansa table quickstart --transpose --err ci --metric loss",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := t.check(); err != nil {
				return err
			}
			if err := l.check(); err != nil {
				return err
			}
			run, plan, err := c.Open(args[0])
			if err != nil {
				return err
			}
			in, err := l.gather(c, run, plan)
			if err != nil {
				return err
			}
			in.Origin = plan.Command
			in.Command = cli.Again("hansa table", cmd, args, "color", "width")
			return c.printInput(in, &t)
		},
	}
	l.flags(cmd)
	t.flags(cmd)
	return cmd
}

// printInput prints the table of what is gathered.
func (c *command) printInput(in *infer.Input, t *tableFlags) error {
	tables, err := table.Build(*in)
	if err != nil {
		return fault.Of(err)
	}
	return fault.Of(c.render(c.Out, tables, t))
}

func (c *command) render(w io.Writer, tables []table.Table, t *tableFlags) error {
	switch t.format {
	case "markdown":
		return render.Markdown(w, tables)
	case "latex":
		return render.LaTeX(w, tables)
	case "html":
		return render.HTML(w, tables)
	case "csv":
		return render.CSV(w, tables)
	case "json":
		return render.JSON(w, tables)
	}
	width := t.width
	if width == 0 {
		width = console.TextWidth(w)
	}
	return render.Text(w, tables, render.TextOptions{Width: width, Color: c.ColorOn(w)})
}
