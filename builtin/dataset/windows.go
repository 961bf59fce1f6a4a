package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// windows cuts texts into rows of characters, of which the next is to be predicted.
type windows struct {
	context int
	every   bool // at every position, else at the last one alone
	step    int
	share   float64 // of each text, its last part, that is for tests
	letters int
	owners  int // so many of the longest texts; 0: as many as there are clients
	least   int // characters that each of them has
}

func newWindows(p *fl.Params, letters int, owner string) windows {
	w := windows{context: p.Int("context", 80, fl.Closed(1, 1<<16), "characters of a row")}
	w.every = p.Choice("predict", "every", "the next character at every position of a row, or "+
		"after the last one alone", "every", "last") == "every"
	w.step = p.Int("step", 0, fl.AtLeast(0), "characters from one row to the next of a text; 0: "+
		"context, so that rows do not overlap")
	w.share = p.Float("test", 0.2, fl.RightOpen(0, 1), "share of the characters of each "+owner+
		", its last ones, that rows for tests are cut from")
	w.least = p.Int("least", 0, fl.AtLeast(0), "least number of characters of each "+owner)
	w.owners = p.Int("owners", 0, fl.AtLeast(0), "so many "+owner+"s, those with most "+
		"characters; 0: as many as there are clients")
	w.letters = letters
	if letters == 0 {
		w.letters = p.Int("vocabulary", 0, fl.AtLeast(0), "different characters of the files; a "+
			"wrong one is answered by the right one")
	}
	if w.step == 0 {
		w.step = w.context
	}
	return w
}

func (w windows) shape() fl.Shape {
	s := fl.Shape{Features: w.context, Classes: max(1, w.letters), Tokens: max(1, w.letters),
		Labels: 1, Owned: true, Tested: w.share > 0, Stored: 4}
	if w.every {
		s.Labels = w.context
	}
	return s
}

// alphabet returns the characters in their order, or an error where they are not as many as said.
func (w windows) alphabet(letters map[rune]bool) ([]rune, *fault) {
	if n := len(letters); n != w.letters {
		return nil, &fault{"vocabulary", fmt.Errorf("there are %d different characters", n)}
	}
	return slices.Sorted(maps.Keys(letters)), nil
}

// longest returns the texts of as many owners as there are to be, those with most characters first.
func (w windows) longest(texts []data.Speech, clients int) ([]data.Speech, *fault) {
	list := slices.Clone(texts)
	slices.SortStableFunc(list, func(a, b data.Speech) int {
		return cmp.Compare(len([]rune(b.Text)), len([]rune(a.Text)))
	})
	n, need := cmp.Or(w.owners, clients), w.need()
	enough := 0
	for enough < len(list) && len([]rune(list[enough].Text)) >= need {
		enough++
	}
	if enough < n {
		return nil, &fault{"owners", fmt.Errorf("%d have the %d characters that are needed, not %d",
			enough, need, n)}
	}
	return list[:n], nil
}

// need returns how many characters an owner needs: a row for training, and one for tests.
func (w windows) need() int {
	n := w.context + 1
	for w.share > 0 && min(n-w.cut(n), w.cut(n)) < w.context+1 {
		n++
	}
	return max(n, w.least)
}

// cut returns where the part for tests begins in a text of n characters.
func (w windows) cut(n int) int { return n - int(w.share*float64(n)) }

// rows cuts texts, each of an owner of its own, into rows that are packed.
func (w windows) rows(texts []data.Speech, alphabet []rune) (train, test *fl.Dataset) {
	token := map[rune]int32{}
	for k, r := range alphabet {
		token[r] = int32(k)
	}
	lists, count := make([][]int32, len(texts)), [2]int{}
	for owner, t := range texts {
		for _, r := range t.Text {
			lists[owner] = append(lists[owner], token[r])
		}
		cut := w.cut(len(lists[owner]))
		count[0] += w.windowsOf(cut)
		count[1] += w.windowsOf(len(lists[owner]) - cut)
	}
	train, test = w.room(count[0]), w.room(count[1])
	for owner, list := range lists {
		w.slide(train, list[:w.cut(len(list))], owner)
		w.slide(test, list[w.cut(len(list)):], owner)
	}
	if w.share == 0 {
		return train, nil
	}
	return train, test
}

// windowsOf returns how many rows n characters in succession have.
func (w windows) windowsOf(n int) int {
	if n <= w.context {
		return 0
	}
	return (n-w.context-1)/w.step + 1
}

// room returns a data set with room for n rows.
func (w windows) room(n int) *fl.Dataset {
	shape := w.shape()
	return &fl.Dataset{Shape: shape, X: fl.Matrix{Rows: n, Cols: w.context},
		Packed: fl.Packed{Ints: make([]int32, 0, n*w.context), Cols: w.context},
		Y:      make([]int, 0, n*shape.PerRow()), Owner: make([]int, 0, n)}
}

// slide adds the rows of a part of a text. What is left at its end is dropped.
func (w windows) slide(d *fl.Dataset, list []int32, owner int) {
	for lo := 0; lo+w.context < len(list); lo += w.step {
		d.Packed.Ints = append(d.Packed.Ints, list[lo:lo+w.context]...)
		next := list[lo+1 : lo+w.context+1]
		if !w.every {
			next = next[w.context-1:]
		}
		for _, k := range next {
			d.Y = append(d.Y, int(k))
		}
		d.Owner = append(d.Owner, owner)
	}
}

// load cuts texts that were read.
func (w windows) load(texts []data.Speech, letters map[rune]bool, l *fl.LoadInput) (
	train, test *fl.Dataset, err error) {
	alphabet, wrong := w.alphabet(letters)
	if wrong == nil {
		texts, wrong = w.longest(texts, l.Clients)
	}
	if wrong != nil {
		return nil, nil, fmt.Errorf("%s: %w", wrong.param, wrong.error)
	}
	var names []string
	for _, t := range texts[:min(3, len(texts))] {
		names = append(names, t.Role)
	}
	train, test = w.rows(texts, alphabet)
	if !l.Packed {
		for _, d := range partsOf(train, test) {
			d.Unpack()
		}
	}
	if l.Alphabet != nil {
		*l.Alphabet = alphabet
	}
	l.Note(fmt.Sprintf("%d texts of %d to %d characters, %s first", len(texts),
		len([]rune(texts[len(texts)-1].Text)), len([]rune(texts[0].Text)),
		strings.Join(names, ", ")))
	return train, test, nil
}

// inspect reports what is wrong with texts that were read.
func (w windows) inspect(e examiner, texts []data.Speech, letters map[rune]bool) {
	if _, wrong := w.alphabet(letters); wrong != nil {
		e.Fail(wrong.param, "%v", wrong.error)
	}
	if _, wrong := w.longest(texts, e.Clients); wrong != nil {
		e.Fail(wrong.param, "%v", wrong.error)
	}
}
