package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		GroupID: "look",
		Short:   "List and download data sets",
		Long: "List and download the data sets whose files are known. Experiments look for them " +
			"in their own folder, in that of --data, in $HANSA_DATA, and in hansa/data of your " +
			"cache folder, in this order. --data and $HANSA_DATA may be lists of folders, with " +
			"the separator that $PATH has.",
		Example: "  hansa data list\n  hansa data get mnist",
		Args:    subcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.dataListCommand(), c.dataGetCommand())
	return cmd
}

func (c *command) dataListCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List data sets, and where they lie",
		Long: "List the data sets whose files are known: how large they are, where they lie, " +
			"their licence and where they are described. Checksums are not compared; get does " +
			"that.",
		Example: "  hansa data list",
		Args:    want(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return c.dataList(session.Folders("", folder))
		},
	}
	dataFlag(cmd, &folder)
	return cmd
}

// dataList prints the data sets, and where they lie in some folders.
func (c *command) dataList(folders []string) error {
	var b strings.Builder
	for _, set := range knownSets() {
		size := int64(0)
		for _, f := range set.Files {
			size += f.Size
		}
		fmt.Fprintf(&b, "%s — %s, %s\n", c.Paint(c.Out, console.Bold, set.Name),
			phrase.Count(len(set.Files), "file", "files"), host.Size(size))
		about := where(set, folders) + "\nlicence: " + set.Licence + "\n" + set.Page
		b.WriteString(console.Paragraph(console.Margin, about, console.Columns(c.Out)))
	}
	return c.PrintText(b.String())
}

// where says where the files of a data set lie, as far as their sizes are right.
func where(set data.Set, folders []string) string {
	var found, wrong []string
	for _, f := range set.Files {
		one := set
		one.Files = []data.File{f}
		paths, err := one.Find(folders)
		if err != nil {
			continue
		}
		if info, err := os.Stat(paths[0]); err == nil && info.Size() == f.Size {
			found = append(found, paths[0])
		} else {
			wrong = append(wrong, paths[0])
		}
	}
	var names []string
	for _, p := range set.Parts {
		names = append(names, p.Name)
	}
	loose, missing := set.Loose(folders, names)
	text := "not here"
	switch parts := len(names) - len(missing); {
	case len(found) == len(set.Files):
		text = "in " + places(found)
	case parts > 0 && missing == nil:
		text = "unpacked in " + places(loose)
	case parts > 0:
		text = fmt.Sprintf("%d of %d parts in %s", parts, len(names), places(loose))
	case len(found) > 0:
		text = fmt.Sprintf("%d of %d files in %s", len(found), len(set.Files), places(found))
	}
	if len(wrong) > 0 {
		text += "\nof another size: " + strings.Join(wrong, ", ")
	}
	return text
}

// places names the folders of files, each once.
func places(paths []string) string {
	var dirs []string
	for _, path := range paths {
		if dir := filepath.Dir(path); path != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, ", ")
}

// knownSets returns what is known to the byte: data sets, then traces.
func knownSets() []data.Set { return slices.Concat(dataset.Known(), availability.Known()) }

// setNames returns the names of the data sets, with what a shell shows beside them.
func setNames() (names []string) {
	for _, set := range knownSets() {
		names = append(names, cobra.CompletionWithDesc(set.Name, set.Page))
	}
	return names
}

// findSets returns the data sets of some names.
func findSets(names []string) ([]data.Set, error) {
	known := knownSets()
	var sets []data.Set
	var all []string
	for _, set := range known {
		all = append(all, set.Name)
	}
	for _, name := range names {
		i := slices.Index(all, name)
		if i < 0 {
			return nil, fmt.Errorf("there is no data set %q; %s", name, study.Suggest(name, all))
		}
		sets = append(sets, known[i])
	}
	return sets, nil
}
