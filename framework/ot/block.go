package ot

import "github.com/hansa-fl/hansa/framework/tensor"

// A block is a masked problem on renumbered clients in one flat list, the form in which
// it is solved. Client k of the block is client ids[k] of the problem; cohort j consists
// of members[start[j]:start[j+1]] and has probability q[j] > 0. Neither p nor q need
// sum to 1.
type block struct {
	ids     []int         // ascending
	p       tensor.Vector // importance of each client of the block
	q       tensor.Vector // probability of each cohort
	start   []int         // length len(q)+1
	members []int32       // numbers in the block, ascending in each cohort
}

// newBlock returns an empty block with room for so many clients, cohorts and members.
func newBlock(clients, cohorts, members int) *block {
	return &block{
		ids:     make([]int, 0, clients),
		p:       make(tensor.Vector, 0, clients),
		q:       make(tensor.Vector, 0, cohorts),
		start:   append(make([]int, 0, cohorts+1), 0),
		members: make([]int32, 0, members),
	}
}

// block returns the part of the problem that concerns the clients whose keep is true,
// without the cohorts that have none of them.
func (m Masked) block(keep []bool) *block {
	size := 0
	for _, set := range m.Sets {
		size += len(set)
	}
	b := newBlock(len(keep), len(m.Sets), size)
	number := make([]int32, len(keep))
	for i, kept := range keep {
		if kept {
			number[i] = int32(len(b.ids))
			b.ids = append(b.ids, i)
			b.p = append(b.p, m.P[i])
		}
	}
	for j, set := range m.Sets {
		if m.Q[j] == 0 {
			continue
		}
		for _, i := range set {
			if keep[i] {
				b.members = append(b.members, number[i])
			}
		}
		b.seal(m.Q[j])
	}
	return b
}

// seal makes a cohort of probability q of the members appended since the last one, if
// there are any.
func (b *block) seal(q float64) {
	if len(b.members) > b.start[len(b.q)] {
		b.q = append(b.q, q)
		b.start = append(b.start, len(b.members))
	}
}

// set returns the members of cohort j.
func (b *block) set(j int) []int32 { return b.members[b.start[j]:b.start[j+1]] }
