package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// number matches a number inside a remark.
var number = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// part matches so many of so many, and numeral that or a number.
var (
	part    = regexp.MustCompile(`\b\d+ of \d+\b`)
	numeral = regexp.MustCompile(part.String() + "|" + number.String())
)

// joined matches what ranged makes of them.
var joined = regexp.MustCompile(part.String() + " … " + part.String() + "|" +
	number.String() + " … " + number.String())

// skeleton returns a text without its numbers, its ranges and what listing matches.
func skeleton(text string) string {
	text = joined.ReplaceAllStringFunc(listing.ReplaceAllString(text, ""), func(s string) string {
		from, _, _ := strings.Cut(s, " … ")
		return from
	})
	return number.ReplaceAllString(text, "\x00")
}

// listing matches a list of clients in brackets.
var listing = regexp.MustCompile(` \(\d+(?:, \d+)*(?:, …)?\)`)

// unlisted leaves lists of clients out of texts where these differ in them: a range of each of
// their places would say nothing.
func unlisted(texts []string) []string {
	same, first := true, listing.FindAllString(texts[0], -1)
	for _, text := range texts {
		same = same && slices.Equal(listing.FindAllString(text, -1), first)
	}
	if same {
		return texts
	}
	var out []string
	for _, text := range texts {
		out = append(out, listing.ReplaceAllString(text, ""))
	}
	return out
}

// A remark is something said about one seed.
type remark struct {
	seed uint64
	text string
}

// A merged remark was made about several seeds.
type merged struct {
	seeds []uint64
	text  string // "residual 3e-4 … 5e-4" where seeds differ in nothing but numbers
	texts []string
}

// merge joins remarks that differ in nothing but their numbers, in the order in which
// they were first made. Remarks of one seed stay apart.
func merge(remarks []remark) []merged {
	var groups []merged
	index := map[string]int{}
	for _, r := range remarks {
		key := number.ReplaceAllString(listing.ReplaceAllString(r.text, ""), "\x00")
		i, known := index[key]
		for known && slices.Contains(groups[i].seeds, r.seed) {
			key += "\x01"
			i, known = index[key]
		}
		if !known {
			i = len(groups)
			index[key] = i
			groups = append(groups, merged{})
		}
		groups[i].seeds = append(groups[i].seeds, r.seed)
		groups[i].texts = append(groups[i].texts, r.text)
	}
	for i := range groups {
		groups[i].text = ranged(groups[i].texts)
	}
	return groups
}

// ranged returns the common text of remarks that differ only in numbers, with the smallest
// and the largest number wherever they do; so many of so many are one number, their ratio,
// unless they are of the same number.
func ranged(texts []string) string {
	texts = unlisted(texts)
	found := make([][]string, len(texts))
	for i, text := range texts {
		found[i] = numeral.FindAllString(text, -1)
	}
	k := -1
	return numeral.ReplaceAllStringFunc(texts[0], func(string) string {
		k++
		low, high := found[0][k], found[0][k]
		_, of, ok := strings.Cut(low, " of ")
		for _, numerals := range found[1:] {
			_, other, _ := strings.Cut(numerals[k], " of ")
			ok = ok && other == of
			if value(numerals[k]) < value(low) {
				low = numerals[k]
			}
			if value(numerals[k]) > value(high) {
				high = numerals[k]
			}
		}
		switch {
		case low == high:
			return low
		case ok:
			return strings.TrimSuffix(low, " of "+of) + " … " + high
		}
		return low + " … " + high
	})
}

// spanned is ranged for texts that may have ranges already.
func spanned(texts []string) string {
	ends := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		for end := range 2 {
			ends = append(ends, joined.ReplaceAllStringFunc(text, func(both string) string {
				return strings.Split(both, " … ")[end]
			}))
		}
	}
	return ranged(ends)
}

// value reads what numeral matched; what is too large for a float64 counts as infinite.
func value(s string) float64 {
	s, all, ok := strings.Cut(s, " of ")
	x, _ := strconv.ParseFloat(s, 64)
	if of, _ := strconv.ParseFloat(all, 64); ok && of > 0 {
		return x / of
	}
	return x
}

// seeds lists seeds in words: "seed 3", "seeds 3, 4".
func seeds(list []uint64) string {
	word := "seed"
	if len(list) > 1 {
		word = "seeds"
	}
	var names []string
	for _, s := range list {
		names = append(names, strconv.FormatUint(s, 10))
	}
	return word + " " + strings.Join(names, ", ")
}

// share says about how many of n seeds a remark was made, when not about all.
func (m merged) share(n int) string {
	if len(m.seeds) == n {
		return ""
	}
	return fmt.Sprintf(" (%d of %d seeds)", len(m.seeds), n)
}
