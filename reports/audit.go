package reports

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
)

// An Audit is what was found of the methods of an experiment.
type Audit struct {
	Title    string          `json:"title"`
	Findings []audit.Finding `json:"findings"`
}

// AuditJSON writes an audit as JSON.
func AuditJSON(w io.Writer, a Audit) error {
	return indented(w, a)
}

// AuditText writes an audit for a terminal: one table per point of the sweep.
func AuditText(w io.Writer, a Audit, o TextOptions) error {
	var b bytes.Buffer
	for i, findings := range byPoint(a.Findings) {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if err := auditTable(&b, a.Title, findings, o); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// byPoint groups findings by where they lie, in their order.
func byPoint(findings []audit.Finding) [][]audit.Finding {
	var groups [][]audit.Finding
	for _, f := range findings {
		i := slices.IndexFunc(groups, func(g []audit.Finding) bool {
			return slices.Equal(g[0].Point, f.Point)
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// floorHead stands above floorCell.
const floorHead = "F(θ_p̃) − F*"

// auditHead names the columns of an audit.
func auditHead(findings []audit.Finding) []string {
	head := []string{"method"}
	if partly(findings) {
		head = append(head, "enrolled", "Σp", "chance e")
	}
	head = append(head, "comes", "law", "inclusion π", "out of reach",
		"TV(p̃, p)", "χ²", "Σw", "heard", floorHead)
	if levelled(findings) {
		head = append(head, levelHead(findings)...)
	}
	return head
}

// partly reports whether some clients are not enrolled.
func partly(findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool {
		return f.Enrolment.Clients < f.Clients
	})
}

// enrolledCells returns how many are enrolled, what they hold of p, and the chances of all.
func enrolledCells(f *audit.Finding) []string {
	e := f.Enrolment
	chance := "?"
	switch {
	case e.Stated == 0:
	case e.Mean-e.Lowest < 1e-12:
		chance = brief(e.Lowest)
	default:
		chance = fmt.Sprintf("≥ %s, mean %s", brief(e.Lowest), brief(e.Mean))
	}
	return []string{fmt.Sprintf("%d of %d", e.Clients, f.Clients), three(e.Share), chance}
}

func auditTable(b *bytes.Buffer, title string, findings []audit.Finding, o TextOptions) error {
	n := &noteList{}
	lines := [][]string{auditHead(findings)}
	for i := range findings {
		f := &findings[i]
		line := append(auditLine(f, n), floorCell(f, n))
		if partly(findings) {
			line = slices.Insert(line, 1, enrolledCells(f)...)
		}
		if levelled(findings) {
			line = append(line, levelCells(f, findings, n)...)
		}
		lines = append(lines, line)
	}
	align(lines)
	var labels []string
	for _, c := range findings[0].Point {
		labels = append(labels, c.Label)
	}
	heading := strings.Join(append([]string{title}, labels...), " · ")
	wrap(b, fmt.Sprintf("%s — who trains, and what is therefore optimised", heading), "", o.Width)
	for i, part := range halves(lines, o.Width) {
		if i > 0 {
			b.WriteString("\n")
		}
		look := &booktabs{rules: make([]bool, len(part)-1)}
		if err := look.draw(b, part); err != nil {
			return err
		}
	}
	n.list = append(n.list, auditTerms(findings)...)
	if best := optimum(findings); best != "" {
		n.list = append(n.list, Note{Term: "F*", Text: best})
	}
	n.list = append(n.list, levelNotes(findings)...)
	for _, note := range n.list {
		wrap(b, numbered(note), hanging, o.Width)
	}
	return nil
}

// auditTerms explains the columns of an audit.
func auditTerms(findings []audit.Finding) []Note {
	list := []Note{
		{Term: "comes", Text: "mean size of a cohort, of all clients; " +
			"law: of the cohorts, whether or not the server knows it"},
		{Term: "out of reach", Text: "share of p that no weights on these cohorts can " +
			"realise, by Theorem 1 of FedAVOT"},
		{Term: "p̃", Text: "the mean weight that each client is really given, read off the " +
			"method"},
		{Term: "heard", Text: "effective cohort size (Kish), the mean of (Σw)²/Σw²"},
	}
	if partly(findings) {
		list = append(list, Note{Term: "enrolled", Text: "with the first seed, the share Σp " +
			"of the importance that they hold, and the chance to enrol of all; π is that of the " +
			"enrolled"})
	}
	return list
}

// optimum says what the least objective is, where it was computed.
func optimum(findings []audit.Finding) string {
	for _, f := range findings {
		if p := f.Prediction; p != nil {
			return fmt.Sprintf("the least objective, %s with seed %d; F(θ_p̃) − F* is how far "+
				"above it a method levels off by its weights alone", brief(p.Optimum), f.Seed)
		}
	}
	return ""
}

// noteList numbers notes; the same text has one number.
type noteList struct{ list []Note }

func (n *noteList) mark(text string) string {
	i := slices.IndexFunc(n.list, func(x Note) bool { return x.Text == text })
	if i < 0 {
		i = len(n.list)
		n.list = append(n.list, Note{Number: i + 1, Text: text})
	}
	return " " + superscript(i+1)
}

// auditLine returns the cells of one method.
func auditLine(f *audit.Finding, n *noteList) []string {
	line := []string{f.Method, "—", lawName(f.Law), inclusionText(f.Law), "?"}
	if f.Law.Thin {
		line[4] += n.mark("not decided: the law is known from simulated rounds only, too few for " +
			"so many clients")
	}
	if c := f.Feasibility; c != nil {
		line[4] = three(c.Deficiency)
		if c.Bound {
			line[4] = "≥ " + line[4]
		}
		switch {
		case f.Law.Draws > 0:
			line[4] += n.mark(fmt.Sprintf("of the law that was estimated from %d simulated rounds",
				f.Law.Draws))
		case !c.Feasible:
			line[4] += n.mark(c.String())
		}
	}
	if f.Enrolment.Violations > 0 {
		line[3] += n.mark(violation(f.Enrolment))
	}
	if len(f.Notes) > 2 {
		line[0] += n.mark(strings.Join(f.Notes, "; "))
	} else {
		for _, remark := range f.Notes {
			if c := f.Feasibility; c != nil { // has been said
				remark = strings.Replace(remark, ": "+c.String()+";", ";", 1)
			}
			line[0] += n.mark(remark)
		}
	}
	e := f.Effective
	if e == nil {
		return append(line, "—"+n.mark(f.Why), "—", "—", "—")
	}
	line[1] = fmt.Sprintf("%s of %d", brief(e.Cohort), f.Clients)
	line = append(line, three(f.TV), brief(float64(f.ChiSquare)), brief(e.Total), brief(e.Speaking))
	if e.Thin {
		line[5], line[6] = "?", "?"
	}
	if e.TotalSD > 0 {
		line[7] += " ± " + brief(e.TotalSD)
	}
	if !e.Exact {
		line[5] += n.mark(simulationNote(e, f.TV))
	}
	if note := policyNote(f); note != "" {
		line[5] += n.mark(note)
	}
	return line
}

// floorCell returns what the weights of a method alone cost.
func floorCell(f *audit.Finding, n *noteList) string {
	if f.Effective == nil {
		return "—" // why has been said
	}
	p := predicted(f)
	if p == nil {
		return "—" + n.mark(f.Why)
	}
	floor := brief(p.Floor)
	if p.Unknown != "" {
		floor += n.mark("at what level training settles above that is not known: " + p.Unknown)
	}
	return floor
}

// violation names the clients for whom no weights can make up.
func violation(e audit.Enrolment) string {
	const named = 8
	var ids []string
	for _, i := range e.Violators[:min(len(e.Violators), named)] {
		ids = append(ids, fmt.Sprint(i))
	}
	who := fmt.Sprintf("clients %s", strings.Join(ids, ", "))
	if e.Violations == 1 {
		who = "client " + ids[0]
	} else if more := e.Violations - len(ids); more > 0 {
		who += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("positivity is violated: %s can never come, and a share %s of p is lost "+
		"whatever the weights", who, brief(e.Violated))
}

func simulationNote(e *audit.Effective, tv float64) string {
	how := fmt.Sprintf("p̃ is a mean over %d simulated rounds", e.Rounds)
	if e.Worth > 0 && e.Worth < 0.9*float64(e.Rounds) {
		how += fmt.Sprintf(", which depend on each other and are worth %s independent ones",
			brief(e.Worth))
	}
	if e.Thin {
		how += ", too few to tell clients apart"
	} else {
		how += fmt.Sprintf("; 95 %% interval of TV: %s … %s, where error alone would show %s",
			three(max(0, tv-e.Margin)), three(min(tv+e.Margin, max(1, tv))), three(e.Noise))
	}
	if e.Learns {
		how += "; the weights are learnt, and as many rounds before were left out"
	}
	return how
}

// lawName says how the law of cohorts is known.
func lawName(l audit.Law) string {
	name := "exact"
	switch {
	case l.Draws > 0:
		name = "simulated"
	case l.Cohorts > 1:
		name = fmt.Sprintf("exact, %d cohorts", l.Cohorts)
	}
	if !l.Known {
		name += ", hidden"
	}
	return name
}

// inclusionText returns the range of inclusion probabilities, or their mean where single
// ones are not known.
func inclusionText(l audit.Law) string {
	switch {
	case l.Thin:
		return "mean " + brief(l.Mean)
	case l.Lowest == l.Highest:
		return brief(l.Lowest)
	}
	return fmt.Sprintf("%s … %s, mean %s", brief(l.Lowest), brief(l.Highest), brief(l.Mean))
}

// three writes a probability with three digits after the point.
func three(x float64) string {
	if x > 1e-9 && x < 0.0005 { // less is rounding
		return "< 0.001"
	}
	return strconv.FormatFloat(math.Abs(x), 'f', 3, 64)
}

// brief writes a number with three significant digits.
func brief(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case math.Abs(x) < 1e-12:
		return "0"
	case math.Abs(x) >= 1000 && math.Abs(x) < 1e5:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	text := strings.Replace(strconv.FormatFloat(x, 'g', 3, 64), "e-0", "e-", 1)
	return strings.ReplaceAll(text, "-", "−")
}

// align pads the cells of each column to one width: names from the left, numbers from the
// right.
func align(lines [][]string) {
	for c := range lines[0] {
		widest := 0
		for _, line := range lines {
			widest = max(widest, width(line[c]))
		}
		for _, line := range lines {
			if space := strings.Repeat(" ", widest-width(line[c])); c == 0 {
				line[c] += space
			} else {
				line[c] = space + line[c]
			}
		}
	}
}

// halves cuts a table that is wider than a limit into parts that are not; each begins with
// the first column.
func halves(lines [][]string, limit int) [][][]string {
	var parts [][][]string
	for from := 1; from < len(lines[0]); {
		to, wide := from, width(lines[0][0])
		for to < len(lines[0]) {
			wide += len(gap) + width(lines[0][to])
			if limit > 0 && wide > limit && to > from {
				break
			}
			to++
		}
		part := make([][]string, len(lines))
		for i, line := range lines {
			part[i] = append([]string{line[0]}, line[from:to]...)
		}
		parts = append(parts, part)
		from = to
	}
	return parts
}
