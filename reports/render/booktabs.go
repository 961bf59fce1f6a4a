package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/ll"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/hansa-fl/hansa/reports/table"
)

// booktabs renders for tablewriter what LaTeX's package of that name recommends: three
// horizontal rules, no vertical ones, and partial ones under the headings of groups.
type booktabs struct {
	levels [][]table.HeadingSpan // lines of headings above all columns but the first
	rules  []bool                // by row: whether a line goes before it

	w      io.Writer
	widths []int
	row    int
	err    error
}

var _ tw.Renderer = (*booktabs)(nil)

// draw writes lines of cells, the first of which is the header. Tablewriter finds the widths of
// columns and aligns all but the first.
func (k *booktabs) draw(w io.Writer, lines [][]string, align tw.Align) error {
	columns := slices.Repeat([]tw.Align{align}, len(lines[0]))
	columns[0] = tw.AlignLeft
	plain := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: columns},
		Padding:    tw.CellPadding{Global: tw.PaddingNone},
	}
	t := tablewriter.NewTable(w, tablewriter.WithRenderer(k),
		tablewriter.WithEastAsian(tw.Off), tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithConfig(tablewriter.Config{Header: plain, Row: plain}))
	t.Header(lines[0])
	for _, line := range lines[1:] {
		if err := t.Append(line); err != nil {
			return fmt.Errorf("reports: %w", err)
		}
	}
	if err := t.Render(); err != nil {
		return fmt.Errorf("reports: %w", err)
	}
	return nil
}

// Start implements tw.Renderer.
func (k *booktabs) Start(w io.Writer) error {
	k.w = w
	return nil
}

// Header implements tw.Renderer; it is called once, as the header has one line.
func (k *booktabs) Header(_ [][]string, ctx tw.Formatting) {
	k.widths = make([]int, len(ctx.Row.Current))
	for i := range k.widths {
		k.widths[i] = ctx.Row.Widths.Get(i)
	}
	for _, spans := range slices.Backward(k.levels) {
		makeRoom(k.widths[1:], spans, width, len(gap))
	}
	k.rule("━")
	for _, spans := range k.levels {
		k.headings(spans)
	}
	k.line(ctx)
	k.rule("─")
}

// headings writes one line of headings, centred, and the rules under them.
func (k *booktabs) headings(spans []table.HeadingSpan) {
	start := strings.Repeat(" ", k.widths[0])
	names, rules := start, start
	for _, s := range spans {
		across := total(k.widths[s.From+1:s.To+1], len(gap))
		left := strings.Repeat(" ", (across-width(s.Heading))/2)
		names += gap + padded(left+s.Heading, across)
		rule := "─"
		if s.Heading == "" {
			rule = " "
		}
		rules += gap + strings.Repeat(rule, across)
	}
	k.write(names)
	k.write(rules)
}

// Row implements tw.Renderer.
func (k *booktabs) Row(_ []string, ctx tw.Formatting) {
	if k.rules[k.row] {
		k.rule("┈")
	}
	k.row++
	k.line(ctx)
}

// Footer implements tw.Renderer; footnotes are no part of the table.
func (k *booktabs) Footer([][]string, tw.Formatting) {}

// Line implements tw.Renderer; all rules are drawn where they are due.
func (k *booktabs) Line(tw.Formatting) {}

// Config implements tw.Renderer.
func (k *booktabs) Config() tw.Rendition {
	return tw.Rendition{
		Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines: tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off,
				ShowHeaderLine: tw.Off, ShowFooterLine: tw.Off},
		},
	}
}

// Close implements tw.Renderer.
func (k *booktabs) Close() error {
	k.rule("━")
	return k.err
}

// Logger implements tw.Renderer; there is nothing to log.
func (k *booktabs) Logger(*ll.Logger) {}

func (k *booktabs) rule(mark string) { k.write(strings.Repeat(mark, total(k.widths, len(gap)))) }

func (k *booktabs) line(ctx tw.Formatting) {
	cells := make([]string, len(k.widths))
	for i := range cells {
		cell := ctx.Row.Current[i]
		if cells[i] = padded(cell.Data, k.widths[i]); cell.Align == tw.AlignRight {
			cells[i] = strings.Repeat(" ", max(0, k.widths[i]-width(cell.Data))) + cell.Data
		}
	}
	k.write(strings.Join(cells, gap))
}

func (k *booktabs) write(line string) {
	if _, err := io.WriteString(k.w, strings.TrimRight(line, " ")+"\n"); err != nil {
		k.err = err
	}
}
