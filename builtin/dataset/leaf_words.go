package dataset

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A lexicon numbers words.
type lexicon struct {
	size   int
	of     map[string]int32
	count  []int
	closed bool // no more words are learned
}

func newLexicon(size int) *lexicon { return &lexicon{size: size, of: map[string]int32{}} }

// leafWord is a word, or a mark between words.
var leafWord = regexp.MustCompile(`[\p{L}\p{N}_']+|[.,!?;]`)

// add adds a row of words, in the order in which they come first; −1 stands for none.
func (w *lexicon) add(d *fl.Dataset, texts []string) error {
	if len(texts) == 0 {
		return errors.New("there is no text")
	}
	text := texts[min(4, len(texts)-1)] // after number, date, query and user
	words := leafWord.FindAllString(text, leafWords)
	for k := range leafWords {
		token := int32(-1)
		if k < len(words) {
			known, is := w.of[words[k]]
			switch {
			case is:
				token = known
			case !w.closed:
				token = int32(len(w.of))
				w.of[strings.Clone(words[k])] = token
				w.count = append(w.count, 0)
			}
		}
		if token >= 0 && !w.closed {
			w.count[token]++
		}
		d.Packed.Ints = append(d.Packed.Ints, token)
	}
	return nil
}

// number gives the most frequent words the tokens from 0 on, and others the last one.
func (w *lexicon) number(sets ...*fl.Dataset) {
	names := slices.SortedFunc(maps.Keys(w.of), func(a, b string) int {
		return cmp.Or(cmp.Compare(w.count[w.of[b]], w.count[w.of[a]]), cmp.Compare(a, b))
	})
	token := slices.Repeat([]int32{int32(w.size)}, len(names))
	for k, name := range names[:min(w.size, len(names))] {
		token[w.of[name]] = int32(k)
	}
	for _, d := range sets {
		if d == nil {
			continue
		}
		for k, old := range d.Packed.Ints {
			if d.Packed.Ints[k] = int32(w.size); old >= 0 {
				d.Packed.Ints[k] = token[old]
			}
		}
	}
}
