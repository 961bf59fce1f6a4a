package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A Grid holds numbers by line and column of a file. Each is finite and not below 0.
type Grid struct {
	Columns int
	Values  []float64 // line by line

	skip     int // cells of a line before those of columns
	first    int // line of the first numbers
	mistakes *Mistakes
	examined bool // some line was looked at
}

// Lines returns how many lines of numbers there are.
func (g *Grid) Lines() int { return len(g.Values) / max(1, g.Columns) }

// At returns the number of a line and a column, from 0.
func (g *Grid) At(line, column int) float64 { return g.Values[line*g.Columns+column] }

// ReadGrid reads a CSV file of numbers, packed by gzip or not, with as many cells in every line.
// The first skip cells of a line hold something else. A first line in which no cell is a number is
// a header. Mistakes are collected in m, unless it is nil: then the first one is the error. Where
// they are, no more than one line is kept.
func ReadGrid(path string, skip int, m *Mistakes) (*Grid, error) {
	g := &Grid{skip: skip, mistakes: m}
	if err := readCSV(path, m, g.line); err != nil {
		return nil, err
	}
	if !g.examined && !m.Any() {
		return nil, fmt.Errorf("%s: there are no numbers", path)
	}
	return g, nil
}

// line takes one line.
func (g *Grid) line(number int, cells []string) error {
	if len(cells) <= g.skip {
		return fmt.Errorf("%d cells, of which the first %d are skipped", len(cells), g.skip)
	}
	cells = cells[g.skip:]
	if number == 1 && !slices.ContainsFunc(cells, isNumber) {
		return nil
	}
	g.examined = true
	if g.Columns == 0 {
		g.Columns, g.first = len(cells), number
	} else if len(cells) != g.Columns {
		return fmt.Errorf("%d cells, want %d as in line %d", len(cells)+g.skip,
			g.Columns+g.skip, g.first)
	}
	if g.mistakes != nil {
		g.Values = g.Values[:0]
	}
	for k, cell := range cells {
		x, err := strconv.ParseFloat(cell, 64)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(x):
			return fmt.Errorf("cell %d is %q, want a number", g.skip+k+1, cell)
		case math.IsInf(x, 0) || x < 0:
			return fmt.Errorf("cell %d is %s, want a finite number that is not below 0",
				g.skip+k+1, cell)
		}
		g.Values = append(g.Values, x)
	}
	return nil
}

func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
