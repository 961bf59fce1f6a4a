package session

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// enter notes that this process is at work on the run, and says who else is. What it returns ends
// the note.
func (j *Job) enter(command string) (leave func()) {
	others, turn, leave := j.Run.Enter(command, time.Now())
	j.turn = turn
	if text := company(j.Run.Dir, others, time.Now()); text != "" {
		j.Sayf("%s", text)
	}
	return leave
}

// displaced tells whoever moved or removed the folder of the run while cells ran where their
// results are: in a new folder under the old name, which has no plan.
func (j *Job) displaced() error {
	if _, err := os.Stat(filepath.Join(j.Run.Dir, "plan.json")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.Of(fmt.Errorf("%s was moved or removed while cells ran: what they stored since "+
		"then is in a new folder of that name, and can be copied into the one that was moved; or "+
		"run what is missing there, with --dir", j.Run.Dir))
}

// company says in one line who else is at work on a run.
func company(dir string, others []store.Busy, now time.Time) string {
	if len(others) == 0 {
		return ""
	}
	line := "another hansa run (%s) is at work here"
	if len(others) > 1 {
		line = strconv.Itoa(len(others)) + " other hansa runs (%s) are at work here"
	}
	line = fmt.Sprintf(line, AtWork(others, now)) + ": cells that others finish are not run again"
	if slices.ContainsFunc(others, func(b store.Busy) bool { return !b.Here() }) {
		line += "; whether they still live is not known of other machines, and " +
			"`" + phrase.Hint("gc", dir, "--force") + "` forgets them"
	}
	return line
}

// AtWork says which processes are at work, and since when.
func AtWork(at []store.Busy, now time.Time) string {
	var who []string
	for _, b := range at {
		text := fmt.Sprintf("process %d", b.Process)
		if !b.Here() {
			text += " of " + b.Host
		}
		if since, err := time.Parse(time.RFC3339, b.Since); err == nil {
			text += ", since " + Moment(since.Local(), now)
		}
		who = append(who, text)
	}
	return strings.Join(who, "; ")
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

// elsewhere reports whether somebody else has finished a cell, right before it would begin.
func (h *runner) elsewhere(i int) bool {
	// What is wrong with it was told, or ends when it is run.
	result, _ := h.Job.Run.Get(h.Experiment.IDs[i], &h.Experiment.Cells[i])
	if result == nil {
		return false
	}
	h.mu.Lock()
	h.finished++
	h.mu.Unlock()
	h.slot.Skip()
	return true
}
