package view

import (
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/page"
)

// differing is a plan of two methods at two points with two seeds, which differ in their rounds and
// in the share that the server holds.
func differing() *store.Plan {
	p := &store.Plan{Command: "hansa run it.toml", File: "../../it.toml"}
	for m, method := range []string{"one", "it's two"} {
		for k, label := range []string{"k = 2", "k = 5"} {
			for seed := range 2 {
				p.Cells = append(p.Cells, study.Cell{Method: method, Seed: uint64(seed),
					Rounds: 10 + m, Held: float64(k) / 4, Clients: 3,
					Point: []study.Coordinate{{Axis: "availability.k", Label: label}}})
				p.IDs = append(p.IDs, method+label+string(rune('0'+seed)))
			}
		}
	}
	return p
}

// A page lists the cells without a result, why, and the command that runs each, as a shell reads it.
func TestGaps(t *testing.T) {
	plan := differing()
	p := &page.Page{}
	p.Input.Results = map[string]*engine.Result{}
	for _, id := range plan.IDs[:6] {
		p.Input.Results[id] = &engine.Result{}
	}
	p.Input.Failures = map[string]string{plan.IDs[7]: "NaN"}
	s := &Subject{Plan: plan, Run: store.Run{Dir: "runs/it"}}
	got, resume := s.gaps(p)
	command := `hansa resume it --only 'method=it'\''s two' --only 'availability.k=k = 5' --only seed=`
	want := []page.Gap{{Cell: "it's two · k = 5 · seed 0", Command: command + "0"},
		{Cell: "it's two · k = 5 · seed 1", Why: "NaN", Command: command + "1"}}
	if !reflect.DeepEqual(got, want) || resume != "hansa resume it" {
		t.Errorf("got %+v, %q", got, resume)
	}
	s.Run.Dir = "my runs/other"
	if _, resume := s.gaps(p); resume != "hansa resume 'my runs/other'" {
		t.Errorf("elsewhere: %q", resume)
	}
}

// What methods differ in stands by method, what the sweep changes with its values, and all settings
// are told once.
func TestSettings(t *testing.T) {
	s := settingsOf(differing())
	if !reflect.DeepEqual(s.Paths, []string{"rounds"}) ||
		!reflect.DeepEqual(s.Differ, [][]string{{"10"}, {"11"}}) {
		t.Errorf("methods differ in %v: %v", s.Paths, s.Differ)
	}
	if !reflect.DeepEqual(s.Sweep, []page.Fact{{Name: "validation", Text: "0 | 0.25"}}) {
		t.Errorf("the sweep changes %v", s.Sweep)
	}
	said := 0
	for _, g := range s.Groups {
		for _, v := range g.Values {
			if v.Name == "clients" {
				said++
			}
		}
	}
	if said != 1 {
		t.Errorf("clients are told %d times", said)
	}
}
