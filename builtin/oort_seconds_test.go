package builtin

import (
	"math"
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// listening is a selection that notes what it is told.
type listening struct {
	fl.Selection
	said map[int][]fl.Report // by round
}

func (l listening) Select(d *fl.SelectionInput) []int {
	l.said[d.T] = l.said[d.T][:0] // an asynchronous server asks several times
	for i := range d.Roster.N {
		l.said[d.T] = append(l.said[d.T], d.Told(i))
	}
	return l.Selection.Select(d)
}

// heardBy returns what the selection of a cell is told of the six clients, by round.
func heardBy(t *testing.T, completion study.Pick, rule string) map[int][]fl.Report {
	t.Helper()
	c := finishingBy(4, completion, pick(rule), pick("all"))
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	l := listening{s.Selection, map[int][]fl.Report{}}
	s.Selection, s.Selects = l, fl.SelectionTraits{Seconds: true}
	if _, err := engine.Run(t.Context(), &s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	return l.said
}

// A selection is told how long clients needed whose updates were aggregated, of a synchronous and of
// an asynchronous server, by the steps that they made; of others nothing, and nothing at all without
// a completion model.
//
//hansa:verifies theorem completion/durations
func TestSelectionIsToldSeconds(t *testing.T) {
	want := fl.Vector{30, 10, 20, 10, 45, 5}
	for _, x := range []struct {
		policy []any
		rule   string
		most   float64 // of those that are heard
	}{
		{nil, "fedavg", 45}, {[]any{"deadline", 25.0}, "fedavg", 20},
		{[]any{"concurrency", int64(6), "take", int64(3)}, "fedbuff", 10},
		{[]any{"tiers", int64(3)}, "fedat", 10},
	} {
		said := heardBy(t, listed(x.policy...), x.rule)[1]
		for i, told := range said {
			heard := told.Round == 0
			if heard && told.Seconds != want[i] || heard != !math.IsNaN(told.Seconds) ||
				x.rule == "fedavg" && heard != (want[i] <= x.most) || heard && want[i] > x.most {
				t.Errorf("%v: client %d told %+v", x.policy, i, told)
			}
		}
	}
	said := heardBy(t, listed("work", 1.0, "partial", true, "deadline", 20.0), "fedavg")[2]
	for i, told := range said { // three steps, of which one or two fit where all do not
		if cut := map[int]float64{0: 20, 4: 15}; cut[i] > 0 && told.Seconds != cut[i] {
			t.Errorf("client %d told %+v, want %v seconds", i, told, cut[i])
		}
	}
	for _, told := range heardBy(t, pick("immediate"), "fedavg")[1] {
		if told.Round != 0 || !math.IsNaN(told.Seconds) {
			t.Errorf("without a completion model: %+v", told)
		}
	}
}

// Oort by measured seconds goes on from a checkpoint as it would have gone on, of a synchronous and of
// an asynchronous server, and selects slow clients less often than without them.
//
//hansa:verifies invariance selection/oort
func TestMeasuredOortGoesOn(t *testing.T) {
	for _, policy := range [][]any{nil, {"concurrency", int64(3), "take", int64(2)}} {
		rule := pick("fedavg", "weights", "uniform")
		if policy != nil {
			rule = pick("fedbuff")
		}
		c := finishingBy(12, listed(append(policy, "jitter", 0.2)...), rule, pick("oort", "k",
			int64(3), "measured", true, "pace", 8.0, "window", int64(2)))
		c.Every, c.Law = 1, false
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		want, err := engine.Run(t.Context(), &s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, before := range []int{1, 5, 11} {
			if got := resumed(t, &s, before); !reflect.DeepEqual(got.Series, want.Series) {
				t.Errorf("%v: resumed\n%v\nwant\n%v", policy, got.Series, want.Series)
			}
		}
	}
	hours := func(measured bool) float64 {
		given := []any{"k", int64(2)}
		if measured {
			given = append(given, "measured", true, "pace", 6.0, "penalty", 4.0)
		}
		slow := pick("durations", "seconds", []any{5.0, 50.0, 5.0, 50.0, 5.0, 50.0})
		c := finishingBy(300, slow, uniformMean(), pick("oort", given...))
		c.Law = false
		_, _, m := ends(t, c)
		return m[0]
	}
	if slow, fast := hours(false), hours(true); fast > 0.7*slow {
		t.Errorf("300 rounds take %v hours, without durations %v", fast, slow)
	}
}
