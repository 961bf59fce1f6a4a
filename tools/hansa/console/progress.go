package console

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// Columns that a bar and the name of a cell before it take at most. A name takes no more
// than a third of the terminal.
const (
	widestBar  = 40
	widestName = 36
)

// narrow is how many columns a terminal needs for all that is said beside the bar of all cells.
const narrow = 72

// A display shows how far a run is: bars on a terminal, one line per cell elsewhere, and in
// continuous integration, where a terminal that is none keeps everything that was ever on it.
type display struct {
	c      *Console
	start  time.Time
	cells  int
	rounds int           // of all cells
	bars   *mpb.Progress // nil where there are none
	names  int           // columns of the names before them
	narrow bool          // the terminal is
	total  *mpb.Bar
	lanes  []*lane

	// The bars ask for what follows while they are drawn: code that holds the lock must not
	// call them.
	mu       sync.Mutex
	finished int
	failed   int
	ended    int               // rounds of the cells that finished
	trained  int               // rounds of those of them that did not fail
	busy     time.Duration     // of all lanes, with the cells that finished
	reasons  map[string]string // why cells failed → the first one that did
	remarked map[string]bool   // what was remarked of cells
}

// newDisplay shows the progress of so many cells with so many rounds in all. Some of them run
// at once.
func newDisplay(c *Console, cells, rounds, atOnce int) *display {
	p := &display{c: c, start: time.Now(), cells: cells, rounds: rounds,
		reasons: map[string]string{}, remarked: map[string]bool{}}
	if width, tty := Terminal(c.Err); tty && os.Getenv("CI") == "" {
		p.bars = mpb.New(mpb.WithOutput(beneath(c.Err)), mpb.WithWidth(widestBar))
		p.names, p.narrow = min(widestName, width/3), width < narrow
	}
	for range atOnce {
		s := &lane{p: p}
		p.lanes = append(p.lanes, s)
		if p.bars != nil { // only the total of a bar that is made without one can change
			s.bar = p.addBar(0, s.title, func() string { return "" })
		}
	}
	if p.bars != nil {
		p.total = p.addBar(int64(cells), func() string { return "runs" }, p.clocks)
	}
	return p
}

// Slot returns the lane of a runner.
func (p *display) Slot(k int) session.Slot { return p.lanes[k] }

// What a key shows that is pressed while there are bars, such as ^C, stands where the cursor is,
// and the bars are drawn from there: every bar goes to the beginning of its line first, and what is
// left of that line when they are gone is cleared.
const (
	lineStart  = "\r"
	clearLines = "\r\x1b[J"
)

// addBar adds a bar with text before and behind it.
func (p *display) addBar(total int64, before, behind func() string) *mpb.Bar {
	name := func(decor.Statistics) string {
		return lineStart + phrase.Clip(screened(before()), p.names)
	}
	rest := func(decor.Statistics) string { return behind() }
	return p.bars.AddBar(total,
		mpb.PrependDecorators(
			decor.Any(name, decor.WC{W: p.names, C: decor.DindentRight}),
			decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Any(rest)))
}

// Await waits for all cells. After an interrupt it says so when that takes long.
func (p *display) Await(ctx context.Context, cells *sync.WaitGroup) {
	idle := make(chan struct{})
	go func() {
		cells.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return
	case <-ctx.Done():
	}
	select {
	case <-idle:
	case <-time.After(time.Second):
		if context.Cause(ctx) == fault.ErrSaved {
			p.Above("stopping after the round at work, to begin again\n")
		} else {
			p.Above("stopping after the round at work; interrupt again to stop at once\n")
		}
		<-idle
	}
}

// Above writes a line above the bars.
func (p *display) Above(line string) {
	if above(p.bars, line) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprint(p.c.Err, line)
}

// Close ends the display. No bar stays where cells were interrupted.
func (p *display) Close() {
	if p.bars != nil {
		p.total.Abort(true)
		p.bars.Wait()
		fmt.Fprint(beneath(p.c.Err), clearLines)
	}
}

// clocks says how many cells failed, how long it took so far and how long it will.
func (p *display) clocks() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var parts []string
	if p.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", p.failed))
	}
	if !p.narrow {
		parts = append(parts, "elapsed "+clock(time.Since(p.start)))
		if busy := p.utilisation(); busy != "" {
			parts = append(parts, busy)
		}
	}
	if eta := p.eta(); eta != "" {
		parts = append(parts, eta)
	}
	return " " + strings.Join(parts, "  ")
}

// settled is after how long a display says how busy lanes are.
const settled = 15 * time.Second

// utilisation says for which share of the time so far lanes had a cell, of all of them together.
func (p *display) utilisation() string {
	span := time.Since(p.start)
	if span < settled {
		return ""
	}
	busy := p.busy
	for _, s := range p.lanes {
		if s.running {
			busy += time.Since(s.start)
		}
	}
	share := busy.Seconds() / (span.Seconds() * float64(len(p.lanes)))
	return fmt.Sprintf("busy %.0f %%", 100*min(1, share))
}

// eta says how long the rest will take at the pace of rounds so far, where that is known. A cell
// that failed says nothing about the pace.
func (p *display) eta() string {
	left, trained := p.rounds-p.ended, p.trained
	for _, s := range p.lanes {
		left, trained = left-s.done, trained+s.done-s.from
	}
	if left <= 0 || trained == 0 {
		return ""
	}
	each := float64(time.Since(p.start)) / float64(trained)
	return "eta " + clock(time.Duration(each*float64(left)))
}

// clock writes a duration as minutes and seconds, and hours where there are any.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// A lane shows one cell after another.
type lane struct {
	p       *display
	bar     *mpb.Bar // nil where there is no terminal
	name    string   // of the cell that is running
	start   time.Time
	running bool      // it is: else none
	all     int       // its rounds
	done    int       // those of them that are done
	from    int       // those that were done before
	doing   string    // what comes before its rounds; "" once that is over
	said    time.Time // when a line last told of that
}

// title returns the name of the cell that is running.
func (s *lane) title() string {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.doing != "" {
		return s.doing + " for " + s.name
	}
	return s.name
}

// Begin shows that a cell begins.
func (s *lane) Begin(name string, rounds int) {
	s.p.mu.Lock()
	s.name, s.start, s.all, s.done, s.from = name, time.Now(), rounds, 0, 0
	s.doing, s.said, s.running = "", s.start, true
	s.p.mu.Unlock()
	s.show(0, rounds)
}

// show sets the bar.
func (s *lane) show(done, of int) {
	if s.bar != nil {
		s.bar.SetCurrent(int64(done))
		s.bar.SetTotal(int64(of), false)
	}
}

// often is after how long a line tells again of what takes long, where there are no bars.
const often = 15 * time.Second

// Prepares shows how many rows a preprocessor is through with before the first round.
func (s *lane) Prepares(preprocessor string, rows, of int) {
	s.p.mu.Lock()
	s.doing = preprocessor
	if rows == of {
		s.doing = ""
	}
	silent := s.p.bars != nil || time.Since(s.said) < often
	if !silent {
		s.said = time.Now()
		fmt.Fprintf(s.p.c.Err, "%s: %d of %d rows for %s\n", preprocessor, rows, of, s.name)
	}
	s.p.mu.Unlock()
	if rows < of {
		s.show(rows, of)
	} else {
		s.show(0, s.all)
	}
}

// Rounds shows how many rounds of the cell are done.
func (s *lane) Rounds(done int) {
	s.p.mu.Lock()
	s.done = done
	s.p.mu.Unlock()
	s.show(done, s.all)
}

// Hear shows what the cell has to say.
func (s *lane) Hear(r launch.Report) {
	if r.Remark != "" {
		s.p.remark(s.name, r.Remark)
		return
	}
	if r.From > 0 {
		s.p.mu.Lock()
		s.from = r.From
		s.p.mu.Unlock()
		s.p.Above(fmt.Sprintf("%s goes on from round %d of %d\n", s.name, s.from, s.all))
	}
	s.Rounds(r.Rounds)
}

// remark tells of something that troubles a cell, once for all that it troubles.
func (p *display) remark(name, remark string) {
	p.mu.Lock()
	said := p.remarked[remark]
	p.remarked[remark] = true
	p.mu.Unlock()
	if !said {
		p.Above(fmt.Sprintf("hansa: %s: %s\n", name, remark))
	}
}

// Close ends a lane that gets no more cells.
func (s *lane) Close() {
	if s.bar != nil {
		s.bar.Abort(true)
	}
}

// End shows what came of the cell: nil, or why it failed.
func (s *lane) End(err error) {
	line := s.p.count(s, err)
	if s.p.bars == nil {
		return
	}
	if err != nil { // success needs no line beside bars
		s.p.Above(line)
	}
	s.p.total.Increment()
}

// count counts a cell that ended. It returns the line that says so, which it writes where
// there are no bars.
func (p *display) count(s *lane, err error) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished++
	p.ended += s.all
	if err == nil {
		p.trained += s.all - s.from
	}
	s.all, s.done, s.from, s.running = 0, 0, 0, false
	took := time.Since(s.start)
	p.busy += took
	line := strings.TrimRight(fmt.Sprintf("ok   %s  %s  %s", s.name, brief(took), p.eta()), " ")
	line += "\n"
	if err != nil {
		p.failed++
		line = fmt.Sprintf("%s %s after %s: %s\n", p.c.Paint(p.c.Err, Red, "FAIL"), s.name,
			brief(took), p.reason(s.name, err))
	}
	line = fmt.Sprintf("[%*d/%d] %s", len(strconv.Itoa(p.cells)), p.finished, p.cells, line)
	if p.bars == nil {
		fmt.Fprint(p.c.Err, line)
	}
	return line
}

// reason says why a cell failed, or which one failed for the same reason before.
func (p *display) reason(name string, err error) string {
	why := err.Error()
	if first, ok := p.reasons[why]; ok && len(why) > len(first)+len("as …") {
		return "as " + first
	}
	p.reasons[why] = name
	return why
}

// brief writes a duration with as few digits as are of use.
func brief(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return clock(d)
}

// Skip shows that another process finished the cell.
func (s *lane) Skip() {
	p := s.p
	p.mu.Lock()
	p.finished++
	p.ended += s.all
	s.all, s.done, s.from = 0, 0, 0
	if p.bars == nil {
		fmt.Fprintf(p.c.Err, "[%*d/%d] done %s  by another run\n", len(strconv.Itoa(p.cells)),
			p.finished, p.cells, s.name)
	}
	p.mu.Unlock()
	if p.bars != nil {
		p.total.Increment()
	}
}
