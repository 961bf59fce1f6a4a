package plugins

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// examined is a rule with branches, of which the last statement of one writes to the roster.
const examined = `package rule

import "github.com/hansa-fl/hansa/framework/fl"

var Entry = fl.AggregatorEntry{Name: "rule", Summary: "has branches",
	New: func(*fl.Params) (fl.Aggregator, error) { return &rule{}, nil }}

type rule struct{}

func (*rule) Aggregate(r *fl.Round) (fl.Outcome, error) {
	const note = "Line_ = 7"
	if r.T == 3 {
		samples := r.Roster.Samples
		touch(samples)
		return fl.Outcome{Params: r.Global}, nil
	} else if r.T > 3 {
		return fl.Outcome{}, nil
	}
	for k := range r.Updates {
		if k > 100 {
			r.Notes.Add(note)

			r.Notes.Add("far")
		}
	}
	return fl.Outcome{Params: r.Global}, nil
}

func touch(samples []int) {
	n := len(samples)
	samples[n-1] = 1000
}
`

// aggregatorOf loads the strategy for an exam and builds its aggregator.
func aggregatorOf(t *testing.T, exam *Exam) (*Strategy, fl.Aggregator) {
	t.Helper()
	source := NewSource("rule.go", []vet.File{{Name: "rule.go", Text: examined}})
	s, err := LoadExam(t.Context(), source, time.Minute, exam)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := s.own.Aggregators.Get("rule")
	a, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

// An exam knows which statements have run, and lists the others by their lines; the text of
// strings is not taken for statements.
func TestStatementsThatHaveNotRunAreListed(t *testing.T) {
	exam := new(Exam)
	s, a := aggregatorOf(t, exam)
	r := &fl.Round{Global: fl.Vector{1}, Updates: make([]fl.Update, 3),
		Roster: &fl.Roster{N: 1, Samples: []int{3}}, Notes: new(fl.Notes)}
	if _, err := a.Aggregate(r); err != nil {
		t.Fatal(err)
	}
	const want = "[rule.go:13-15 rule.go:17 rule.go:21-23 rule.go:30-31]"
	if got := fmt.Sprint(s.Unreached(exam)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.T = 3
	a.Aggregate(r) // fails
	if got := fmt.Sprint(s.Unreached(exam)); got != "[rule.go:17 rule.go:21-23]" {
		t.Errorf("after another round: %s", got)
	}
}

// An exam blames a write to what may only be read on the statement that made it, in whatever
// function; and notes for another process which statement runs.
func TestWritesAreBlamedOnTheirLine(t *testing.T) {
	place := new(int64)
	for blame, want := range map[bool]string{true: "rule.go:31:2: ", false: "rule.go:"} {
		s, a := aggregatorOf(t, &Exam{Blame: blame, Place: place})
		r := &fl.Round{T: 3, Global: fl.Vector{1}, Roster: &fl.Roster{N: 1, Samples: []int{3, 4}}}
		_, err := a.Aggregate(r)
		if err == nil || !strings.HasPrefix(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), "changed r.Roster.Samples, which it may only read") {
			t.Errorf("%v, want %s", err, want)
		}
		if at := s.At(*place); at.File != "rule.go" || at.Line != 15 {
			t.Errorf("the last statement is noted as %v", at)
		}
	}
	if s, _ := aggregatorOf(t, new(Exam)); s.At(0).Line != 0 {
		t.Error("no place has a line")
	}
}
