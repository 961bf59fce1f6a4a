package table

import (
	"fmt"
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

// GroupByPoint groups findings by where they lie, in their order.
func GroupByPoint(findings []audit.Finding) [][]audit.Finding {
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

// An AuditTable is what was found of the methods at one point of the sweep, in words.
type AuditTable struct {
	Labels []string // of the point
	Lines  [][]string
	Notes  []Note

	// Frontier is, where it was asked for, how the methods lie beside the frontier of variance and
	// total variation, and Budgets that frontier; both have a head.
	Frontier, Budgets [][]string

	// Panels are more tables with a head, where they were asked for: balance and sensitivity.
	Panels [][][]string
}

// AuditTables returns a table for each point of the sweep, the first line of which is its head.
// With levels it says, too, what the weights cost and at what level training settles.
func AuditTables(findings []audit.Finding, levels bool) []AuditTable {
	var tables []AuditTable
	for _, group := range GroupByPoint(findings) {
		n := &noteList{}
		t := AuditTable{Lines: [][]string{auditHead(group, levels)}}
		for _, c := range group[0].Point {
			t.Labels = append(t.Labels, c.Label)
		}
		for i := range group {
			f := &group[i]
			line := auditLine(f, n)
			if tracked(group) > 0 {
				line = append(line, trackingCell(f))
			}
			if levels {
				line = append(line, floorCell(f, n))
			}
			if partlyEnrolled(group) {
				line = slices.Insert(line, 1, enrolledCells(f)...)
			}
			if levels && hasLevels(group) {
				line = append(line, levelCells(f, group, n)...)
			}
			t.Lines = append(t.Lines, line)
		}
		t.Notes = append(n.list, auditTerms(group)...)
		if best := optimum(group); levels && best != "" {
			t.Notes = append(t.Notes, Note{Term: "F*", Text: best})
		}
		if levels {
			t.Notes = append(t.Notes, levelNotes(group)...)
			t.Frontier, t.Budgets = frontierMethods(group), frontierBudgets(group)
			t.Notes = append(t.Notes, frontierTerms(group)...)
			t.addRisks(group)
			t.addSelection(group)
		}
		tables = append(tables, t)
	}
	return tables
}

// auditHead names the columns of an audit.
func auditHead(findings []audit.Finding, levels bool) []string {
	head := []string{"method"}
	if partlyEnrolled(findings) {
		head = append(head, "enrolled", "Σp", "probability e")
	}
	head = append(head, "participants", "cohort distribution", "inclusion π", "unattainable",
		"TV(p̃, p)", "χ²", "Σw", "effective")
	if rounds := tracked(findings); rounds > 0 {
		head = append(head, fmt.Sprintf("TV, %d rounds", rounds))
	}
	if levels {
		head = append(head, "F(θ_p̃) − F*")
	}
	if levels && hasLevels(findings) {
		head = append(head, levelHead(findings)...)
	}
	return head
}

// partlyEnrolled reports whether some clients are not enrolled.
func partlyEnrolled(findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool {
		return f.Enrolment.Clients < f.Clients
	})
}

// enrolledCells returns the number of enrolled clients, their share of p, and the enrolment
// probabilities of all.
func enrolledCells(f *audit.Finding) []string {
	e := f.Enrolment
	chance := "?"
	switch {
	case e.Stated == 0:
	case e.Mean-e.Lowest < 1e-12:
		chance = ThreeDigits(e.Lowest)
	default:
		chance = fmt.Sprintf("≥ %s, mean %s", ThreeDigits(e.Lowest), ThreeDigits(e.Mean))
	}
	return []string{fmt.Sprintf("%d of %d", e.Clients, f.Clients), ThreeDecimals(e.Share), chance}
}

// auditTerms explains the columns of an audit.
func auditTerms(findings []audit.Finding) []Note {
	list := []Note{
		{Term: "participants", Text: "mean number of participants of the rounds that have any, " +
			"of all clients"},
		{Term: "cohort distribution", Text: "exact, or simulated by the audit; hidden: the " +
			"server " +
			"does not know it"},
		{Term: "inclusion π", Text: "probability that a client participates in a round"},
		{Term: "unattainable", Text: "least total variation from p of an importance that weights " +
			"on these cohorts can realise (FedAVOT, Theorem 1)"},
		{Term: "p̃", Text: "mean weight of each client over the cohort distribution: the " +
			"importance " +
			"that the method optimises"},
		{Term: "TV, χ²", Text: "total variation, and Σ (p̃ − p)²/p"},
		{Term: "Σw", Text: "mean sum of the weights of a round"},
		{Term: "effective", Text: "effective cohort size (Kish), the mean of (Σw)²/Σw²"},
	}
	if rounds := tracked(findings); rounds > 0 {
		list = append(list, Note{Term: fmt.Sprintf("TV, %d rounds", rounds), Text: "mean total " +
			"variation from p of the mean weights of so many rounds in a row: bias, what " +
			"availability adds while its state lasts, and chance"})
	}
	if partlyEnrolled(findings) {
		list = append(list, Note{Term: "enrolled", Text: "clients that can ever participate, " +
			"with the first " +
			"seed; Σp: their share of the importance; e: probability to enrol; π is of the " +
			"enrolled only"})
	}
	return list
}

// optimum says what the least objective is, where it was computed.
func optimum(findings []audit.Finding) string {
	for _, f := range findings {
		if p := f.Prediction; p != nil {
			return fmt.Sprintf("minimum of the objective F, %s with seed %d; θ_p̃ minimises the "+
				"objective with importance p̃, so F(θ_p̃) − F* is the error of the weights alone",
				ThreeDigits(p.Optimum), f.Seed)
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
		line[4] += n.mark("not known: the cohort distribution is estimated from simulated " +
			"rounds, too few " +
			"for so many clients")
	}
	if c := f.Feasibility; c != nil {
		line[4] = ThreeDecimals(c.Deficiency)
		if c.Bound {
			line[4] = "≥ " + line[4]
		}
		switch {
		case f.Law.Draws > 0:
			line[4] += n.mark(fmt.Sprintf("of the cohort distribution estimated from %d "+
				"simulated rounds",
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
	line[1] = fmt.Sprintf("%s of %d", ThreeDigits(e.Cohort), f.Clients)
	line = append(line, ThreeDecimals(f.TV), ThreeDigits(float64(f.ChiSquare)),
		ThreeDigits(e.Total), ThreeDigits(e.Speaking))
	if e.Thin {
		line[5], line[6] = "?", "?"
	}
	if e.TotalSD > 0 {
		line[7] += " ± " + ThreeDigits(e.TotalSD)
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
	p := meanPrediction(f)
	if p == nil {
		return "—" + n.mark(f.Why)
	}
	floor := ThreeDigits(p.Floor)
	if p.Unknown != "" {
		floor += n.mark("the level at which training ends is not predicted: " + p.Unknown)
	}
	return floor
}

// violation names the clients that no weights can compensate for.
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
	return fmt.Sprintf("positivity is violated: %s cannot participate, and a share %s of p is "+
		"lost whatever the weights", who, ThreeDigits(e.Violated))
}

func simulationNote(e *audit.Effective, tv float64) string {
	how := fmt.Sprintf("p̃ is a mean over %d simulated rounds", e.Rounds)
	if e.Worth > 0 && e.Worth < 0.9*float64(e.Rounds) {
		how += fmt.Sprintf(", which depend on each other and are worth %s independent ones",
			ThreeDigits(e.Worth))
	}
	if e.Thin {
		how += ", too few to tell clients apart"
	} else {
		how += fmt.Sprintf("; 95 %% interval of TV: %s … %s, where error alone would show %s",
			ThreeDecimals(max(0, tv-e.Margin)), ThreeDecimals(min(tv+e.Margin, max(1, tv))),
			ThreeDecimals(e.Noise))
	}
	if e.Learns {
		how += "; the weights are learnt, and as many rounds before were left out"
	}
	return how
}

// lawName says how the cohort distribution is known.
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
		return "mean " + ThreeDigits(l.Mean)
	case l.Lowest == l.Highest:
		return ThreeDigits(l.Lowest)
	}
	return fmt.Sprintf("%s … %s, mean %s", ThreeDigits(l.Lowest), ThreeDigits(l.Highest),
		ThreeDigits(l.Mean))
}

// ThreeDecimals writes a probability with three digits after the point.
func ThreeDecimals(x float64) string {
	if x > 1e-9 && x < 0.0005 { // less is rounding
		return "< 0.001"
	}
	return strconv.FormatFloat(math.Abs(x), 'f', 3, 64)
}

// ThreeDigits writes a number with three significant digits.
func ThreeDigits(x float64) string {
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
