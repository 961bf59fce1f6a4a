package engine

import (
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A meter tells how many rows a stage is through with, of those that are summarised and
// transformed.
type meter struct {
	mu    sync.Mutex
	done  int
	total int
	tell  func(done, total int) // may be nil
}

// add counts rows, and tells of every thousandth of them.
func (t *meter) add(rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := 1000 * t.done / max(1, t.total)
	t.done += rows
	if t.tell != nil && 1000*t.done/max(1, t.total) > before {
		t.tell(t.done, t.total)
	}
}

// A part is what a stage does at once: rows of one client.
type part struct {
	stage   *stageRun
	rows    int
	mu      sync.Mutex
	counted int
}

func (a *stageRun) part(rows int) *part { return &part{stage: a, rows: rows} }

// spread is an fl.Spread that counts.
func (p *part) spread(n int, do func(k int) error) error {
	var mu sync.Mutex
	did := 0
	return p.stage.pool.spread(n, func(k int) error {
		err := do(k)
		mu.Lock()
		defer mu.Unlock()
		did++
		p.reach(p.rows * did / n)
		return err
	})
}

// reach counts up to so many rows of the part.
func (p *part) reach(rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rows > p.counted {
		p.stage.meter.add(rows - p.counted)
		p.counted = rows
	}
}

// end counts what is left.
func (p *part) end() { p.reach(p.rows) }

// metered returns the meter of what is before a stage.
func (a *stageRun) metered() *meter {
	t := new(meter)
	for i, n := range a.roster.Samples {
		if a.roster.Reaches(i) {
			t.total += n
		}
	}
	for _, d := range []*fl.Dataset{a.pop.Train, a.pop.Test, a.pop.Held, a.pop.Own,
		a.pop.Public} {
		if d != nil {
			t.total += d.Len()
		}
	}
	if listen := a.opts.Preparing; listen != nil {
		t.tell = func(done, total int) { listen(a.Name, done, total) }
	}
	return t
}
