package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/hansa-fl/hansa/reports/table"
)

// LaTeX writes tables for pdflatex with no package but booktabs. Every column of values is
// a pair, r@{}l, that meets at the decimal point.
func LaTeX(w io.Writer, tables []table.Table) error {
	var b bytes.Buffer
	for i := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		latexTable(&b, &tables[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func latexTable(b *bytes.Buffer, t *table.Table) {
	g := table.Layout(t)
	for _, line := range append(provenance(t), "needs \\usepackage{booktabs}") {
		b.WriteString("% " + line + "\n")
	}
	list, size := fitLine(g)
	caption := tex(g.Summary)
	if g.Title != "" {
		caption = tex(g.Title) + " (" + caption + ")"
	}
	fmt.Fprintf(b, "\\begin{table}[t]\n  \\centering\\%s\n  \\setlength{\\tabcolsep}{4pt}\n", size)
	fmt.Fprintf(b, "  \\caption{%s}\n  \\label{tab:%s}\n", caption, slug(g.Title))
	for _, part := range list {
		b.WriteString("  \\par\\medskip\n")
		tabular(b, g, part)
	}
	b.WriteString("  \\par\\smallskip\n")
	b.WriteString("  \\begin{minipage}{\\linewidth}\\footnotesize\\raggedright\n")
	for _, n := range g.Notes {
		if n.Number > 0 {
			fmt.Fprintf(b, "    %s %s\\par\n", texMarks([]int{n.Number}), tex(n.Text))
		} else {
			b.WriteString("    " + tex(table.NoteText(n)) + "\\par\n")
		}
	}
	b.WriteString("  \\end{minipage}\n\\end{table}\n")
}

// tabular writes some of the columns.
func tabular(b *bytes.Buffer, g *table.Grid, part []int) {
	fmt.Fprintf(b, "  \\begin{tabular}{@{}l*{%d}{r@{}l}@{}}\n    \\toprule\n", len(part))
	for level := range g.Levels() {
		names, rules := "   ", "   "
		for _, s := range g.Spans(part, level) {
			names += fmt.Sprintf(" & \\multicolumn{%d}{c}{%s}", 2*(s.To-s.From), tex(s.Heading))
			if s.Heading != "" {
				rules += fmt.Sprintf(" \\cmidrule(lr){%d-%d}", 2*s.From+2, 2*s.To+1)
			}
		}
		b.WriteString(names + " \\\\\n" + rules + "\n")
	}
	b.WriteString("    " + tex(g.Corner))
	for _, c := range part {
		column := &g.Columns[c]
		fmt.Fprintf(b, " & \\multicolumn{2}{c}{%s%s}", tex(column.Head), texMarks(column.Notes))
	}
	b.WriteString(" \\\\\n    \\midrule\n")
	for i, r := range g.Rows {
		if r.Rule {
			b.WriteString("    \\midrule\n")
		}
		name, under := strings.CutPrefix(r.Short, "  ")
		if under {
			name = `\quad ` + tex(name)
		} else {
			name = tex(name)
		}
		b.WriteString("    " + name + texMarks(r.Notes))
		for _, c := range part {
			b.WriteString(" & " + texEntry(g.Columns[c].Entries[i]))
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}\n")
}

// texEntry writes a cell as the two halves of its column.
func texEntry(e table.Entry) string {
	after := texDelta(e.Delta) + texAside(e.Aside) + texStar(e.Star) + texMarks(e.Notes)
	if e.Word != "" {
		return `\multicolumn{2}{c}{` + tex(e.Word) + after + "}"
	}
	if e.Whole == "" {
		return "&"
	}
	left, right, open, shut := texNumber(e.Whole, e.Best), texNumber(e.Frac, e.Best), "", ""
	if e.Spread != "" {
		if e.Scale != "" {
			open, shut = "(", ")"
		}
		right += `{\scriptstyle\,\pm\,` + texNumber(e.Spread, false) + "}" + shut
	}
	if right += texScale(e.Scale); right != "" {
		right = "$" + right + "$"
	}
	return "$" + open + left + "$ & " + right + after
}

// texNumber writes digits in math mode.
func texNumber(s string, bold bool) string {
	s = strings.NewReplacer("−", "-", "×", `{\times}`, "∞", `\infty`).Replace(s)
	if bold && s != "" {
		return `\mathbf{` + s + "}"
	}
	return s
}

// texScale writes what numbers are multiplied with, in math mode.
func texScale(s string) string {
	if power, ok := strings.CutPrefix(s, "e"); ok {
		return `\cdot10^{` + texNumber(power, false) + "}"
	}
	if unit := strings.TrimSpace(s); unit != "" {
		return `\,\mathrm{` + tex(unit) + "}"
	}
	return ""
}

// texDelta writes a difference in parentheses.
func texDelta(e *table.Entry) string {
	if e == nil {
		return ""
	}
	return `\ $(` + texNumber(e.Word+e.Whole+e.Frac, false) + texScale(e.Scale) + ")$"
}

// texAside writes a remark in parentheses; a p-value is mathematics.
func texAside(s string) string {
	if p, ok := strings.CutPrefix(s, "(p "); ok {
		return `\ ($p ` + strings.TrimSuffix(p, ")") + "$)"
	}
	return table.Before(`\ `, tex(s))
}

// texStar writes the outcome of a comparison at the cell it concerns.
func texStar(s string) string {
	switch {
	case s == "":
		return ""
	case s == "~":
		return `$^{\sim}$`
	case s == "†":
		return `$^{\dagger}$`
	default:
		return "$^{" + strings.ReplaceAll(s, "*", `\ast`) + "}$"
	}
}

// texMarks writes the marks of footnotes. They are letters: a raised digit behind a number
// would be its exponent.
func texMarks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	return `\textsuperscript{` + strings.ReplaceAll(marks(notes), " ", `\,`) + "}"
}

func marks(notes []int) string {
	var list []string
	for _, n := range notes {
		list = append(list, letters(n))
	}
	return strings.Join(list, ", ")
}

// letters counts a, b, …, z, aa, ab, … from 1.
func letters(n int) string {
	if n == 0 {
		return ""
	}
	return letters((n-1)/26) + string(rune('a'+(n-1)%26))
}

// slug makes a title fit for a label.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}
