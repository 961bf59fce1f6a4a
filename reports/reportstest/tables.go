package reportstest

import (
	"bytes"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// Row finds the row of a method.
func Row(t *testing.T, tab *table.Table, label string) *table.Row {
	t.Helper()
	for i := range tab.Rows {
		if tab.Rows[i].Method == label {
			return &tab.Rows[i]
		}
	}
	t.Fatalf("no row %q", label)
	return nil
}

// Noted returns the texts of footnotes.
func Noted(tab *table.Table, marks []int) []string {
	var texts []string
	for _, n := range tab.Notes {
		if n.Number > 0 && slices.Contains(marks, n.Number) {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// LegendOf returns the notes that have no number.
func LegendOf(tab *table.Table) string {
	text := ""
	for _, n := range tab.Notes {
		if n.Number == 0 {
			text += n.Term + ": " + n.Text + "\n"
		}
	}
	return text
}

// Compared compares the methods of an example.
func Compared(t *testing.T, in infer.Input, o table.ComparisonOptions) *table.Comparison {
	t.Helper()
	c, err := table.Compare(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Tables builds the tables of an example.
func Tables(t *testing.T, in infer.Input) []table.Table {
	t.Helper()
	list, err := table.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Written returns what a renderer writes.
func Written(t *testing.T, list []table.Table, render func(io.Writer, []table.Table) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Near fails the test unless got is within 1e-9 of want, relative to it.
func Near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s: got %.15g, want %.15g", what, got, want)
	}
}
