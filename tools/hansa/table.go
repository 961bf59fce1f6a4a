package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
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

func (t *tableFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.format, "format", "text",
		"`FORMAT` of the table: "+strings.Join(render.FormatNames(), ", "))
	cmd.Flags().IntVar(&t.width, "width", 0,
		"`COLUMNS` of a text table (default those of the terminal, else $COLUMNS, else as many as "+
			"it takes)")
	cli.CompleteFlag(cmd, "format", render.FormatNames()...)
}

func (t *tableFlags) check() error {
	if err := cli.CheckWidth(t.width); err != nil {
		return err
	}
	return cli.OneOf("--format", t.format, render.FormatNames())
}

func (c *command) tableCommand() *cobra.Command {
	var t tableFlags
	var l lookFlags
	cmd := &cobra.Command{
		Use:     "table RUN",
		GroupID: "result",
		Short:   "Print the table of a run, in any format",
		Long: "Print the table of a run, in any format, as the [report] of the " +
			"experiment and the flags say. Markdown, LaTeX and HTML begin with a comment: " +
			"the command, and the hash of the training runs. In CSV a text that a " +
			"spreadsheet would read as a formula, as it begins with =, +, - or @, has an " +
			"apostrophe in front.\n\n" + cli.RunArgument,
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
			return c.printWide(in, &t, args[0], filepath.Base(run.Dir) == store.TuneDir)
		},
	}
	l.flags(cmd)
	t.flags(cmd)
	return cmd
}

// printInput prints the table of what is gathered.
func (c *command) printInput(in *infer.Input, t *tableFlags) error {
	_, err := c.printTables(in, t)
	return err
}

// printTables prints the table of what is gathered, and returns the most columns that a part has.
func (c *command) printTables(in *infer.Input, t *tableFlags) (columns int, err error) {
	tables, err := table.Build(*in)
	if err != nil {
		return 0, fault.Of(err)
	}
	for i := range tables {
		columns = max(columns, len(tables[i].Columns))
	}
	return columns, fault.Of(c.print(tables, t))
}

// printWide prints the table of a run, and where it has more columns than can be read says what
// shows the same.
func (c *command) printWide(in *infer.Input, t *tableFlags, called string, trials bool) error {
	const most = 100 // columns that a page or a spreadsheet may show
	n, err := c.printTables(in, t)
	switch {
	case err != nil || n <= most:
	case trials:
		c.Sayf("the table has %d columns: --only keeps some, and `%s` lists the trials of each "+
			"method", n, phrase.Hint("tune", filepath.Dir(called)))
	default:
		c.Sayf("the table has %d columns: --only keeps some, and `%s` writes a line for each "+
			"value", n, phrase.Hint("export", called))
	}
	return err
}

// print prints tables in the format that flags say.
func (c *command) print(tables []table.Table, t *tableFlags) error {
	as, _ := render.FormatNamed(t.format)
	return as.Tables(c.Out, tables, c.textOptions(c.Out, t.width))
}

// textOptions say how text is written where results go: 0 columns stand for those of the terminal.
func (c *command) textOptions(w io.Writer, columns int) render.TextOptions {
	if columns == 0 {
		columns = console.TextWidth(w)
	}
	return render.TextOptions{Width: columns, Color: c.ColorOn(w)}
}
