package ot

import (
	"fmt"
	"strings"
)

// String says in one clause what the certificate proves.
func (c Certificate) String() string {
	switch {
	case c.Feasible && c.Bound:
		return "no obstacle found, though not every set of clients was looked at"
	case c.Feasible:
		return "weights on cohorts can realise p"
	}
	least := ""
	if c.Bound {
		least = "at least "
	}
	hold, them := "hold", "one of them"
	if len(c.Minimal) == 1 {
		hold, them = "holds", "it"
	}
	return fmt.Sprintf("%s %s %.3f of the importance, but a cohort includes %s with probability "+
		"%.3f only, so %s%.3f of p is unattainable", Clients(c.Minimal), hold, c.Mass, them,
		c.Reach, least, c.Deficiency)
}

// Clients names clients, ascending, in short form: "clients 0–32", "client 7", "100 clients (0–2,
// 5, 9–11, …)".
func Clients(ids []int) string {
	const most = 4 // ranges to name
	var ranges []string
	for k := 0; k < len(ids); {
		end := k + 1
		for end < len(ids) && ids[end] == ids[end-1]+1 {
			end++
		}
		text := fmt.Sprint(ids[k])
		switch end - k {
		case 1:
		case 2:
			text += fmt.Sprintf(", %d", ids[k+1])
		default:
			text += fmt.Sprintf("–%d", ids[end-1])
		}
		ranges = append(ranges, text)
		k = end
	}
	switch {
	case len(ids) == 1:
		return "client " + ranges[0]
	case len(ranges) <= most:
		return "clients " + strings.Join(ranges, ", ")
	}
	return fmt.Sprintf("%d clients (%s, …)", len(ids), strings.Join(ranges[:most], ", "))
}
