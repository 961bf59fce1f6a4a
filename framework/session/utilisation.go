package session

import (
	"fmt"
	"sync"
	"time"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// A load counts how busy the workers of a command are.
type load struct {
	started time.Time
	before  *store.Usage // of this process
	workers int

	mu   sync.Mutex
	busy time.Duration
	far  float64 // seconds of processors in other processes
}

// newLoad begins to count.
func newLoad(workers int) *load {
	return &load{started: time.Now(), before: spent(), workers: workers}
}

// add counts a cell that a worker had since a moment, and what another process took for it.
func (l *load) add(since time.Time, apart *store.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy += time.Since(since)
	if apart != nil {
		l.far += apart.User + apart.System
	}
}

// total returns what was counted, with so many cells that ended.
func (l *load) total(cells int) *store.Utilisation {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	u := &store.Utilisation{Ended: now.UTC().Format(time.RFC3339), Workers: l.workers,
		Cells: cells, Seconds: now.Sub(l.started).Seconds(), Busy: l.busy.Seconds()}
	if used := since(l.before, 0); used != nil {
		u.Processor = used.User + used.System + l.far
	}
	return u
}

// UtilisationText says how busy workers were: "2 workers were busy 97 % of 12 min 3 s, with 1.93
// processors in use".
func UtilisationText(u *store.Utilisation) string {
	span := u.Seconds * float64(u.Workers)
	if !(span > 0) {
		return ""
	}
	text := phrase.Count(u.Workers, "worker was", "workers were") + fmt.Sprintf(
		" busy %.0f %% of %s", 100*min(1, u.Busy/span), phrase.Time(u.Seconds))
	if u.Processor > 0 {
		text += fmt.Sprintf(", with %.2f processors in use", u.Processor/u.Seconds)
	}
	return text
}

// tellUsed stores how busy the workers of this command were, and says so where that was long
// enough to matter.
func (j *Job) tellUsed() {
	if j.Used == nil {
		return
	}
	_ = j.Run.SaveUtilisation(j.Used) // it is no result: a full disk is told of elsewhere
	if text := UtilisationText(j.Used); j.Used.Seconds >= worthTelling && text != "" {
		j.Sayf("%s", text)
	}
}

// worthTelling is after how many seconds a command says how busy its workers were.
const worthTelling = 30

// Used says how busy the last command was that trained cells of a run here; "" where none says so,
// or where that was too short to matter.
func Used(run store.Run) string {
	u, err := run.LoadUtilisation()
	if err != nil || u == nil || u.Seconds < worthTelling {
		return ""
	}
	text := UtilisationText(u)
	if ended, err := time.Parse(time.RFC3339, u.Ended); err == nil && text != "" {
		text += "; until " + Moment(ended.Local(), time.Now())
	}
	return text
}
