package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// additions returns the methods that files with strategies make. What a file describes is one
// method, which has its name, or the first of its names; where it describes several components of
// one kind, each is a method of its own. The error is study.Problems.
func additions(files []string, budget time.Duration) (all []study.Addition, err error) {
	var problems study.Problems
	for _, file := range files {
		file = filepath.Clean(file)
		at := study.Pos{File: "--with"}
		t, err := toolbox.Open([]study.Plugin{{Path: file, At: at}}, budget)
		if err != nil {
			return nil, err
		}
		of := partsOf(t.Loaded[0])
		if len(of) == 0 {
			problems = append(problems, study.Problem{Pos: at, Message: fmt.Sprintf("%s describes "+
				"nothing that makes a method", file), Hint: "these do: " +
				strings.Join(methodSlots(), ", ")})
			continue
		}
		for _, components := range of {
			all = append(all, study.Addition{Plugin: file, Label: components[0].Name,
				Parts: components})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return all, nil
}

// methodSlots are the keys of a setting for components that make a method.
func methodSlots() []string {
	return slices.DeleteFunc(study.MethodKeys(), func(key string) bool { return key == "metrics" })
}

// partsOf returns the components of each method that a strategy makes.
func partsOf(s *plugins.Strategy) (methods [][]study.Part) {
	slots := methodSlots()
	var one []study.Part
	several := false
	for _, e := range s.Entries {
		if !slices.Contains(slots, e.Kind) {
			continue
		}
		several = several || slices.ContainsFunc(one, func(c study.Part) bool {
			return c.Slot == e.Kind
		})
		one = append(one, study.Part{Slot: e.Kind, Name: e.Name})
	}
	if !several {
		if len(one) > 0 {
			methods = append(methods, one)
		}
		return methods
	}
	for _, c := range one {
		methods = append(methods, []study.Part{c})
	}
	return methods
}

// Added returns the labels of the methods that files with strategies make, in their order. A call
// into a strategy may take as long as a budget. The error is study.Problems.
func Added(files []string, budget time.Duration) (labels []string, err error) {
	list, err := additions(files, budget)
	for _, a := range list {
		labels = append(labels, a.Label)
	}
	return labels, err
}
