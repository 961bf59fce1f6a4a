package plugins

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
)

// compiledText is the strategy of these tests as its author wrote it.
const compiledText = `package stiff

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

var Stiff = fl.AggregatorEntry{
	Name:    "stiff",
	Summary: "does what is asked",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &stiff{}, nil
	},
}

type stiff struct{}

func (*stiff) Aggregate(r *fl.Round) (fl.Outcome, error) {
	return fl.Outcome{}, errors.New("no")
}
`

// stiff stands for what the compiler makes of it.
type stiff struct{ do func() error }

func (s *stiff) Aggregate(r *fl.Round) (fl.Outcome, error) { return fl.Outcome{}, s.do() }

// What is compiled is guarded as what is interpreted is, but that nothing can stop it: then the
// watching function is told at once.
func TestCompiledIsGuarded(t *testing.T) {
	source := NewSource("stiff.go", []vet.File{{Name: "stiff.go", Text: compiledText}})
	release := make(chan struct{})
	rule := &stiff{}
	entry := fl.AggregatorEntry{Name: "stiff", Summary: "does what is asked",
		New: func(*fl.Params) (fl.Aggregator, error) { return rule, nil }}
	s, err := LoadCompiled(t.Context(), source, 50*time.Millisecond, Compiled{"Stiff": &entry})
	if err != nil {
		t.Fatal(err)
	}
	var r registry.Registry
	if err := s.Register(&r); err != nil {
		t.Fatal(err)
	}
	e, _ := r.Aggregators.Get("stiff")
	if e.Source != source.Digest() {
		t.Errorf("it is of %q", e.Source)
	}
	call := func(do func() error) *Fault {
		t.Helper()
		a, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
		if err != nil {
			t.Fatal(err)
		}
		rule.do = do
		_, err = a.Aggregate(&fl.Round{Global: fl.Vector{1}, Roster: &fl.Roster{}})
		var fault *Fault
		if !errors.As(err, &fault) {
			t.Fatalf("it says %v", err)
		}
		return fault
	}
	f := call(func() error { return errors.New("no") })
	if f.Message != "no" || f.Pos.Line != 19 || f.Pos.File != "stiff.go" {
		t.Errorf("%+v", f)
	}
	if f := call(func() error { var m map[int]int; m[1] = 1; return nil }); f.Message !=
		"panic: assignment to entry in nil map" {
		t.Errorf("%+v", f)
	}
	go func() {
		defer close(release)
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			c := s.Calls()
			if len(c) == 1 && c[0].Late > 300*time.Millisecond {
				if !c[0].Firm || c[0].Budget != 50*time.Millisecond || c[0].Pos.Line != 19 {
					t.Errorf("%+v", c[0])
				}
				return
			}
		}
		t.Error("it is never late")
	}()
	if f := call(func() error { <-release; return nil }); !f.Timeout {
		t.Errorf("%+v", f)
	}
}

// Lines of compiled strategies are found in stacks and in what the compiler says.
func TestCompiledPlaces(t *testing.T) {
	source := NewSource("a", []vet.File{{Name: "a/x.go"}, {Name: "a/y.go"}})
	text := "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:3 +0x1\n" +
		"x.f()\n\tgithub.com/hansa-fl/hansa/" + source.CompiledFile(1) + ":12 +0x1d\n" +
		source.CompiledFile(0) + ":7:2: undefined: y\n"
	found := CompiledPlaces(text)
	if len(found) != 2 || found[0].File != 1 || found[0].Line != 12 || found[1].File != 0 ||
		found[1].Line != 7 || found[0].Folder != source.CompiledName() ||
		!strings.HasPrefix(text[found[1].To:], ": undefined: y") {
		t.Errorf("%+v", found)
	}
	stacks := "goroutine 1 [chan receive]:\nm()\n\t/" + source.CompiledFile(0) + ":1\n\n" +
		"goroutine 2 [running]:\nm()\n\t/src/main.go:3\n\n" +
		"goroutine 3 [runnable]:\nm()\n\t/" + source.CompiledFile(0) + ":5\n"
	if got := innermost([]byte(stacks), source.CompiledName()); !strings.Contains(string(got), ":5") {
		t.Errorf("%s", got)
	}
}
