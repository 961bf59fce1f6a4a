package render

import (
	"strings"

	"github.com/hansa-fl/hansa/reports/table"
)

// Widths in print are in thousandths of an em of Computer Modern, a little too large.
const (
	smallLine = 39_700 // a line of the article class, the narrowest in use, in \small
	tinyLine  = 41_900 // the same in \footnotesize
	tabSep    = 950    // 2 \tabcolsep of 4pt, in the smaller of the two
)

// fitLine stacks the columns in parts as wide as a line, in the larger size if one part
// suffices.
func fitLine(g *table.Grid) (list [][]int, size string) {
	r := &widthRule{head: ems(g.Corner), gap: tabSep, text: ems,
		column: func(c int) int { return columnEms(&g.Columns[c]) }}
	for _, row := range g.Rows {
		r.head = max(r.head, ems(row.Short)+scriptEms(marks(row.Notes)))
	}
	if list = stackParts(g, r, smallLine); len(list) == 1 {
		return list, "small"
	}
	return stackParts(g, r, tinyLine), "footnotesize"
}

// columnEms is the width of a column in print.
func columnEms(column *table.GridColumn) int {
	left, right := 0, 0
	word := ems(column.Head) + scriptEms(marks(column.Notes))
	for _, e := range column.Entries {
		after := scriptEms(e.Star) + scriptEms(marks(e.Notes)) + ems(table.Before(" ", e.Aside)) +
			ems(table.Before(" ", e.Parentheses()))
		if e.Word != "" {
			word = max(word, ems(e.Word)+after)
			continue
		}
		lead, rest := table.Before("(", e.Whole), e.Frac
		if e.Best {
			lead, rest = lead+" ", rest+" " // bold digits are wider
		}
		if e.Spread != "" {
			after += scriptEms("±"+e.Spread+" ") + ems(")")
		}
		if power, ok := strings.CutPrefix(e.Scale, "e"); ok {
			after += ems("+ 10") + scriptEms(power)
		} else {
			after += ems(e.Scale)
		}
		left, right = max(left, ems(lead)), max(right, ems(rest)+after)
	}
	return max(left+right, word)
}

// scriptEms is the width of a text in small print.
func scriptEms(s string) int { return ems(s) * 87 / 100 }

// ems estimates the width of a text.
func ems(s string) int {
	sum := 0
	for _, r := range s {
		sum += em(r)
	}
	return sum
}

// em is the width of a character in Computer Modern Roman, by its kind.
func em(r rune) int {
	switch {
	case strings.ContainsRune("ijl.,;:'!|· ", r):
		return 334
	case strings.ContainsRune("frst()[]-", r):
		return 400
	case r >= '0' && r <= '9' || strings.ContainsRune("aceogvxyz*$?/", r):
		return 500
	case strings.ContainsRune("mMwW%@&ÆŒ—…", r):
		return 1030
	case r > 0x24f:
		if strings.HasPrefix(texRune(r), `\texttt`) {
			return 3700 // its code point
		}
		return 1030
	case r >= 'A' && r <= 'Z' || strings.ContainsRune("+=<>#~^_\\{}×±−", r):
		return 780
	default:
		return 580
	}
}
