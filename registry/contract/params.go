package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

const (
	noSuchKey    = "no_such_parameter"
	noSuchOption = "no-such-option"
)

func (s *subject[T]) declares() string {
	described := namesOf(s.specs())
	for _, v := range s.variants {
		p := s.registry.Params(v.given, v.toy.setting)
		_, _ = s.entry.New(p) // it was built with them before
		if built := namesOf(p.Specs()); !slices.Equal(built, described) {
			return v.label(fmt.Sprintf("%v are described, %v declared", described, built))
		}
	}
	return ""
}

func namesOf(specs []fl.Spec) []string {
	var names []string
	for _, spec := range specs {
		names = append(names, spec.Name)
	}
	return names
}

func (s *subject[T]) defaults() string {
	given := s.variants[0].given
	for _, spec := range s.specs() {
		if _, ok := given[spec.Name]; !ok && spec.Default != nil {
			given = with(given, spec.Name, written(spec.Default))
		}
	}
	_, problems := s.attempt(given, s.variants[0].toy.setting)
	return say(problems)
}

// written returns a default as an experiment file would give it.
func written(v any) any {
	switch x := v.(type) {
	case int:
		return int64(x)
	case []int:
		var list []any
		for _, i := range x {
			list = append(list, int64(i))
		}
		return list
	case []float64:
		var list []any
		for _, f := range x {
			list = append(list, f)
		}
		return list
	}
	return v
}

func (s *subject[T]) ranges() string {
	for _, spec := range s.specs() {
		if spec.Range == nil {
			continue
		}
		whole := spec.Kind == "int" || spec.Kind == "ints"
		for _, x := range outside(*spec.Range, whole) {
			var value any = x
			switch spec.Kind {
			case "int":
				value = int64(x)
			case "floats":
				value = []any{x}
			case "ints":
				value = []any{int64(x)}
			}
			if found := s.accepted(spec.Name, value); found != "" {
				return found
			}
		}
	}
	return ""
}

// outside returns numbers next to the ends of a range that do not lie in it. For real
// numbers NaN is one of them.
func outside(in fl.Range, whole bool) []float64 {
	candidates := []float64{in.Lo, math.Nextafter(in.Lo, math.Inf(-1)),
		in.Hi, math.Nextafter(in.Hi, math.Inf(1)), math.Inf(-1), math.Inf(1), math.NaN()}
	if whole {
		candidates = []float64{math.Floor(in.Lo), math.Ceil(in.Lo) - 1,
			math.Ceil(in.Hi), math.Floor(in.Hi) + 1}
	}
	return slices.DeleteFunc(candidates, func(x float64) bool {
		// Whole numbers end where float64 skips some.
		return in.Has(x) || whole && math.Abs(x) > 1<<53
	})
}

func (s *subject[T]) types() string {
	for _, spec := range s.specs() {
		wrong := []any{"a word"}
		switch spec.Kind {
		case "int":
			wrong = append(wrong, 1.5)
		case "float", "floats", "ints":
			wrong = append(wrong, true)
		case "bool":
			wrong = append(wrong, int64(1))
		default: // of choices and components a word is the right type
			wrong = []any{int64(1), true}
		}
		for _, value := range wrong {
			if found := s.accepted(spec.Name, value); found != "" {
				return found
			}
		}
	}
	return ""
}

func (s *subject[T]) choices() string {
	for _, spec := range s.specs() {
		if spec.Kind != "choice" && !spec.Nested() {
			continue
		}
		if found := s.accepted(spec.Name, noSuchOption); found != "" {
			return found
		}
	}
	return ""
}

func (s *subject[T]) keys() string { return s.accepted(noSuchKey, int64(1)) }

// accepted says that a wrong value is accepted, or refused without naming its parameter.
func (s *subject[T]) accepted(name string, value any) string {
	first := s.variants[0]
	_, problems := s.attempt(with(first.given, name, value), first.toy.setting)
	for _, p := range problems {
		if p.Of(name) {
			return ""
		}
	}
	if len(problems) > 0 {
		return fmt.Sprintf("%s = %v is refused without its name: %s", name, value, say(problems))
	}
	return fmt.Sprintf("%s = %v is accepted", name, value)
}
