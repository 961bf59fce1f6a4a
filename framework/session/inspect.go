package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// perFile is how long the examination of one data file may take.
const perFile = 2 * time.Second

// An Inspected experiment is what was found in the data files of its cells.
type Inspected struct {
	Problems study.Problems // mistakes
	Missing  study.Problems // files that are not there
	Warnings study.Problems
	Partial  []string // files of which not all was examined
}

// Inspect examines the data files of some cells, each once, in the folders in which they are
// looked for.
func (x *Experiment) Inspect(ctx context.Context, cells []int, folders []string) *Inspected {
	found, seen := &Inspected{}, map[string]bool{}
	for _, i := range cells {
		for _, each := range x.setups[i].Inspectors {
			if seen[each.Key] || ctx.Err() != nil {
				continue
			}
			seen[each.Key] = true
			in := &fl.Inspection{Clients: x.Cells[i].Clients, Folders: folders,
				Watch: func() (func() bool, func()) {
					limited, stop := context.WithTimeout(ctx, perFile)
					return func() bool { return limited.Err() != nil }, stop
				}}
			guardedly(each, in)
			located := func(problems []fl.Problem) study.Problems {
				for k := range problems {
					problems[k].Message = each.Label + ": " + problems[k].Message
				}
				return registry.Locate(x.Written[i], each.Path, problems)
			}
			found.Problems = append(found.Problems, located(in.Problems)...)
			found.Missing = append(found.Missing, located(in.Missing)...)
			found.Warnings = append(found.Warnings, located(in.Warnings)...)
			for _, text := range in.Partial {
				if !slices.Contains(found.Partial, text) {
					found.Partial = append(found.Partial, text)
				}
			}
		}
	}
	return found
}

// guardedly runs an inspector. A panic of a component is a mistake in it, and found here.
func guardedly(each fl.Inspector, in *fl.Inspection) {
	defer func() {
		if p := recover(); p != nil {
			in.Fail("name", "panic: %v", p)
		}
	}()
	each.Run(in)
}

// TellOf says what is no mistake: warnings, and what was not examined.
func (s *Session) TellOf(found *Inspected) error {
	if err := s.warn(found.Warnings); err != nil {
		return err
	}
	for _, text := range found.Partial {
		s.Sayf("%s examined in the %v that a file may take; the rest is when it is read", text,
			perFile)
	}
	return nil
}

// Unexamined says in a line each which files could not be examined, and how to get them.
func (s *Session) Unexamined(missing study.Problems) {
	for _, p := range missing.Tidy() {
		place := ""
		if p.Pos.File != "" {
			place = p.Pos.String() + ": "
		}
		s.Sayf("%snot examined: %s", place, strings.ReplaceAll(p.Message, "\n", "; "))
	}
}

// Preflight refuses cells that need more memory than there is, and examines the data files of the
// cells that are to run, before any does. Files that are not there are a mistake here; where cells
// run elsewhere, they may be there.
func (j *Job) Preflight(ctx context.Context, missing []int, o *Options, here bool) error {
	if large := j.Experiment.room(missing, Size(o.Memory), here); len(large) > 0 {
		return large
	}
	found := j.Experiment.Inspect(ctx, missing, j.Experiment.folders(o))
	if err := j.TellOf(found); err != nil || ctx.Err() != nil {
		return err
	}
	if !here {
		j.Unexamined(found.Missing)
		found.Missing = nil
	}
	switch all := append(found.Problems, found.Missing...); {
	case len(all) == 0:
		return nil
	case len(found.Problems) == 0:
		return fault.Of(all)
	default:
		return all
	}
}
