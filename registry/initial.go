package registry

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/weights"
)

// An initialFile holds the parameters that training starts from.
type initialFile struct {
	weights.Place
	names  map[string]string // of its tensors, by those of the layout
	layout fl.Layout
}

// initial says where initial parameters come from, where that is a file.
func (b *builder) initial(s *engine.Setup) {
	given := b.cell.InitialFile
	if given == nil || s.Model == nil || !b.setting.Known() {
		return
	}
	f := initialFile{layout: s.Model.Layout(), names: map[string]string{}}
	f.What = "initial parameters"
	f.Name, _ = given["file"].(string)
	f.SHA256, _ = given["sha256"].(string)
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

// read returns the parameters.
func (f initialFile) read(folders []string) (fl.Vector, error) {
	params := make(fl.Vector, f.layout.Len())
	err := f.Load(folders, func(file *weights.File) error {
		return weights.Fill(params, f.layout, file, f.names)
	})
	if err != nil {
		return nil, err
	}
	return params, nil
}

// inspect reads the file before anything runs.
func (f initialFile) inspect(i *fl.Inspection) {
	_, err := f.read(i.Folders)
	weights.Inspect(i, err)
}
