package main

import (
	"context"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// perFile is how long the examination of one data file may take.
const perFile = 2 * time.Second

// An inspected experiment is what was found in the data files of its cells.
type inspected struct {
	problems study.Problems // mistakes
	missing  study.Problems // files that are not there
	warnings study.Problems
	partial  []string // files of which not all was examined
}

// inspect examines the data files of some cells, each once, in the folders in which they are
// looked for.
func (x *experiment) inspect(ctx context.Context, cells []int, folders []string) *inspected {
	found, seen := &inspected{}, map[string]bool{}
	for _, i := range cells {
		for _, each := range x.setups[i].Inspectors {
			if seen[each.Key] || ctx.Err() != nil {
				continue
			}
			seen[each.Key] = true
			in := &fl.Inspection{Clients: x.cells[i].Clients, Folders: folders,
				Watch: func() (func() bool, func()) {
					limited, stop := context.WithTimeout(ctx, perFile)
					return func() bool { return limited.Err() != nil }, stop
				}}
			guardedly(each, in)
			located := func(problems []fl.Problem) study.Problems {
				for k := range problems {
					problems[k].Message = each.Label + ": " + problems[k].Message
				}
				return registry.Locate(x.written[i], each.Path, problems)
			}
			found.problems = append(found.problems, located(in.Problems)...)
			found.missing = append(found.missing, located(in.Missing)...)
			found.warnings = append(found.warnings, located(in.Warnings)...)
			found.partial = append(found.partial, in.Partial...)
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

// tellOf says what is no mistake: warnings, and what was not examined.
func (s *session) tellOf(found *inspected) error {
	if err := s.warn(found.warnings); err != nil {
		return err
	}
	for _, text := range found.partial {
		s.say("%s examined in the %v that a file may take; the rest is when it is read", text,
			perFile)
	}
	return nil
}

// unexamined says in a line each which files could not be examined, and how to get them.
func (s *session) unexamined(missing study.Problems) {
	for _, p := range missing.Tidy() {
		place := ""
		if p.Pos.File != "" {
			place = p.Pos.String() + ": "
		}
		s.say("%snot examined: %s", place, strings.ReplaceAll(p.Message, "\n", "; "))
	}
}

// preflight refuses cells that need more memory than there is, and examines the data files of the
// cells that are to run, before any does. Files that are not there are a mistake here; where cells
// run elsewhere, they may be there.
func (j *job) preflight(ctx context.Context, missing []int, o *options, here bool) error {
	if large := j.x.room(missing, size(o.Memory), here); len(large) > 0 {
		return large
	}
	found := j.x.inspect(ctx, missing, j.x.folders(o))
	if err := j.tellOf(found); err != nil || ctx.Err() != nil {
		return err
	}
	if !here {
		j.unexamined(found.missing)
		found.missing = nil
	}
	switch all := append(found.problems, found.missing...); {
	case len(all) == 0:
		return nil
	case len(found.problems) == 0:
		return fault.Of(all)
	default:
		return all
	}
}
