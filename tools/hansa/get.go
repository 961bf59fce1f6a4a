package main

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
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) dataGetCommand() *cobra.Command {
	g := getting{command: c}
	cmd := &cobra.Command{
		Use:   "get NAME…",
		Short: "Download data sets and verify them",
		Long: "Download data sets and verify them. What is there and right is not downloaded " +
			"again; what was broken off goes on where it was. Files go to a sub-folder named " +
			"after the data set, in $HANSA_DATA or else in hansa/data of your cache folder. A " +
			"file with wrong content is kept as FILE.refused, and never used.",
		Example: "  hansa data get mnist\n  hansa data get cifar10 --to ~/data\n" +
			"  hansa data get usps --from https://mirror.example.org/usps",
		Args: want(1, 1<<10, "NAMEs, of those that hansa data list prints"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (
			[]string, cobra.ShellCompDirective,
		) {
			return slices.DeleteFunc(setNames(), func(offer string) bool {
				name, _, _ := strings.Cut(offer, "\t")
				return slices.Contains(args, name)
			}), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sets, err := findSets(args)
			if err != nil {
				return err
			}
			if err := g.check(sets); err != nil {
				return err
			}
			g.line = again(cmd.CommandPath(), cmd, args)
			return g.all(cmd.Context(), sets)
		},
	}
	cmd.Flags().StringVar(&g.to, "to", "",
		"download to `FOLDER`, for --data or $HANSA_DATA to name")
	cmd.Flags().StringVar(&g.from, "from", "",
		"download from the `ADDRESS` below which a mirror has the files of one data set")
	completeFlag(cmd, "to")
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.NoFileCompletions)
	return cmd
}

// A getting is a download of data sets.
type getting struct {
	*command
	to, from string // as given
	line     string // the command line

	down   map[string]bool // hosts to which there is no connection
	failed int             // files that could not be had
}

// check refuses flags that make no sense, and data sets that nobody is known to have.
func (g *getting) check(sets []data.Set) error {
	if g.from != "" {
		u, err := url.Parse(g.from)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("--from %s: want an address that begins with http:// or https://",
				g.from)
		}
		if len(sets) > 1 {
			return fmt.Errorf("--from is the mirror of one data set; there are %d", len(sets))
		}
	}
	if g.to == "" && len(session.Folders("", "")) == 0 {
		return errors.New("there is no cache folder: name a folder by --to or HANSA_DATA")
	}
	return nil
}

// all gets the data sets, file after file. What cannot be had costs the others nothing.
func (g *getting) all(ctx context.Context, sets []data.Set) error {
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	for _, set := range sets {
		if g.unpacked(set) {
			continue
		}
		for _, f := range set.Files {
			err := g.file(ctx, set, f)
			if ctx.Err() != nil {
				g.Sayf("interrupted: what has arrived is kept; go on with `%s`", g.line)
				return fault.ErrInterrupted
			}
			if err != nil {
				g.fail(set.Name+"/"+f.Name, err)
			}
		}
	}
	if g.failed > 0 {
		g.Sayf("%s missing; `%s` tries again%s", phrase.Count(g.failed, "file is", "files are"),
			g.line,
			g.advice())
		return fault.ErrFailed
	}
	return nil
}

// fail counts a file that could not be had, and says why. That a host cannot be reached is said of
// its first file.
func (g *getting) fail(name string, err error) {
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
	g.Sayf("%s %s: %v", g.Paint(g.Err, console.Red, "FAIL"), name, err)
}

// advice says what else to try.
func (g *getting) advice() string {
	if g.from == "" {
		return ", --from names a mirror"
	}
	return ""
}

// looked are the folders in which a data set may be there already.
func (g *getting) looked() []string {
	if g.to != "" {
		return []string{g.to}
	}
	return session.Folders("", "")
}

// unpacked reports whether all parts of an archive lie there unpacked, and are right.
func (g *getting) unpacked(set data.Set) bool {
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
func (g *getting) file(ctx context.Context, set data.Set, f data.File) error {
	name := filepath.Join(set.Name, f.Name)
	to := filepath.Join(cmp.Or(g.to, session.Folders("", "")[0]), name)
	set.Files = []data.File{f}
	paths, absent := set.Find(g.looked())
	if absent == nil {
		err := data.Verify(paths[0], f.SHA256)
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
	if g.from != "" {
		f.URL = strings.TrimSuffix(g.from, "/") + "/" + f.Name
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
func (g *getting) fetch(ctx context.Context, name string, f data.File, to string) error {
	shown := g.Show(name, f.Size)
	fetcher := data.Fetcher{
		Client: client(), Pause: g.pause, Progress: shown.Progress, Remark: func(text string) {
			shown.Above(fmt.Sprintf("     %s: %s\n", name, text))
		},
	}
	err := fetcher.Fetch(ctx, f, to)
	shown.Close()
	switch {
	case err == nil:
		g.Sayf("ok   %s: %s, verified: %s", name, host.Size(f.Size), to)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w; name another folder by --to", err)
	}
	return err
}
