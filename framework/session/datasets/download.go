package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// An Arrival shows how much of a file has arrived.
type Arrival interface {
	Progress(done, of int64) // bytes
	Above(line string)       // a line above what changes
	Close()
}

// A Download gets data sets, and says what becomes of each file.
type Download struct {
	*session.Session
	To   string // a folder; "": the first of those where data sets are looked for
	From string // the address of a mirror of one data set; "": where it is published
	Fail string // what a line begins with that says why there is no file

	Pause func(ctx context.Context, failures int) error // before another try
	Show  func(name string, size int64) Arrival         // begins to show a file

	down   map[string]bool // hosts to which there is no connection
	failed int             // files that could not be had
}

// Check refuses flags that make no sense, and more than one data set of a mirror.
func (g *Download) Check(sets []data.Set) error {
	if g.From != "" {
		u, err := url.Parse(g.From)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("--from %s: want an address that begins with http:// or https://",
				g.From)
		}
		if len(sets) > 1 {
			return fmt.Errorf("--from is the mirror of one data set; there are %d", len(sets))
		}
	}
	if g.To == "" && len(session.Folders("", "")) == 0 {
		return errors.New("there is no cache folder: name a folder by --to or HANSA_DATA")
	}
	return nil
}

// All gets data sets, file after file. What cannot be had costs the others nothing. The line is the
// command that goes on.
func (g *Download) All(ctx context.Context, sets []data.Set, line string) error {
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	for _, set := range sets {
		if g.unpacked(set) {
			continue
		}
		for _, f := range set.Files {
			err := g.file(ctx, set, f)
			if ctx.Err() != nil {
				g.Sayf("interrupted: what has arrived is kept; go on with `%s`", line)
				return fault.ErrInterrupted
			}
			if err != nil {
				g.fail(set.Name+"/"+f.Name, err)
			}
		}
	}
	if g.failed > 0 {
		g.Sayf("%s missing; `%s` tries again%s", phrase.Count(g.failed, "file is", "files are"),
			line,
			g.advice())
		return fault.ErrFailed
	}
	return nil
}

// fail counts a file that could not be had, and says why. That a host cannot be reached is said of
// its first file.
func (g *Download) fail(name string, err error) {
	g.failed++
	var none *data.UnreachableError
	if errors.As(err, &none) {
		if g.down[none.Host] {
			return
		}
		if g.down == nil {
			g.down = map[string]bool{}
		}
		g.down[none.Host] = true
		err = none
	}
	g.Sayf("%s %s: %v", g.Fail, name, err)
}

// advice says what else to try.
func (g *Download) advice() string {
	if g.From == "" {
		return ", --from names a mirror"
	}
	return ""
}

// looked are the folders in which a data set may be there already.
func (g *Download) looked() []string {
	if g.To != "" {
		return []string{g.To}
	}
	return session.Folders("", "")
}

// unpacked reports whether all parts of an archive lie there unpacked, and are right.
func (g *Download) unpacked(set data.Set) bool {
	var names []string
	for _, p := range set.Parts {
		names = append(names, p.Name)
	}
	paths, missing := set.Loose(g.looked(), names)
	if len(names) == 0 || missing != nil {
		return false
	}
	err := set.Read(g.looked(), names, func(int, io.Reader) error { return nil })
	if err != nil {
		g.Sayf("%v; remove it", err)
		return false
	}
	g.Sayf("ok   %s: unpacked and verified in %s", set.Name, places(paths))
	return true
}

// file gets one file of a data set, unless it is there and right.
func (g *Download) file(ctx context.Context, set data.Set, f data.File) error {
	name := filepath.Join(set.Name, f.Name)
	to := filepath.Join(cmp.Or(g.To, session.Folders("", "")[0]), name)
	set.Files = []data.File{f}
	paths, absent := set.Find(g.looked())
	if absent == nil {
		err := f.Verify(paths[0])
		switch {
		case err == nil:
			g.Sayf("ok   %s: was there, verified: %s", name, paths[0])
			return nil
		case !errors.As(err, new(*data.DamagedError)):
			return err
		case paths[0] != to:
			return fmt.Errorf("%w; remove it", err)
		}
		g.Sayf("%v", err)
	}
	if g.From != "" {
		f.URL = strings.TrimSuffix(g.From, "/") + "/" + f.Name
	}
	if f.URL == "" {
		return errors.New("no address of it is known: name a mirror by --from")
	}
	if u, err := url.Parse(f.URL); err == nil && g.down[u.Host] {
		return &data.UnreachableError{Host: u.Host, Err: errors.New("as before")}
	}
	if absent == nil {
		if err := os.Rename(to, to+".refused"); err != nil {
			return err
		}
		g.Sayf("it is kept as %s.refused", to)
	}
	return g.fetch(ctx, name, f, to)
}

// fetch downloads a file and says so.
func (g *Download) fetch(ctx context.Context, name string, f data.File, to string) error {
	shown := g.Show(name, f.Size)
	fetcher := data.Fetcher{
		Client: client(), Pause: g.Pause, Progress: shown.Progress, Remark: func(text string) {
			shown.Above(fmt.Sprintf("     %s: %s\n", name, text))
		},
	}
	err := fetcher.Fetch(ctx, f, to)
	shown.Close()
	switch {
	case err == nil:
		g.Sayf("ok   %s: %s, verified: %s", name, host.Bytes(float64(f.Size)), to)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w; name another folder by --to", err)
	}
	return err
}
