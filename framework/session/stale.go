package session

import (
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/plugins"
)

// Open returns the run that a command line names, for a command that shows or continues what is
// stored, and its plan. Where the user has changed a strategy since, it says which code counts.
func (s *Session) Open(arg string) (store.Run, *store.Plan, error) {
	run, plan, err := FindPlan(arg)
	if err != nil {
		return run, nil, err
	}
	if list := edited(run, plan); len(list) > 0 {
		kept := "copies of them"
		if len(list) == 1 {
			kept = "copy, " + store.BriefDigest(list[0].Digest)
		}
		s.remark("%s changed since %s was planned; what is stored goes by the run's own %s; `%s` "+
			"plans new runs", phrase.Have(pathsOf(list)), run.Dir, kept, commandOf(run, plan))
	}
	return run, plan, nil
}

// edited lists the strategies of a plan whose files hold other code than the run keeps. A file that
// is not there any more is none of them: nothing but the run has its code.
func edited(run store.Run, plan *store.Plan) (list []store.Strategy) {
	for _, s := range plan.Strategies {
		path := s.Path
		if s.File != "" {
			path = seenAgain(run.Dir, s.File)
		}
		source, err := plugins.Read(path)
		if err == nil && source.Digest() != s.Digest {
			list = append(list, s)
		}
	}
	return list
}

// pathsOf names strategies as the user does.
func pathsOf(list []store.Strategy) (paths []string) {
	for _, s := range list {
		paths = append(paths, s.Path)
	}
	return paths
}

// commandOf returns the command that plans a run anew from its file.
func commandOf(run store.Run, plan *store.Plan) string {
	line := plan.Command
	if Real(run.Dir) != Real(filepath.Join("runs", RunName(plan.File))) {
		line += " --dir " + phrase.Quote(run.Dir)
	}
	return line
}

// renewed says what becomes of the cells of a plan that another takes the place of, because
// strategies have changed.
func (s *Session) renewed(run store.Run, old, plan *store.Plan) {
	var list []store.Strategy
	for _, was := range old.Strategies {
		if slices.ContainsFunc(plan.Strategies, func(now store.Strategy) bool {
			return now.Path == was.Path && now.Digest != was.Digest
		}) {
			list = append(list, was)
		}
	}
	if len(list) == 0 {
		return
	}
	s.Sayf("%s changed since %s was planned: %s planned anew; `%s` removes "+
		"results of other code", phrase.Have(pathsOf(list)), run.Dir,
		phrase.Count(without(plan.IDs, old.IDs), "training run is", "training runs are"),
		phrase.Hint("gc", run.Dir,
			"--orphans"))
}
