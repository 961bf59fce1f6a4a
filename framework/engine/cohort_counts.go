package engine

import (
	"encoding/binary"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

const (
	// wordBits is how many clients a word can say of whether they are in a cohort.
	wordBits = 64
	// chunk is how many members of cohorts are kept in one piece of memory.
	chunk = 1 << 12
)

// cohortCounts add up the probability of cohorts. Its zero value has none.
type cohortCounts struct {
	words   map[uint64]int // where a cohort stands in sets, if all of it are below wordBits,
	texts   map[string]int // and else
	sets    [][]int
	q       fl.Vector
	empty   float64
	members int
	key     []byte
	room    []int // for sets that are new
}

// add adds to the probability of a cohort, which is ascending, and of which it keeps a copy.
func (t *cohortCounts) add(set []int, q float64) {
	j, ok := t.place(set)
	if !ok {
		t.sets, t.q = append(t.sets, t.keep(set)), append(t.q, 0)
		t.members += len(set)
	}
	t.q[j] += q
}

// place returns where a cohort stands in sets, and whether it was there before.
func (t *cohortCounts) place(set []int) (j int, ok bool) {
	if word, fits := wordOf(set); fits {
		return placed(&t.words, word, len(t.sets))
	}
	t.key = t.key[:0]
	for _, i := range set {
		t.key = binary.AppendUvarint(t.key, uint64(i))
	}
	if j, ok = t.texts[string(t.key)]; ok { // without a copy of the key
		return j, ok
	}
	return placed(&t.texts, string(t.key), len(t.sets))
}

// wordOf returns a word that says which clients are in a cohort, if it can say that of all of them.
func wordOf(set []int) (word uint64, fits bool) {
	for _, i := range set {
		if i >= wordBits {
			return 0, false
		}
		word |= 1 << i
	}
	return word, true
}

// placed returns what a key stands for, which is next where it is new.
func placed[K comparable](at *map[K]int, key K, next int) (j int, ok bool) {
	if j, ok = (*at)[key]; ok {
		return j, ok
	}
	if *at == nil {
		*at = map[K]int{}
	}
	(*at)[key] = next
	return next, false
}

// keep returns a copy of a cohort.
func (t *cohortCounts) keep(set []int) []int {
	if len(set) > len(t.room) {
		t.room = make([]int, max(chunk, len(set)))
	}
	own := t.room[:len(set):len(set)]
	t.room = t.room[len(set):]
	copy(own, set)
	return own
}

// law returns the cohorts in the order in which they were first met, with
// probabilities that sum to 1.
func (t *cohortCounts) law() fl.Law {
	if sum := t.q.Sum(); sum > 0 {
		t.q.Scale(1 / sum)
	}
	return fl.Law{Sets: slices.Clip(t.sets), Q: t.q}
}
