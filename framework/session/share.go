package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// company says in one line which other processes are at work on a run.
func company(dir string, others []store.Busy, now time.Time) string {
	if len(others) == 0 {
		return ""
	}
	line := "another hansa run (%s) is at work here"
	if len(others) > 1 {
		line = strconv.Itoa(len(others)) + " other hansa runs (%s) are at work here"
	}
	line = fmt.Sprintf(line, AtWork(others, now)) + ": what others finish is not run again"
	if slices.ContainsFunc(others, func(b store.Busy) bool { return !b.Here() }) {
		line += "; whether they still live is not known of other machines, and " +
			"`" + phrase.Hint("gc", dir, "--force") + "` forgets them"
	}
	return line
}

// AtWork says which processes are at work, and since when.
func AtWork(at []store.Busy, now time.Time) string {
	var processes []string
	for _, b := range at {
		text := fmt.Sprintf("process %d", b.Process)
		if !b.Here() {
			text += " of " + b.Host
		}
		if since, err := time.Parse(time.RFC3339, b.Since); err == nil {
			text += ", since " + Moment(since.Local(), now)
		}
		processes = append(processes, text)
	}
	return strings.Join(processes, "; ")
}

// Moment returns a time as hours and minutes, with the day if that is not today.
func Moment(t, now time.Time) string {
	if t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("15:04")
}

// inTurn returns what several processes share in an order of this one, which is number turn: the
// first begins at the beginning, the second at the end, and any further two at a place between.
func inTurn[T any](list []T, turn int) []T {
	const golden = 0.6180339887498949
	_, place := math.Modf(float64(turn/2) * golden)
	start := int(place * float64(len(list)))
	list = slices.Concat(list[start:], list[:start])
	if turn%2 == 1 {
		slices.Reverse(list)
	}
	return list
}
