package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Waits of a download.
const (
	firstPause = time.Second // after one failure; twice as long after each further one
	silence    = time.Minute // without a byte ends a connection
)

// client returns a client that gives up on connections without a byte for long.
func client() *http.Client {
	dialer := &net.Dialer{Timeout: silence}
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return patient{conn}, nil
		},
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: silence, DisableKeepAlives: true,
	}}
}

// A patient connection fails when it is silent for long.
type patient struct{ net.Conn }

// Read waits for bytes, but not for ever.
func (p patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

// pause waits after failures, the longer the more there were in a row.
func pause(ctx context.Context, failures int) error {
	select {
	case <-time.After(firstPause << (failures - 1)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A bar shows how much of a file has arrived, on a terminal.
type bar struct {
	c    *command
	bars *mpb.Progress // nil where there is none
	bar  *mpb.Bar
}

// show begins to show the progress of a file.
func (c *command) show(name string, size int64) *bar {
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
