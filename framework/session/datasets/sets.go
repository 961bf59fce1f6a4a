// Package datasets finds, downloads and verifies the data sets whose files are known.
package datasets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/study"
)

// Where says where the files of a data set lie, as far as their sizes are right.
func Where(set data.Set, folders []string) string {
	var found, wrong []string
	for _, f := range set.Files {
		one := set
		one.Files = []data.File{f}
		paths, err := one.Find(folders)
		if err != nil {
			continue
		}
		if f.Likely(paths[0]) {
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

// Known returns what is known to the byte: data sets, then traces.
func Known() []data.Set { return slices.Concat(dataset.Known(), availability.Known()) }

// Guided returns data sets whose files are not known to the byte, with how to get them.
func Guided() []data.Set { return dataset.Guided() }

// Source says how the files of a data set can be had. Nothing is downloaded unless it is asked for.
func Source(set data.Set) string {
	switch {
	case set.Guide != "":
		return set.Guide
	case slices.ContainsFunc(set.Files, func(f data.File) bool { return f.URL == "" }):
		return "no address is known: hansa data get " + set.Name + " --from a mirror" +
			set.Packaged()
	}
	return "hansa data get " + set.Name + set.Packaged()
}

// Find returns the data sets of some names.
func Find(names []string) ([]data.Set, error) {
	known := Known()
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
