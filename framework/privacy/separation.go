package privacy

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// mostSteps bounds the work of the exact search.
const mostSteps = 5_000_000

// TreeSensitivity returns the largest Σ c_v² of one tree over rounds, when a client takes part at
// most most times and any two of its rounds lie at least separation apart: 1 allows consecutive
// rounds. Nodes that are never complete are never released and do not count.
//
// The largest is found by dynamic programming over subtrees: greedy placement is not always the
// worst (Appendix D.2). Where that would take long, exact is false and an upper bound is returned
// instead: on level ℓ a node sees at most min(most, ⌈2^ℓ/separation⌉) of the client's rounds, and
// all its nodes together at most most.
func TreeSensitivity(rounds, most, separation int) (squares int, exact bool, err error) {
	return Restarts{}.Sensitivity(rounds, most, separation)
}

// Restarts say when a tree ends and the next one begins.
type Restarts struct {
	// Every is how many rounds a tree has; 0: all.
	Every int
	// Completes says that a tree that ended is released as a whole, too: the noise of all its
	// rounds is then that of one node.
	Completes bool
}

// trees returns the rounds of each tree, and how many of them ended.
func (r Restarts) trees(rounds int) (sizes []int, ended int) {
	if r.Every == 0 {
		return []int{rounds}, 0
	}
	for ; rounds > r.Every; rounds -= r.Every {
		sizes = append(sizes, r.Every)
	}
	return append(sizes, rounds), len(sizes)
}

// Sensitivity is TreeSensitivity over all trees together. The last round of a tree ends it once
// another one follows.
func (r Restarts) Sensitivity(rounds, most, separation int) (squares int, exact bool, err error) {
	switch {
	case rounds < 0:
		return 0, false, fmt.Errorf("%d rounds: there must be at least 0", rounds)
	case most < 0:
		return 0, false, fmt.Errorf("%d participations: there must be at least 0", most)
	case separation < 1:
		return 0, false, fmt.Errorf("the separation is %d: it must be at least 1", separation)
	case r.Every < 0:
		return 0, false, fmt.Errorf("a restart every %d rounds: there must be at least 0", r.Every)
	}
	if rounds == 0 || most == 0 {
		return 0, true, nil
	}
	separation = min(separation, rounds)
	most = min(most, 1+(rounds-1)/separation)
	sizes, ended := r.trees(rounds)
	s := separated{gap: separation, known: map[subtree][]placement{}, left: mostSteps}
	reached := [][]placement{{{0, 0}}} // by how often the client took part
	for k, size := range sizes {
		reached = s.after(reached, size, r.Completes && k < ended && size&(size-1) != 0, most)
	}
	if s.left < 0 {
		bound := 0
		for k, size := range sizes {
			own := min(most, 1+(size-1)/separation)
			if bound += levelBound(size, own, separation); r.Completes && k < ended {
				bound += own * own
			}
		}
		return bound, false, nil
	}
	best := 0
	for _, all := range reached {
		for _, p := range all {
			best = max(best, p.squares)
		}
	}
	return best, true, nil
}

// after returns the placements with another tree, whose root is released although no level is full
// where whole is set.
func (s *separated) after(reached [][]placement, size int, whole bool, most int) [][]placement {
	next := make([][]placement, most+1)
	for before, all := range reached {
		for _, a := range all {
			for own := 0; before+own <= most && own <= size; own++ {
				top := 0
				if whole {
					top = own * own
				}
				for _, b := range s.place(subtree{size, own, a.free}) {
					s.left--
					next[before+own] = append(next[before+own],
						placement{a.squares + b.squares + top, b.free})
				}
				if s.left < 0 {
					return nil
				}
			}
		}
	}
	for k, all := range next {
		next[k] = unbeaten(all)
	}
	return next
}

// levelBound sums the bound of every level that has a complete node.
func levelBound(rounds, most, separation int) int {
	bound := 0
	for level := 0; level < bits.Len(uint(rounds)); level++ {
		bound += most * min(most, (1<<level+separation-1)/separation)
	}
	return bound
}

// A subtree is a question: how can a client take part times times in size rounds, when the first
// free rounds are too early for it?
type subtree struct{ size, times, free int }

// A placement is an answer: what the client moves at the nodes of the subtree, and how many of the
// rounds after it are too early.
type placement struct{ squares, free int }

// separated answers questions and remembers the answers.
type separated struct {
	gap   int
	known map[subtree][]placement
	left  int // steps that may still be taken
}

// place returns the placements that no other beats, in squares and in rounds that stay free.
func (s *separated) place(t subtree) []placement {
	complete := t.size&(t.size-1) == 0
	switch {
	case t.times == 0:
		return []placement{{0, max(0, t.free-t.size)}}
	case t.free+(t.times-1)*s.gap >= t.size || s.left < 0:
		return nil
	case complete && t.size <= s.gap:
		// It takes part once, and moves a node on every level. The earliest round is the best.
		return []placement{{bits.Len(uint(t.size)), max(0, t.free+s.gap-t.size)}}
	}
	if all, ok := s.known[t]; ok {
		return all
	}
	half, top := 1<<(bits.Len(uint(t.size-1))-1), 0
	if complete {
		top = t.times * t.times
	}
	var all []placement
	for right := 0; right <= t.times; right++ {
		for _, a := range s.place(subtree{half, t.times - right, t.free}) {
			for _, b := range s.place(subtree{t.size - half, right, a.free}) {
				s.left--
				all = append(all, placement{a.squares + b.squares + top, b.free})
			}
		}
	}
	all = unbeaten(all)
	s.known[t] = all
	return all
}

// unbeaten keeps the placements that have more squares than all with as few rounds that are too
// early.
func unbeaten(all []placement) []placement {
	slices.SortFunc(all, func(a, b placement) int {
		return cmp.Or(cmp.Compare(a.free, b.free), cmp.Compare(b.squares, a.squares))
	})
	kept := all[:0]
	for _, p := range all {
		if len(kept) == 0 || p.squares > kept[len(kept)-1].squares {
			kept = append(kept, p)
		}
	}
	return slices.Clip(kept)
}
