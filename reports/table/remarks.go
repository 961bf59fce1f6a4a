package table

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numberPattern matches a number inside a remark.
var numberPattern = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// fractionPattern matches so many of so many, and numeralPattern that or a number.
var (
	fractionPattern = regexp.MustCompile(`\b\d+ of \d+\b`)
	numeralPattern  = regexp.MustCompile(fractionPattern.String() + "|" + numberPattern.String())
)

// rangePattern matches what withRanges makes of them.
var rangePattern = regexp.MustCompile(fractionPattern.String() + " … " +
	fractionPattern.String() + "|" + numberPattern.String() + " … " + numberPattern.String())

// withoutNumbers returns a text without its numbers, its ranges and its lists of clients.
func withoutNumbers(text string) string {
	text = clientListPattern.ReplaceAllString(text, "")
	text = rangePattern.ReplaceAllStringFunc(text, func(s string) string {
		from, _, _ := strings.Cut(s, " … ")
		return from
	})
	return wordsOf(unnamed(text, "clients"))
}

// wordsOf returns a text without its numbers.
func wordsOf(text string) string { return numberPattern.ReplaceAllString(text, "\x00") }

// clientListPattern matches a list of clients in brackets, clientsPattern clients by their numbers
// or how many there are.
var (
	clientListPattern = regexp.MustCompile(` \(\d+(?:–\d+)?(?:, \d+(?:–\d+)?)*(?:, …)?\)`)
	clientsPattern    = regexp.MustCompile(`\b(?:\d+ clients|clients? ` +
		`\d+(?:–\d+)?(?:, \d+(?:–\d+)?)*)\b`)
)

// unnamed returns a text with a word in place of clients that it names; what one of them does
// becomes what several do.
func unnamed(text, clients string) string {
	text = clientsPattern.ReplaceAllString(text, clients)
	return strings.NewReplacer(" holds ", " hold ", " includes it ", " includes one of them ",
		" but is met ", " but are met ").Replace(text) // results of earlier versions say "met"
}

// unlisted leaves lists of clients out of texts where these differ in them: a range of each of
// their places would say nothing.
func unlisted(texts []string) []string {
	differ := func(of func(text string) string) bool {
		first := of(texts[0])
		return slices.ContainsFunc(texts, func(text string) bool { return of(text) != first })
	}
	lists := func(text string) string {
		return strings.Join(clientListPattern.FindAllString(text, -1), "")
	}
	if !differ(wordsOf) && !differ(lists) {
		return texts
	}
	without := func(text string) string { return clientListPattern.ReplaceAllString(text, "") }
	some := differ(func(text string) string { return wordsOf(without(text)) })
	var out []string
	for _, text := range texts {
		if text = without(text); some {
			text = unnamed(text, "some clients")
		}
		out = append(out, text)
	}
	return out
}

// A remark is something said about one seed.
type remark struct {
	seed uint64
	text string
}

// A mergedRemark remark was made about several seeds.
type mergedRemark struct {
	seeds []uint64
	text  string // "residual 3e-4 … 5e-4" where seeds differ in nothing but numbers
	texts []string
}

// mergeRemarks joins remarks that differ in nothing but their numbers, in the order in which
// they were first made. Remarks of one seed stay apart.
func mergeRemarks(remarks []remark) []mergedRemark {
	var groups []mergedRemark
	index := map[string]int{}
	for _, r := range remarks {
		key := withoutNumbers(r.text)
		i, known := index[key]
		for known && slices.Contains(groups[i].seeds, r.seed) {
			key += "\x01"
			i, known = index[key]
		}
		if !known {
			i = len(groups)
			index[key] = i
			groups = append(groups, mergedRemark{})
		}
		groups[i].seeds = append(groups[i].seeds, r.seed)
		groups[i].texts = append(groups[i].texts, r.text)
	}
	for i := range groups {
		groups[i].text = withRanges(groups[i].texts)
	}
	return groups
}

// withRanges returns the common text of remarks that differ only in numbers, with the smallest
// and the largest number wherever they do; so many of so many are one number, their ratio,
// unless they are of the same number.
func withRanges(texts []string) string {
	texts = unlisted(texts)
	found := make([][]string, len(texts))
	for i, text := range texts {
		found[i] = numeralPattern.FindAllString(text, -1)
	}
	k := -1
	return numeralPattern.ReplaceAllStringFunc(texts[0], func(string) string {
		k++
		low, high := found[0][k], found[0][k]
		_, of, ok := strings.Cut(low, " of ")
		for _, numerals := range found[1:] {
			_, other, _ := strings.Cut(numerals[k], " of ")
			ok = ok && other == of
			if numeralValue(numerals[k]) < numeralValue(low) {
				low = numerals[k]
			}
			if numeralValue(numerals[k]) > numeralValue(high) {
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

// mergeRanges is ranged for texts that may have ranges already.
func mergeRanges(texts []string) string {
	ends := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		for end := range 2 {
			ends = append(ends, rangePattern.ReplaceAllStringFunc(text, func(both string) string {
				return strings.Split(both, " … ")[end]
			}))
		}
	}
	return withRanges(ends)
}

// numeralValue reads what numeralPattern matched; what is too large for a float64 counts as
// infinite.
func numeralValue(s string) float64 {
	s, all, ok := strings.Cut(s, " of ")
	x, _ := strconv.ParseFloat(s, 64)
	if of, _ := strconv.ParseFloat(all, 64); ok && of > 0 {
		return x / of
	}
	return x
}

// seedNames lists seeds in words: "seed 3", "seeds 3, 4".
func seedNames(list []uint64) string {
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

// share says about how many of n seeds a remark was made.
func (m mergedRemark) share(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d seeds)", len(m.seeds), n)
}

// sharePattern matches what share says, for one place or as a range over several.
var sharePattern = regexp.MustCompile(` \((?:(\d+)(?: of (\d+))? … )?(\d+) of (\d+) seeds\)$`)

// inWords returns a text as a note says it: ranges in words, and of shares that are all that.
func inWords(text string) string {
	if m := sharePattern.FindStringSubmatch(text); m != nil && m[3] == m[4] {
		switch {
		case m[1] == "" && m[4] == "2":
			text = strings.TrimSuffix(text, m[0]) + " (both seeds)"
		case m[1] == "":
			text = strings.TrimSuffix(text, m[0]) + " (all " + m[4] + " seeds)"
		case m[1] == m[2]:
			text = strings.TrimSuffix(text, m[0]) + " (all seeds)"
		}
	}
	return rangePattern.ReplaceAllStringFunc(text, func(both string) string {
		return strings.Replace(both, " … ", " to ", 1)
	})
}

// LeadingNumber returns the number that a text begins with; NaN for none.
func LeadingNumber(text string) Number {
	found := numberPattern.FindString(strings.Replace(text, "−", "-", 1))
	if x, err := strconv.ParseFloat(found, 64); err == nil {
		return Number(x)
	}
	return Number(math.NaN())
}
