package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/draft"
	"github.com/hansa-fl/hansa/plugins/samples"
)

// absent refuses a folder that is there already.
func absent(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s exists already; choose another name, or a folder with --dir", dir)
	}
	return nil
}

// beginSample makes a folder with a copy of a sample, which is named by its folder or by a
// component, and says what to do next.
func (c *command) beginSample(name string, args []string, dir string) error {
	if len(args) > 1 {
		return fmt.Errorf("--from %s takes at most a NAME; the kind is that of the sample", name)
	}
	list, err := samples.List()
	if err != nil {
		return fault.Of(err)
	}
	i := slices.IndexFunc(list, func(s samples.Sample) bool { return s.Folder == name })
	if i < 0 {
		i = slices.IndexFunc(list, func(s samples.Sample) bool { return s.Name == name })
	}
	if i < 0 {
		return fmt.Errorf("there is no sample %q; %s", name, study.Suggest(name, samples.Names()))
	}
	sample := list[i].Folder
	if len(args) == 1 {
		dir = cmp.Or(dir, args[0])
	}
	dir = filepath.Clean(cmp.Or(dir, sample))
	if err := absent(dir); err != nil {
		return err
	}
	files, err := samples.Files(sample)
	if err == nil {
		err = draft.AddModule(files, sample)
	}
	if err != nil {
		return fault.Of(err)
	}
	return c.beginWith(sample, list[i].Summary, dir, files)
}

// samplesOf returns the components of a kind that samples describe.
func samplesOf(kind string) (list []samples.Sample) {
	all, err := samples.List()
	if err != nil {
		return nil // as in sampled
	}
	for _, s := range all {
		if s.Kind == kind {
			list = append(list, s)
		}
	}
	return list
}
