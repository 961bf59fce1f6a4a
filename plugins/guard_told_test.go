package plugins

import (
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins/vet"
)

// A selection that writes to the updates that it is told ends its cell, and the error says where.
func TestToldUpdatesAreReadOnly(t *testing.T) {
	const text = `package bad

import "github.com/hansa-fl/hansa/framework/fl"

var Entry = fl.SelectionEntry{Name: "bad", Summary: "writes to the updates that it is told",
	New:    func(*fl.Params) (fl.Selection, error) { return &rule{}, nil },
	Traits: fl.SelectionTraits{Updates: true, SquaredLosses: true}}

type rule struct{}

func (*rule) Select(d *fl.SelectionInput) []int {
	for _, i := range d.Available {
		if told := d.Told(i); told.Round >= 0 && told.RMS > 0 {
			told.Update.§
		}
	}
	return d.Available
}

func (*rule) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
`
	for call, want := range map[string]string{
		"Sum()": "",
		"Scale(2)": "round 2: told.go:17:2: bad: Select: changed an Update of d.Told, " +
			"which it may only read",
	} {
		source := NewSource("told.go", []vet.File{{Name: "told.go",
			Text: strings.Replace(text, "§", call, 1)}})
		s, err := Load(t.Context(), source, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Replace(setting, `selection    = "all"`,
			"selection = \"bad\"\nlaw = \"unknown\"", 1)
		_, err = run(menu(t, s.Register), cellsOf(t, lines)[0], 2)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}
