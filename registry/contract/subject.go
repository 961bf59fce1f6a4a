package contract

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// A subject is an entry under examination: as such, or in one of its variants, which is
// then built for one toy.
type subject[T any] struct {
	exam     exam[T]
	entry    fl.Entry[T]
	registry *registry.Registry
	options  Options
	toys     []*fixture    // all there are
	variants []*subject[T] // set by the check that the entry builds

	toy     *fixture       // the setting that the variant is built for
	given   map[string]any // its parameters
	differs string         // how they differ from defaults and Example; empty: not at all
}

// stream returns a stream of the examination.
func (s *subject[T]) stream(purpose string) fl.Stream {
	return fl.NewStream(s.options.Seed, "contract "+purpose)
}

// label puts before what was found where it was found, unless nothing was.
func (s *subject[T]) label(found string) string {
	if found == "" {
		return ""
	}
	if s.exam.data {
		found = s.toy.name + ": " + found
	}
	if s.differs != "" {
		found = s.differs + ": " + found
	}
	return found
}

// attempt builds the component, or says what is wrong.
func (s *subject[T]) attempt(given map[string]any, in fl.Setting) (T, []fl.Problem) {
	var none T
	if s.entry.Fits != nil {
		if err := s.entry.Fits(in); err != nil {
			return none, []fl.Problem{{Message: err.Error()}}
		}
	}
	p := s.registry.Params(given, in)
	c, err := s.entry.New(p)
	problems := p.Finish()
	if err != nil {
		problems = append(problems, fl.Problem{Message: err.Error()})
	}
	if len(problems) == 0 && any(c) == nil {
		problems = []fl.Problem{{Message: "New returned nil"}}
	}
	return c, problems
}

// build returns a fresh instance of the variant.
func (s *subject[T]) build() T {
	// It was built before. A New that changes its mind is seen by the check as a nil.
	c, _ := s.attempt(s.given, s.toy.setting)
	return c
}

// buildFor returns a fresh instance of the variant for another number of clients, or
// false when it cannot be built for them.
func (s *subject[T]) buildFor(clients int) (T, bool) {
	in := s.toy.setting
	in.Clients = clients
	c, problems := s.attempt(s.given, in)
	return c, len(problems) == 0
}

// fitting returns the toys that the entry is examined on: those that it fits, perhaps with one
// of the concessions. Images are slow, two classes are classes, and few take tokens: only an entry
// that fits nothing else meets one of these, the first that it fits.
func (s *subject[T]) fitting() []*fixture {
	var fit, special []*fixture
	for _, t := range s.toys {
		if t = s.conceded(t); t == nil {
			continue
		}
		if shape := t.setting.Shape; shape.Classes == 2 || shape.Image != (fl.Image{}) ||
			shape.Tokens > 0 {
			special = append(special, t)
		} else {
			fit = append(fit, t)
		}
	}
	if len(fit) == 0 {
		fit = special[:min(1, len(special))]
	}
	if !s.exam.data && len(fit) > 1 {
		return fit[:1]
	}
	return fit
}

// conceded returns a toy, or what it is with the first concession that makes the entry fit, or
// nil.
func (s *subject[T]) conceded(t *fixture) *fixture {
	if !s.misfit(t) {
		return t
	}
	for _, concede := range []func(t *fixture){
		func(t *fixture) { t.setting.Law = false },
		func(t *fixture) { t.setting.Oracle = true },
		func(t *fixture) { t.setting.Held = true },
		func(t *fixture) { t.setting.Rounds = 1 },
		func(t *fixture) {
			t.model, t.setting.Network = newToyNetwork(t.setting.Shape), true
			t.setting.Held, t.setting.Head = true, false
		},
	} {
		other := *t
		if concede(&other); !s.misfit(&other) {
			return &other
		}
	}
	return nil
}

// misfit reports whether the entry refuses a toy.
func (s *subject[T]) misfit(t *fixture) bool {
	return registry.Foreign(s.entry, t.setting.Shape) != nil ||
		s.entry.Fits != nil && s.entry.Fits(t.setting) != nil
}

// specs returns the parameters as they are described.
func (s *subject[T]) specs() []fl.Spec {
	p := fl.NewParams(nil, fl.Setting{}, nil)
	// What an error means is the business of the check that the entry can be described.
	_, _ = s.entry.New(p)
	return p.Specs()
}

// in returns the subject as a variant.
func (s *subject[T]) in(t *fixture, given map[string]any, differs string) *subject[T] {
	v := *s
	v.toy, v.given, v.differs = t, given, differs
	return &v
}

// required returns the variants that must be buildable for a toy: defaults and Example,
// with every option of the choices that have no default.
func (s *subject[T]) required(t *fixture) []*subject[T] {
	list := []*subject[T]{s.in(t, s.entry.Example, "")}
	for _, spec := range s.specs() {
		if !spec.Required || len(spec.Options) == 0 {
			continue
		}
		var next []*subject[T]
		for _, v := range list {
			for _, option := range spec.Options {
				next = append(next, v.but(spec.Name, option))
			}
		}
		list = next
	}
	return list
}

// optional returns variants that need not be buildable for a toy: a required variant with
// one choice or switch changed, and the defaults alone where there is an Example.
func (s *subject[T]) optional(t *fixture, required *subject[T]) []*subject[T] {
	var list []*subject[T]
	if len(s.entry.Example) > 0 {
		list = append(list, s.in(t, nil, "without its Example"))
	}
	for _, spec := range s.specs() {
		for _, option := range alternatives(spec) {
			list = append(list, required.but(spec.Name, option))
		}
	}
	return list
}

// but returns the variant with one parameter changed.
func (s *subject[T]) but(name string, value any) *subject[T] {
	differs := fmt.Sprintf("%s = %v", name, value)
	if s.differs != "" {
		differs = s.differs + ", " + differs
	}
	return s.in(s.toy, with(s.given, name, value), differs)
}

// alternatives returns what else a choice with a default, or a switch, can be.
func alternatives(spec fl.Spec) []any {
	var all []any
	if on, ok := spec.Default.(bool); ok {
		all = append(all, !on)
	}
	for _, option := range spec.Options {
		if !spec.Required && option != spec.Default {
			all = append(all, option)
		}
	}
	return all
}

// with returns parameters with one of them changed.
func with(given map[string]any, name string, value any) map[string]any {
	changed := map[string]any{name: value}
	for k, v := range given {
		if k != name {
			changed[k] = v
		}
	}
	return changed
}

// say joins the messages of problems.
func say(problems []fl.Problem) string {
	var messages []string
	for _, p := range problems {
		messages = append(messages, p.Message)
	}
	return strings.Join(messages, "; ")
}
