package registry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// A resolved cell that was stored composes to itself, whichever of its components are the user's:
// those within others, too. With other code it does not.
func TestStoredCellsOfStrategiesAreFixed(t *testing.T) {
	r, changed := sourced(t, "sha256:1"), sourced(t, "sha256:2")
	everyComponent(t, r, func(c study.Cell, kind string, d registry.Description) {
		s, resolved := compose(t, r, with(c, kind, study.Pick{Name: d.Name, Params: d.Example}))
		back := stored(t, resolved)
		if len(back.Sources()) == 0 {
			t.Fatalf("%s %s: the code is not in the resolved cell", kind, d.Name)
		}
		again, _ := compose(t, r, back)
		if again.ID != s.ID {
			t.Errorf("%s %s: stored and composed again it is another cell", kind, d.Name)
		}
		_, _, problems := changed.Compose(back)
		if text := fmt.Sprint(problems); !strings.Contains(text, "its code is sha256:2, and the "+
			"cell was planned with sha256:1") {
			t.Errorf("%s %s: with other code: %s", kind, d.Name, text)
		}
	})
}

// sourced returns the menu as if all of it were one strategy with such a digest.
func sourced(t *testing.T, digest string) *registry.Registry {
	t.Helper()
	from, to := menu(t), new(registry.Registry)
	err := errors.Join(
		disguise(&to.Sources, &from.Sources, digest),
		disguise(&to.Partitioners, &from.Partitioners, digest),
		disguise(&to.Preprocessors, &from.Preprocessors, digest),
		disguise(&to.Importances, &from.Importances, digest),
		disguise(&to.Models, &from.Models, digest),
		disguise(&to.LocalRules, &from.LocalRules, digest),
		disguise(&to.Optimizers, &from.Optimizers, digest),
		disguise(&to.Enrollments, &from.Enrollments, digest),
		disguise(&to.Availability, &from.Availability, digest),
		disguise(&to.Selections, &from.Selections, digest),
		disguise(&to.Aggregators, &from.Aggregators, digest),
		disguise(&to.Metrics, &from.Metrics, digest))
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func disguise[T any](to, from *registry.Table[T], digest string) error {
	var errs []error
	for _, name := range from.Names() {
		e, _ := from.Get(name)
		e.Source = digest
		errs = append(errs, to.Add(e))
	}
	return errors.Join(errs...)
}

// stored returns a cell as it comes back from JSON.
func stored(t *testing.T, c study.Cell) (back study.Cell) {
	t.Helper()
	text, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}
