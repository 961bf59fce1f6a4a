package fl

import "slices"

// Notes collect remarks about a cell that become footnotes of its table: "scaling
// stopped at residual 3e-4".
type Notes struct{ list []string }

// NewNotes returns notes that hold the given remarks.
func NewNotes(remarks []string) *Notes { return &Notes{list: slices.Clone(remarks)} }

// Add records a remark, once however often it is made.
func (n *Notes) Add(remark string) {
	if !slices.Contains(n.list, remark) {
		n.list = append(n.list, remark)
	}
}

// List returns the remarks in the order in which they were first made.
func (n *Notes) List() []string { return slices.Clone(n.list) }
