package policy_test

import (
	"slices"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
	"github.com/hansa-fl/hansa/plugins/policy"
	"github.com/hansa-fl/hansa/plugins/symbols"
)

// What strategies of earlier versions named has a name now that strategies may use.
func TestRenamedNamesAreThere(t *testing.T) {
	const path = "github.com/hansa-fl/hansa/framework/fl"
	now := symbols.Table()[path+"//fl"]
	for _, old := range []string{"Reach", "Draw", "Enrolling", "Summary", "Combining", "Moving"} {
		name := strings.TrimSuffix(strings.TrimPrefix(policy.Advice(path, old), "it is called fl."), " now")
		if _, there := now[name]; !there {
			t.Errorf("%s is called %q now, which is not there", old, name)
		}
	}
}

// Nothing that reaches out of a strategy is on the list.
func TestNothingReachesOut(t *testing.T) {
	var paths []string
	for _, p := range policy.Packages() {
		paths = append(paths, p.Path)
	}
	if !slices.IsSorted(paths) {
		t.Errorf("not sorted: %v", paths)
	}
	for _, path := range paths {
		for _, out := range []string{"os", "io", "net", "syscall", "unsafe", "reflect", "runtime",
			"time", "sync", "log", "plugin", "embed", "context"} {
			if path == out || strings.HasPrefix(path, out+"/") {
				t.Errorf("strategies may import %s", path)
			}
		}
	}
}

func TestAdvice(t *testing.T) {
	for _, c := range []struct{ path, name, want string }{
		{"math/rand/v2", "Float64", "RNG"},
		{"fmt", "Println", "Notes.Add"},
		{"github.com/hansa-fl/hansa/framework/fl", "ModelEntry", "builtin/"},
		{"github.com/hansa-fl/hansa/framework/fl", "Reach", "it is called fl.AvailabilityInput now"},
		{"github.com/hansa-fl/hansa/framework/fl", "AvailabilityInput", ""},
		{"math", "Reach", ""},
		{"math", "Sqrt", ""},
	} {
		got := policy.Advice(c.path, c.name)
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s.%s: %q, want %q", c.path, c.name, got, c.want)
		}
	}
	for member, want := range map[string]string{"Adopt": "Adopted:", "Broadcast": "Broadcast:",
		"Scratch": ""} {
		if got := policy.Former("Round", member); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("Round.%s: %q, want %q", member, got, want)
		}
	}
	if policy.Instead("time") == "" || policy.Instead("math") != "" {
		t.Error("what to use instead of a package is wrong")
	}
}
