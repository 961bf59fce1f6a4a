package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hansa-fl/hansa/framework/session/fault"
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
	found, err := samples.Find(name)
	if err != nil {
		return err
	}
	sample := found.Folder
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
	return c.beginWith(sample, found.Summary, dir, files)
}
