package claim

import (
	"strconv"
	"strings"
)

// String returns the claim as Parse reads it: with ASCII signs, and quotes where a name needs them.
func (e Expr) String() string {
	var parts []string
	for _, p := range e {
		parts = append(parts, p.String())
	}
	return strings.Join(parts, " and ")
}

// String returns the predicate as Parse reads it.
func (p Predicate) String() string {
	var args []string
	f, _ := formOf(string(p.Kind))
	names := make([]string, len(p.Methods))
	for i, t := range p.Terms() {
		names[i] = t.String()
	}
	of := ""
	switch {
	case f.methods == chain:
		args = append(args, strings.Join(names, " > "))
	case f.methods == 0:
		of = strings.Join(names, ", ")
	default:
		args = append(args, names...)
	}
	args = append(args, quoted(p.Metric))
	if p.Over != "" {
		args = append(args, "over = "+quoted(p.Over))
	}
	if p.Bound != nil {
		args = append(args, p.Bound.String())
	}
	if p.Margin != nil {
		key := "within = "
		if p.Kind == Better || p.Kind == Worse {
			key = "by = "
		}
		args = append(args, key+p.Margin.String())
	}
	if p.Round > 0 {
		args = append(args, "by = round "+strconv.Itoa(p.Round))
	}
	if of != "" {
		args = append(args, "of = "+of)
	}
	return string(p.Kind) + "(" + strings.Join(args, ", ") + ")"
}

// String returns the margin: "0.5", "10 %".
func (m Margin) String() string {
	if m.Percent {
		return numeral(m.Size) + " %"
	}
	return numeral(m.Size)
}

// String returns the bound: "<= 0.1", "= 0.32 +- 0.02".
func (b Bound) String() string {
	text := b.Relation + " " + numeral(b.Value)
	if b.Relation == Equal {
		text += " +- " + numeral(b.Tolerance)
	}
	return text
}

// numeral writes a number in as few digits as identify it.
func numeral(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// quoted returns a name, in quotes if it might be read as something else without them.
func quoted(name string) string {
	plain := name != "" && strings.TrimSpace(name) == name &&
		!strings.ContainsAny(name, `,()'"<>=`) && !strings.Contains(name, " - ") &&
		!strings.Contains(name, " − ")
	if plain {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", "''") + "'"
}
