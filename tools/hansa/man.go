package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

func (c *command) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write manual pages",
		Long: "Write a manual page for every command into FOLDER: hansa.1, hansa-run.1 and so " +
			"on. Where man finds them, \"man hansa run\" shows one.",
		Example: "  hansa man ~/.local/share/man/man1 && man hansa-run",
		Args:    want(1, 1, "one FOLDER"),
		ValidArgsFunction: first(func() []string { return nil },
			cobra.ShellCompDirectiveFilterDirs),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fault.Unstorable(args[0], err)
			}
			pages := c.root()
			forManual(pages)
			pages.Long += "\n\n# EXIT STATUS\n" + manualList(exitCodes())
			header := doc.GenManHeader{Section: "1", Source: "hansa", Manual: "hansa",
				Date: committed()}
			if err := doc.GenManTree(pages, &header, args[0]); err != nil {
				return fault.Unstorable(args[0], err)
			}
			found, err := filepath.Glob(filepath.Join(args[0], "hansa*.1"))
			if err != nil {
				return err
			}
			c.Sayf("%s has %s", args[0], phrase.Count(len(found), "page", "pages"))
			return nil
		},
	}
}

// forManual prepares a command and those below it for manual pages: these are made of Markdown,
// which would take a text in angles for a tag.
func forManual(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true // it would say when
	escape := strings.NewReplacer("<", `\<`, ">", `\>`, "*", `\*`, "_", `\_`)
	cmd.Long = escape.Replace(cmd.Long)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = escape.Replace(f.Usage) })
	for _, c := range cmd.Commands() {
		forManual(c)
	}
}

// manualList writes rows of two words as a list.
func manualList(rows [][]string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString("**" + row[0] + "**\n: " + row[1] + "\n\n")
	}
	return b.String()
}

// committed returns when the source of this program was committed, or nil if that is not known:
// manual pages say it.
func committed() *time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return &at
			}
		}
	}
	return nil
}
