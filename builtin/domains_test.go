package builtin

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// scattered is a cell of digits in some domains that a partition splits; what is measured is by
// client, on test digits.
func scattered(clients, domains int, partition study.Pick) study.Cell {
	c := setting()
	c.Clients, c.Rounds = clients, 2
	c.Picks["dataset"] = study.Pick{Name: "glyphs", Params: map[string]any{
		"train": int64(240), "test": int64(90), "domains": int64(domains)}}
	c.Picks["partition"] = partition
	c.Picks["model"], c.Picks["availability"] = study.Pick{Name: "softmax"}, study.Pick{Name: "always"}
	c.Measures = []study.Measure{
		{Key: "macro", Pick: study.Pick{Name: "accuracy", Params: map[string]any{"weighting": "uniform"}}},
		{Key: "mean", Pick: study.Pick{Name: "clients", Params: map[string]any{
			"of": "accuracy", "on": "test", "statistic": "mean"}}},
	}
	return c
}

// Before anything is read it is known whether test rows will belong to clients.
func TestTestRowsHaveClients(t *testing.T) {
	r := menu(t)
	accepted, refused := 0, 0
	for _, name := range r.Partitioners.Names() {
		e, _ := r.Partitioners.Get(name)
		kept := fl.TraitsOf[fl.PartitionTraits](e).Keeps
		params := map[string]any{}
		if name == "dirichlet" {
			params["kind"], params["min_size"] = "per-class", int64(1)
		}
		for _, size := range [][2]int{{3, 3}, {7, 3}, {4, 1}} {
			c := scattered(size[0], size[1], study.Pick{Name: name, Params: params})
			_, _, problems := r.Compose(c)
			c.Measures = nil
			s, _, others := r.Compose(c)
			if len(others) > 0 { // it does not fit these data
				continue
			}
			w, err := engine.Prepare(&s, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if belong := w.Population.TestStart != nil; belong != (len(problems) == 0) {
				t.Errorf("%s, %d clients, %d domains: test rows belong to clients: %t, but %v",
					name, size[0], size[1], belong, problems)
			}
			if len(problems) == 0 {
				accepted++
			} else {
				refused++
			}
			if kept == "" != (len(problems) > 0) {
				t.Errorf("%s keeps %q: %v", name, kept, problems)
			}
		}
	}
	if accepted < 4 || refused < 8 {
		t.Errorf("%d settings were accepted, %d refused", accepted, refused)
	}
}

// Accuracy by client is the mean over domains where each is a client, and what the label shift
// leaves out is said.
func TestMacroAccuracyOverDomains(t *testing.T) {
	r := menu(t)
	s, _, problems := r.Compose(scattered(3, 3, study.Pick{Name: "domains",
		Params: map[string]any{"alpha": 0.5}}))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	result, err := engine.Run(context.Background(), &s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	macro, mean := result.Series[0].Values, result.Series[1].Values
	for k := range macro {
		if math.Abs(macro[k]-mean[k]) > 1e-9 || macro[k] <= 0 {
			t.Errorf("macro accuracy %v, mean over clients %v", macro, mean)
		}
	}
	says := func(note string) bool { return strings.HasPrefix(note, "the partition leaves out ") }
	if d := result.Data; d.LeftOut+d.Samples != 240 || !slices.ContainsFunc(result.Notes, says) {
		t.Errorf("%+v: %q", d, result.Notes)
	}
}

// Clients have one cast each, and test rows of their own, by the partitions that guarantee it.
func TestColourCastsBelongToClients(t *testing.T) {
	r := menu(t)
	for name, keeps := range map[string]bool{"natural": true, "domains": true, "iid": false} {
		for _, test := range []string{"cast", "clean"} {
			c := scattered(5, 1, study.Pick{Name: name})
			of := c.Picks["dataset"].Params
			of["name"], of["image"] = "glyphs", "colour"
			c.Picks["dataset"] = study.Pick{Name: "colour-cast",
				Params: map[string]any{"of": of, "test": test}}
			s, _, problems := r.Compose(c)
			if keeps != (len(problems) == 0) {
				t.Errorf("%s: %v", name, problems)
			}
			if !keeps {
				continue
			}
			w, err := engine.Prepare(&s, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Clients {
				own, held := w.Population.Client(i).Data, w.Population.ClientTest(i)
				if own.Len() != 48 || held.Len() != 18 {
					t.Errorf("%s: client %d has %d and %d rows", name, i, own.Len(), held.Len())
				}
				for _, cast := range slices.Concat(own.Domain, held.Domain) {
					if cast != i {
						t.Errorf("%s: client %d has a row of cast %d", name, i, cast)
					}
				}
			}
			result, err := engine.Run(context.Background(), &s, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if last := result.Series[1].Values; !(last[len(last)-1] > 20) {
				t.Errorf("%s, %s: mean accuracy on clients' own tests: %v", name, test, last)
			}
		}
	}
}
