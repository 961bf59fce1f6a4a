package table

import "github.com/hansa-fl/hansa/framework/study"

// What tests beside the package need of it.

// CountPoints counts the points of a table.
func CountPoints(t *Table) int { return points(t) }

// SortMarks puts the numbers of footnotes in order.
func SortMarks(t *Table) { t.sortMarks() }

// QuantityDifferences says in what a quantity differs from another.
func QuantityDifferences(q, from study.Quantity) []string { return q.Differences(from) }
