package registry_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// timed is a cell of more clients, some of which are selected, need time and have a deadline, so that
// rounds are simulated to know which participate: as far as a component leaves that open.
func timed(r *registry.Registry, c study.Cell, kind string) study.Cell {
	change := func(slot string, p study.Pick) {
		if changed := with(c, slot, p); kind != slot && len(problemsOf(r, changed)) == 0 {
			c = changed
		}
	}
	more := c
	if more.Clients = 20; len(problemsOf(r, more)) == 0 {
		c = more
	}
	change("availability", study.Pick{Name: "always"})
	change("selection", study.Pick{Name: "uniform-k", Params: map[string]any{"k": int64(8)}})
	change("completion", study.Pick{Name: "speeds", Params: map[string]any{"deadline": 3.0}})
	return c
}

func problemsOf(r *registry.Registry, c study.Cell) study.Problems {
	_, _, problems := r.Compose(c)
	return problems
}

// clientsOf are a roster with clients that differ.
func clientsOf(s *engine.Setup) *fl.Roster {
	n, names := s.Clients, s.Source.Shape().Covariates
	pop := &fl.Roster{N: n, Samples: make([]int, n), Importance: make(fl.Vector, n),
		Covariates: fl.NewMatrix(n, len(names))}
	for i := range n {
		pop.Samples[i], pop.Importance[i] = 10+7*i, 1/float64(n)
		for k := range names {
			pop.Covariates.Row(i)[k] = float64((3*i+k)%7) - 3
		}
	}
	return pop
}

// played are the cohorts of simulated rounds, and how often the clients of each are counted, or why
// they end.
func played(s *engine.Setup, folder string) (text string, err error) {
	w := engine.Open(clientsOf(s))
	w.Folders = []string{folder}
	var b strings.Builder
	const rounds = 40
	err = engine.Simulate(s, w, 0, rounds, func(r engine.SimulatedRound) error {
		fmt.Fprintln(&b, r.Cohort, r.Times, r.Expects)
		return nil
	})
	return b.String(), err
}

// workOf is what cells with the same CohortKey may differ in: how much clients compute and send in a
// round.
func workOf(s *engine.Setup) string {
	if s.Completion.Component == nil {
		return ""
	}
	var b strings.Builder
	for _, samples := range clientsOf(s).Samples {
		fmt.Fprintln(&b, s.Completion.Steps(samples))
	}
	layout := s.Model.Layout()
	sized, _ := s.Compressor.Component.(fl.Sized)
	if sized != nil {
		fmt.Fprintln(&b, sized.Bits(layout))
	}
	fmt.Fprintf(&b, "%d of %+v", layout.Len(), s.Personal)
	return b.String()
}

// The same clients participate in cells that share simulated rounds, whatever component or parameter
// they differ in.
func TestSharedCohortsAreTheSame(t *testing.T) {
	r := menu(t)
	folder, _ := datatest.Find(t)
	first, cells, shared := map[string]string{}, 0, 0
	compare := func(c study.Cell, what string) {
		s, _, problems := r.Compose(c)
		if len(problems) > 0 || !s.Law || s.Completion.Policy.Asynchronous() {
			return
		}
		if s.CohortKey == "" {
			t.Errorf("%s has no key, and is no code of the user's", what)
			return
		}
		text, err := played(&s, folder)
		if errors.As(err, new(*data.MissingError)) {
			return
		}
		if err != nil { // some values of parameters are refused
			text += err.Error()
		}
		if strings.Contains(text, "panic") {
			t.Errorf("%s: %s", what, text)
		}
		cells++
		key := s.CohortKey + workOf(&s)
		if was, known := first[key]; known {
			if shared++; was != text {
				t.Errorf("%s: other cohorts than with the same key before", what)
			}
		}
		first[key] = text
	}
	everyComponent(t, r, func(c study.Cell, kind string, d registry.Description) {
		c = timed(r, with(c, kind, study.Pick{Name: d.Name, Params: d.Example}), kind)
		compare(c, kind+" "+d.Name)
		_, resolved, problems := r.Compose(c)
		if kind == "dataset" || kind == "metrics" || kind == "model" || len(problems) > 0 {
			return
		}
		for _, spec := range d.Params {
			params := map[string]any{}
			maps.Copy(params, d.Example)
			params[spec.Name] = other(spec, pickOf(resolved, kind).Params[spec.Name])
			compare(with(c, kind, study.Pick{Name: d.Name, Params: params}),
				kind+" "+d.Name+" with another "+spec.Name)
		}
	})
	t.Logf("%d cells, of which %d share their cohorts with one before", cells, shared)
	if shared < 100 || len(first) < 100 {
		t.Errorf("%d cells of %d keys", cells, len(first))
	}
}
