package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// gate refuses strategies that violate a requirement of their kind, before any code of them runs
// that an experiment asks for. Every command that has such code run comes here. Each strategy is
// examined once for its code and this program; that it meets its requirements is kept in the user's
// cache folder and in the plan of the run. Known are strategies as an earlier plan has them. With
// --unexamined nothing is asked, which the plan says.
func (s *Session) gate(
	ctx context.Context, t *toolbox.Toolbox, known []store.Strategy, unexamined bool,
) error {
	var all study.Problems
	for _, source := range t.Sources {
		digest := source.Digest()
		exam := &store.Exam{Unexamined: unexamined}
		switch i := examinedBefore(known, digest); {
		case i >= 0 && known[i].Exam.Requirements > 0:
			exam = known[i].Exam
		case !unexamined:
			var err error
			var problems study.Problems
			exam, err = examinedOnce(ctx, source)
			if errors.As(err, &problems) {
				all = append(all, problems...)
				continue
			} else if err != nil {
				return err
			}
		}
		t.Exams[digest] = exam
	}
	if len(all) == 0 {
		return nil
	}
	s.remark("a strategy does not meet the requirements of its kind; --unexamined runs it all " +
		"the same, and a footnote of the table says so")
	return all
}

// Load is Read for all that runs code of strategies: they are examined before anything is built of
// them.
func (s *Session) Load(ctx context.Context, file string, o *Overrides) (*Experiment, error) {
	return readAfter(file, o, func(t *toolbox.Toolbox) error {
		return s.gate(ctx, t, nil, o.Unexamined)
	})
}

// examinedBefore returns which of some strategies has that digest and an exam, or -1.
func examinedBefore(known []store.Strategy, digest string) int {
	return slices.IndexFunc(known, func(s store.Strategy) bool {
		return s.Digest == digest && s.Exam != nil
	})
}

// examinedOnce examines a strategy, unless this program found before that it meets its
// requirements. What it breaks is returned as problems.
func examinedOnce(ctx context.Context, source plugins.Source) (*store.Exam, error) {
	kept, key := exams(), "strategy "+source.Digest()
	verdict := new(store.Exam)
	if kept != nil {
		if content, ok := kept.Take(key); ok && decode(content, verdict) == nil {
			return verdict, nil
		}
	}
	loaded, err := plugins.Load(ctx, source, exam.Budget)
	if err != nil {
		return nil, err
	}
	found, err := examineApart(ctx, loaded, false)
	if err != nil {
		return nil, err
	}
	if problems := exam.Problems(loaded, found.Violations); len(problems) > 0 {
		return nil, problems
	}
	for _, e := range loaded.Entries {
		verdict.Requirements += found.Requirements[e.Kind]
	}
	if content, err := encode(verdict); err == nil && kept != nil {
		kept.Put(key, content)
	}
	return verdict, nil
}

// exams is where it is kept which strategies meet their requirements: hansa/exams of the user's
// cache folder, or nothing where there is no such folder.
func exams() *store.DiskCache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &store.DiskCache{Dir: filepath.Join(dir, "hansa", "exams"), Program: host.Digest}
}

// GatePlanned is gate for a run that goes on as it was planned, whose plan keeps what is found.
func (j *Job) GatePlanned(ctx context.Context, unexamined bool) error {
	if err := j.gate(ctx, j.Experiment.Tools, j.Plan.Strategies, unexamined); err != nil {
		return err
	}
	if !j.Experiment.Tools.Marks(j.Plan.Strategies) {
		return nil
	}
	whole, err := j.Run.LoadPlan()
	if err != nil {
		return fault.Of(err)
	}
	j.Experiment.Tools.Marks(whole.Strategies)
	if err := j.Run.SavePlan(whole); err != nil {
		return fault.Unstorable(j.Run.Dir, err)
	}
	return nil
}
