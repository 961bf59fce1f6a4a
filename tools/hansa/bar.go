package main

import (
	"fmt"
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A bar shows how much of a file has arrived, on a terminal.
type bar struct {
	c    *terminalPair
	bars *mpb.Progress // nil where there is none
	bar  *mpb.Bar
}

// show begins to show the progress of a file.
func (c *terminalPair) show(name string, size int64) *bar {
	b := &bar{c: c}
	if width, tty := terminal(c.err); tty {
		b.bars = mpb.New(mpb.WithOutput(beneath(c.err)), mpb.WithWidth(widestBar))
		b.bar = b.bars.AddBar(size, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(lineStart+clip(name, width/3)+"  "),
				decor.CountersKiloByte("% .1f / % .1f")),
			mpb.AppendDecorators(decor.AverageSpeed(decor.SizeB1000(0), "% .1f"),
				decor.AverageETA(decor.ET_STYLE_MMSS, decor.WC{W: 6})))
	}
	return b
}

// progress shows that so many bytes have arrived.
func (b *bar) progress(done, _ int64) {
	if b.bars != nil {
		b.bar.SetCurrent(done)
	}
}

// above writes a line above the bar.
func (b *bar) above(line string) {
	if b.bars != nil {
		if _, err := io.WriteString(b.bars, lineStart+line); err == nil {
			return
		} // else the terminal is gone
	}
	fmt.Fprint(b.c.err, line)
}

// close ends the display.
func (b *bar) close() {
	if b.bars != nil {
		b.bar.Abort(true)
		b.bars.Wait()
		fmt.Fprint(beneath(b.c.err), clearLines)
	}
}
