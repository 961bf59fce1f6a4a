// Package exam asks of strategies what the contract asks of every component, and measures how fast
// they are. It runs in a worker process: a strategy may end its process.
package exam

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// Limits of an examination. The toys are small, so that a call takes microseconds.
const (
	Budget = 4 * time.Second        // of one call
	Grace  = 500 * time.Millisecond // for a call that was stopped to return
	Time   = 2 * time.Minute        // of all calls
	Memory = 512 << 20              // bytes
)

// An Order says which strategies are examined, interpreted, and how.
type Order struct {
	Sources []plugins.Source
	Budget  time.Duration // of a call into one
	Place   string        // the file in which the statement is noted that runs; "": nowhere
	Speeds  bool          // how fast components are is measured, too
}

// Examine asks of the components of strategies what the contract asks of every one. Watched is
// told which strategies are at work.
func (o *Order) Examine(watched func(toolbox.Strategies)) (*Examined, error) {
	exam := new(plugins.Exam)
	if o.Place != "" {
		exam.Place = sharedPlace(o.Place)
	}
	found, list, err := o.ask(exam, watched)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found.Violations, wrote) {
		// Which statement wrote is seen by looking after each, which takes long.
		blamed, _, err := o.ask(&plugins.Exam{Place: exam.Place, Blame: true}, watched)
		if err == nil && slices.ContainsFunc(blamed.Violations, wrote) {
			found.Violations = blamed.Violations
		}
	}
	for _, s := range list {
		for _, gap := range s.Unreached(exam) {
			found.Unreached = append(found.Unreached, gap.String())
		}
	}
	if o.Speeds && len(found.Violations) == 0 {
		err = o.measureSpeeds(found, watched)
	}
	return found, err
}

// An Examined strategy is what a worker process found out about one.
type Examined struct {
	Violations   []contract.Violation
	Speeds       []plugins.Speed
	Requirements map[string]int // by kind: how many were asked about
	Unreached    []string       // statements that no question reached, by their lines
}

// wrote reports whether a strategy wrote to what it may only read.
func wrote(v contract.Violation) bool {
	return strings.Contains(v.Found, registry.Written)
}

// ask asks of the components of strategies what the contract asks of every one.
func (o *Order) ask(exam *plugins.Exam, watched func(toolbox.Strategies)) (
	*Examined, toolbox.Strategies, error,
) {
	r, list, err := o.load(exam)
	if err != nil {
		return nil, nil, err
	}
	watched(list)
	own := map[string]bool{}
	for _, s := range list {
		for _, e := range s.Entries {
			own[e.Kind+"/"+e.Name] = true
		}
	}
	return &Examined{Requirements: requirements(), Violations: questions(r, own)}, list, nil
}

// load loads strategies for an exam, beside all that is built in.
func (o *Order) load(exam *plugins.Exam) (*registry.Registry, toolbox.Strategies, error) {
	t, err := toolbox.Builtin()
	if err != nil {
		return nil, nil, err
	}
	for _, source := range o.Sources {
		s, err := plugins.LoadExam(context.Background(), source, o.Budget, exam)
		if err == nil {
			err = t.Register(s)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return t.Registry, t.Loaded, nil
}

// questions asks some components of a registry what the contract asks.
func questions(r *registry.Registry, own map[string]bool) []contract.Violation {
	papers := map[string]bool{}
	for key := range builtin.Papers() {
		papers[key] = true
	}
	return contract.Examine(r, contract.Options{Papers: papers, Seed: 1,
		Only: func(kind, name string) bool { return own[kind+"/"+name] }})
}

// requirements counts, by kind, how many requirements are asked about.
func requirements() map[string]int {
	n := map[string]int{}
	for _, p := range contract.Requirements() {
		n[p.Kind]++
	}
	for kind := range n {
		if kind != "entry" {
			n[kind] += n["entry"]
		}
	}
	return n
}

// measureSpeeds measures how fast components are as they are run: statements that tell where they
// are take longer.
func (o *Order) measureSpeeds(found *Examined, watched func(toolbox.Strategies)) error {
	t, err := toolbox.Builtin()
	for _, source := range o.Sources {
		if err == nil {
			err = t.Add(source, o.Budget)
		}
	}
	if err != nil {
		return err
	}
	watched(t.Loaded)
	for _, s := range t.Loaded {
		for _, e := range s.Entries {
			if speed, ok := plugins.MeasureSpeed(t.Registry, e.Kind, e.Name); ok {
				found.Speeds = append(found.Speeds, speed)
			}
		}
	}
	return o.confirmLoops(found, watched)
}

// confirmLoops has nothing said of loops over parameters where there are none: helpers take their
// time, too. A loop is seen by how many statements begin.
func (o *Order) confirmLoops(found *Examined, watched func(toolbox.Strategies)) error {
	if !slices.ContainsFunc(found.Speeds, func(s plugins.Speed) bool { return s.Suspected }) {
		return nil
	}
	exam := new(plugins.Exam)
	r, list, err := o.load(exam)
	if err != nil {
		return err
	}
	watched(list)
	for i := range found.Speeds {
		s := &found.Speeds[i]
		if s.Suspected && !plugins.LoopsOverParameters(r, s.Kind, s.Name, exam) {
			s.Slow = ""
		}
	}
	return nil
}

// Problems returns violations of the contract as problems at the author's lines.
func Problems(s *plugins.Strategy, list []contract.Violation) study.Problems {
	var problems study.Problems
	for _, v := range list {
		at, message := s.Locate(v.Found)
		if at == (study.Pos{}) {
			i := slices.IndexFunc(s.Entries, func(e plugins.Entry) bool {
				return e.Name == v.Component && e.Kind == v.Kind
			})
			if i >= 0 {
				at = s.Entries[i].Pos
			}
		}
		problems = append(problems, study.Problem{Pos: at, Hint: "the contract: " + v.Terms(),
			Message: fmt.Sprintf("%s %s: %s: %s", v.Kind, v.Component, v.Check, message)})
	}
	return problems
}
