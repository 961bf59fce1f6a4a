package console

import (
	"fmt"
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// A bar shows how much of a file has arrived, on a terminal.
type bar struct {
	c    *Console
	bars *mpb.Progress // nil where there is none
	bar  *mpb.Bar
}

// Show begins to show the progress of a file.
func (c *Console) Show(name string, size int64) *bar {
	b := &bar{c: c}
	if width, tty := Terminal(c.Err); tty {
		b.bars = mpb.New(mpb.WithOutput(beneath(c.Err)), mpb.WithWidth(widestBar))
		b.bar = b.bars.AddBar(size, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(lineStart+phrase.Clip(name, width/3)+"  "),
				decor.CountersKiloByte("% .1f / % .1f")),
			mpb.AppendDecorators(decor.AverageSpeed(decor.SizeB1000(0), "% .1f"),
				decor.AverageETA(decor.ET_STYLE_MMSS, decor.WC{W: 6})))
	}
	return b
}

// Progress shows that so many bytes have arrived.
func (b *bar) Progress(done, _ int64) {
	if b.bars != nil {
		b.bar.SetCurrent(done)
	}
}

// Above writes a line above the bar.
func (b *bar) Above(line string) {
	if !above(b.bars, line) {
		fmt.Fprint(b.c.Err, line)
	}
}

// above writes a line above bars, as a safeWriter has it. It reports false where there are none, or
// the terminal is gone.
func above(bars *mpb.Progress, line string) bool {
	if bars == nil {
		return false
	}
	_, err := io.WriteString(bars, lineStart+screened(line))
	return err == nil
}

// Close ends the display.
func (b *bar) Close() {
	if b.bars != nil {
		b.bar.Abort(true)
		b.bars.Wait()
		fmt.Fprint(beneath(b.c.Err), clearLines)
	}
}
