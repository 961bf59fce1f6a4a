package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/reports/chart"
)

// mostClients is how many rows the table of clients has.
const mostClients = 200

// A World is what is known of clients beside results: it is made again from the plan.
type World struct {
	Findings []audit.Finding      // of every method at every point, with the first seed
	Dealings []chart.ClientCounts // of samples with classes
	Samples  []int                // by client, at the first point
	Arms     int                  // methods at points of the sweep that there are
}

// A plain table has texts, the first of each row its head.
type plain struct {
	Heads []string
	Rows  [][]string
	Note  string
}

// clients returns a row for each client: its data, its inclusion probability and its weight, at the
// first point of the sweep.
func (w *World) clients() *plain {
	if len(w.Findings) == 0 || w.Findings[0].Importance == nil {
		return nil
	}
	t := &plain{Heads: []string{"client"}}
	var columns []numbers
	add := func(head string, values []float64) {
		t.Heads, columns = append(t.Heads, head), append(columns, values)
	}
	if first := w.Findings[0]; len(w.Samples) == first.Clients {
		var samples []float64
		for _, n := range w.Samples {
			samples = append(samples, float64(n))
		}
		add("samples", samples)
		add("p", first.Importance)
	} else {
		add("p", first.Importance)
	}
	var here []audit.Finding
	for _, f := range w.Findings {
		if slices.Equal(f.Point, w.Findings[0].Point) && f.Importance != nil {
			here = append(here, f)
		}
	}
	var known []string
	for _, f := range here {
		if key := fmt.Sprint(f.Inclusion); f.Inclusion != nil && !slices.Contains(known, key) {
			known = append(known, key)
			add("π "+f.Method, f.Inclusion)
		}
	}
	if len(known) == 1 {
		t.Heads[len(t.Heads)-1] = "π"
	}
	for _, f := range here {
		if f.Realised != nil {
			add("p̃ "+f.Method, f.Realised)
		}
	}
	n := w.Findings[0].Clients
	kept := places(n, mostClients)
	for _, i := range kept {
		row := []string{strconv.Itoa(i)}
		for _, c := range columns {
			row = append(row, short(c[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "p: importance; π: probability to take part in a round; p̃: mean weight that a " +
		"method gives, of sum 1"
	if at := labels(w.Findings[0].Point); at != "" {
		t.Note += ". At " + at
	}
	if n > len(kept) {
		t.Note += fmt.Sprintf(". %d of %d clients, evenly spread", len(kept), n)
	}
	return t
}

// short writes a number with three significant digits, and whole ones in full.
func short(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e7 {
		return strconv.FormatFloat(x+0, 'f', -1, 64)
	}
	text := strconv.FormatFloat(x, 'g', 3, 64)
	return strings.ReplaceAll(strings.ReplaceAll(text, "e-0", "e-"), "-", "−")
}
