package registry_test

import (
	"encoding/json"
	"fmt"
	"reflect"
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
			"run was planned with sha256:1") {
			t.Errorf("%s %s: with other code: %s", kind, d.Name, text)
		}
	})
}

// sourced returns the menu as if all of it were one strategy with such a digest.
func sourced(t *testing.T, digest string) *registry.Registry {
	t.Helper()
	from, to := reflect.ValueOf(menu(t)).Elem(), new(registry.Registry)
	for i := range from.NumField() {
		table, own := from.Field(i).Addr(), reflect.ValueOf(to).Elem().Field(i).Addr()
		names := table.MethodByName("Names")
		if !names.IsValid() { // no table
			continue
		}
		for _, name := range names.Call(nil)[0].Interface().([]string) {
			got := table.MethodByName("Get").Call([]reflect.Value{reflect.ValueOf(name)})[0]
			e := reflect.New(got.Type()).Elem()
			e.Set(got)
			e.FieldByName("Source").SetString(digest)
			if err := own.MethodByName("Add").Call([]reflect.Value{e})[0]; !err.IsNil() {
				t.Fatal(err)
			}
		}
	}
	return to
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
