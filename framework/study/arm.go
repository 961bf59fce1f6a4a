package study

import (
	"fmt"
	"slices"
	"strings"
)

// Label names a cell in progress and messages: its method, the labels of its point, its seed.
func (c *Cell) Label() string { return fmt.Sprintf("%s · seed %d", c.ArmLabel(), c.Seed) }

// ArmLabel names all cells that differ from one in their seeds at most.
func (c *Cell) ArmLabel() string {
	parts := []string{c.Method}
	for _, p := range c.Point {
		parts = append(parts, p.Label)
	}
	return strings.Join(parts, " · ")
}

// SameArm reports whether two cells of one experiment differ in their seeds at most.
func (c *Cell) SameArm(other *Cell) bool {
	return c.Method == other.Method && slices.Equal(c.Point, other.Point)
}

// Arms returns the index of the first cell of every method at every point. The seeds change
// fastest, so every arm is a stretch of cells.
func Arms(cells []Cell) (first []int) {
	for i := range cells {
		if i == 0 || !cells[i-1].SameArm(&cells[i]) {
			first = append(first, i)
		}
	}
	return first
}
