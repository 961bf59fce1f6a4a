package cli

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// WriteManual writes a manual page for a command and each of those below it into a folder, which it
// makes, and returns how many pages lie there. Codes are the rows that say what exit codes mean. It
// changes the help of the commands, which serve for nothing else afterwards. Errors are those of
// the file system.
func WriteManual(root *cobra.Command, dir string, codes [][]string) (int, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	forManual(root)
	root.Long += "\n\n# EXIT STATUS\n" + manualList(codes)
	header := doc.GenManHeader{Section: "1", Source: root.Name(), Manual: root.Name(),
		Date: committed()}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		return 0, err
	}
	files, err := os.ReadDir(dir)
	pages := 0
	for _, f := range files {
		if strings.HasPrefix(f.Name(), root.Name()) && filepath.Ext(f.Name()) == ".1" {
			pages++
		}
	}
	return pages, err
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
