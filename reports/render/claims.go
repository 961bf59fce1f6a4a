package render

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/export"
	"github.com/hansa-fl/hansa/reports/table"
)

// verdictWidth is that of the longest verdict, and a gap.
const verdictWidth = 20

// ClaimsText writes the verdicts of claims for a terminal: what the paper says, where, what was
// tested, and the numbers.
func ClaimsText(w io.Writer, sets []table.ClaimSet, o TextOptions) error {
	var b bytes.Buffer
	for i := range sets {
		s := &sets[i]
		if i > 0 {
			b.WriteString("\n\n")
		}
		wrap(&b, claimsTitle(s), indent, o.Width)
		for k := range s.Claims {
			claimText(&b, &s.Claims[k], o)
		}
		if how := s.Method(); how != "" {
			b.WriteByte('\n')
			wrap(&b, how, indent, o.Width)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// claimsTitle is the title of a set, with how many claims have which verdict.
func claimsTitle(s *table.ClaimSet) string {
	return s.Name() + " — " + s.Summary()
}

// claimText writes a claim: its verdict on the left, all else behind it.
func claimText(b *bytes.Buffer, c *table.ClaimVerdict, o TextOptions) {
	lead := strings.Repeat(" ", verdictWidth)
	b.WriteByte('\n')
	for i, text := range claimLines(c) {
		room := 0
		if o.Width > 0 {
			room = max(20, o.Width-verdictWidth)
		}
		var lines bytes.Buffer
		wrap(&lines, study.OneLine(text), indent, room)
		for k, line := range strings.Split(strings.TrimSuffix(lines.String(), "\n"), "\n") {
			head := lead
			if i == 0 && k == 0 {
				head = padded(c.Word(), verdictWidth)
				if o.Color {
					head = boldOn + head + boldOff
				}
			}
			b.WriteString(strings.TrimRight(head+line, " ") + "\n")
		}
	}
}

// claimLines are what is said of a claim: the words of the paper, where they stand, what was
// tested, and what was found.
func claimLines(c *table.ClaimVerdict) []string {
	lines := []string{c.Says, c.Source}
	if c.Holds != "" {
		lines = append(lines, c.Place())
	}
	return append(lines, c.Result())
}

// ClaimsMarkdown writes the verdicts of claims as tables of GitHub-flavoured Markdown.
func ClaimsMarkdown(w io.Writer, sets []table.ClaimSet) error {
	var b bytes.Buffer
	for i := range sets {
		s := &sets[i]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "**%s**\n\n| verdict | claim | source | tested | result |\n"+
			"|:--|:--|:--|:--|:--|\n", escapeMarkdown(claimsTitle(s)))
		for _, c := range s.Claims {
			for _, text := range claimCells(&c) {
				b.WriteString("| " + escapeMarkdown(study.OneLine(text)) + " ")
			}
			b.WriteString("|\n")
		}
		if how := s.Method(); how != "" {
			b.WriteString("\n" + escapeMarkdown(how) + "\n")
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// claimCells are the cells of a claim in a table.
func claimCells(c *table.ClaimVerdict) []string {
	return []string{c.Word(), c.Says, c.Source, c.Place(), c.Result()}
}

// ClaimsLaTeX writes the verdicts of claims as tables for pdflatex with no package but booktabs.
func ClaimsLaTeX(w io.Writer, sets []table.ClaimSet) error {
	var b bytes.Buffer
	for i := range sets {
		s := &sets[i]
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("% needs \\usepackage{booktabs}\n\\begin{table}[t]\n" +
			"  \\centering\\footnotesize\n  \\setlength{\\tabcolsep}{4pt}\n")
		fmt.Fprintf(&b, "  \\caption{%s}\n  \\label{tab:claims-%s}\n", tex(claimsTitle(s)),
			slug(s.Title))
		column := func(share string) string { return "p{" + share + `\linewidth}` }
		b.WriteString("  \\begin{tabular}{@{}" + column(".12") + column(".24") + column(".13") +
			column(".2") + column(".22") + "@{}}\n    \\toprule\n" +
			"    verdict & claim & source & tested & result \\\\\n    \\midrule\n")
		for _, c := range s.Claims {
			var cells []string
			for _, text := range claimCells(&c) {
				cells = append(cells, `\raggedright `+tex(study.OneLine(text)))
			}
			b.WriteString("    " + strings.Join(cells, " & ") + " \\tabularnewline\n")
		}
		b.WriteString("    \\bottomrule\n  \\end{tabular}\n")
		if how := s.Method(); how != "" {
			b.WriteString("  \\par\\smallskip\n  \\begin{minipage}{\\linewidth}\\footnotesize" +
				"\\raggedright\n    " + tex(how) + "\\par\n  \\end{minipage}\n")
		}
		b.WriteString("\\end{table}\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// ClaimsHTML writes the verdicts of claims as fragments that need no style sheet.
func ClaimsHTML(w io.Writer, sets []table.ClaimSet) error {
	var b bytes.Buffer
	for i := range sets {
		s := &sets[i]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, `<table frame="hsides" rules="groups" cellpadding="4">`+"\n"+
			"<caption><b>%s</b></caption>\n<thead>\n<tr>", htmlText(claimsTitle(s)))
		for _, head := range []string{"verdict", "claim", "source", "tested", "result"} {
			fmt.Fprintf(&b, `<th scope="col" align="left">%s</th>`, head)
		}
		b.WriteString("</tr>\n</thead>\n<tbody>\n")
		for _, c := range s.Claims {
			b.WriteString(`<tr valign="top">`)
			for k, text := range claimCells(&c) {
				if text = htmlText(study.OneLine(text)); k == 0 {
					text = "<b>" + text + "</b>"
				}
				b.WriteString(`<td align="left">` + text + "</td>")
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody>\n</table>\n")
		if how := s.Method(); how != "" {
			b.WriteString("<p><small>\n" + htmlText(how) + "\n</small></p>\n")
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// ClaimsCSV writes the verdicts of claims in tidy form: a line for each, numbers in full.
func ClaimsCSV(w io.Writer, sets []table.ClaimSet) error {
	out := export.CSVWriter{Writer: csv.NewWriter(w)}
	if err := out.Write([]string{"run", "title", "source", "says", "holds", "needs", "at",
		"verdict", "direction", "p", "of", "estimate", "low", "high", "seeds", "statements", "test",
		"exact", "needed", "why", "part"}); err != nil {
		return err
	}
	for _, s := range sets {
		for _, c := range s.Claims {
			fields := []string{s.Run, s.Title, c.Source, c.Says, c.Holds, c.Needs,
				strings.Join(c.At, "; "), string(c.Verdict), strconv.FormatBool(c.Direction),
				raw(c.P), c.Of, raw(c.Estimate), raw(c.Low), raw(c.High), strconv.Itoa(c.Seeds),
				strconv.Itoa(c.Statements), c.Test, strconv.FormatBool(c.Exact),
				strconv.Itoa(c.Needed), c.Why, c.Part}
			if err := out.Write(fields); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// ClaimsJSON writes the verdicts of claims as they are, in one array.
func ClaimsJSON(w io.Writer, sets []table.ClaimSet) error { return indented(w, sets) }
