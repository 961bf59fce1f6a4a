package session

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
)

// Schema returns the schema of experiments that may name strategies, too: those at some
// paths, and those of the experiments among them.
func Schema(paths []string) (map[string]any, error) {
	var files []study.Plugin
	add := func(p study.Plugin) {
		if !slices.ContainsFunc(files, func(f study.Plugin) bool { return f.Path == p.Path }) {
			files = append(files, p)
		}
	}
	for _, path := range paths {
		if toolbox.IsStrategy(path) {
			add(study.Plugin{Path: path})
			continue
		}
		spec, err := study.Read(path, study.Overrides{})
		if errors.As(err, new(*fs.PathError)) {
			return nil, Unreadable(path, err)
		}
		if spec == nil { // it may have mistakes: an editor is where they are mended
			return nil, err
		}
		for _, p := range spec.Plugins {
			add(p)
		}
	}
	t, err := toolbox.Open(files, Budget)
	if err != nil {
		return nil, err
	}
	return t.Registry.Schema(), nil
}
