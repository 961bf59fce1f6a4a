package registry

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/weights"
)

// An initialFile holds the parameters that training starts from.
type initialFile struct {
	name, sha256 string
	names        map[string]string // of its tensors, by those of the layout
	layout       fl.Layout
}

// initial says where initial parameters come from, where that is a file.
func (b *builder) initial(s *engine.Setup) {
	given := b.cell.InitialFile
	if given == nil || s.Model == nil || !b.setting.Known() {
		return
	}
	f := initialFile{layout: s.Model.Layout(), names: map[string]string{}}
	f.name, _ = given["file"].(string)
	f.sha256, _ = given["sha256"].(string)
	renamed, _ := given["names"].(map[string]any)
	for own, in := range renamed {
		f.names[own], _ = in.(string)
	}
	names, err := weights.Names(f.layout)
	complain := func(param, format string, args ...any) {
		b.report("initial", []fl.Problem{{Param: param,
			Message: "initial: " + fmt.Sprintf(format, args...)}})
	}
	switch {
	case err != nil:
		complain("", "the model has %v", err)
	case s.Apart:
		complain("", "parameters of a file are shared by all clients, and independent ones are not")
	case s.Model.Facts().Variants != nil:
		complain("", "a file holds the parameters of one model, and clients have different ones")
	}
	for own := range f.names {
		if !slices.Contains(names, own) {
			at := b.cell.Origins["initial.names."+own]
			b.problems = append(b.problems, study.Problem{Pos: at.Key,
				Message: fmt.Sprintf("initial.names: the model has no tensor %q", own),
				Hint:    study.Suggest(own, names)})
		}
	}
	s.Initial = f.read
	b.inspectors = append(b.inspectors, fl.Inspector{Path: "initial", Label: "initial",
		Key: fmt.Sprint("initial ", given, b.cell.Picks["model"], b.setting.Shape), Run: f.inspect})
}

// A missingFile says that the file is nowhere to be found.
type missingFile struct {
	name   string
	places []string
}

// Error names the file, and the places that were searched.
func (e *missingFile) Error() string {
	return fmt.Sprintf("initial parameters: not found: %s\nsearched: %s", e.name,
		strings.Join(e.places, ", "))
}

// locate returns the path of the file.
func (f initialFile) locate(folders []string) (string, error) {
	for _, path := range host.Candidates(folders, f.name) {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return "", &missingFile{f.name, folders}
}

// mostParameters is how many bytes the file may have.
const mostParameters = 1 << 36

// read returns the parameters.
func (f initialFile) read(folders []string) (fl.Vector, error) {
	path, err := f.locate(folders)
	if err != nil {
		return nil, err
	}
	content, err := host.Read(path, mostParameters)
	if err != nil {
		return nil, err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(content)); f.sha256 != "" && f.sha256 != sum {
		return nil, fmt.Errorf("%s has the SHA-256 %s, not %s", path, sum, f.sha256)
	}
	params := make(fl.Vector, f.layout.Len())
	file, err := weights.Parse(content)
	if err == nil {
		err = weights.Fill(params, f.layout, file, f.names)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return params, nil
}

// inspect reads the file before anything runs.
func (f initialFile) inspect(i *fl.Inspection) {
	_, err := f.read(i.Folders)
	var missing *missingFile
	switch {
	case errors.As(err, &missing):
		i.Lack("file", err.Error())
	case err != nil:
		i.Fail("file", "%v", err)
	}
}
