package framework

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the import path of the house.
const module = "github.com/hansa-fl/hansa/"

// floors lists what each folder may import from this module, bottom first.
// It is a statement of policy: do not relax it to make a build pass.
const floors = `
framework/kernel:
framework/tensor:   framework/kernel
framework/ot:       framework/kernel framework/tensor
framework/stats:    framework/kernel framework/tensor
framework/privacy:  framework/tensor
framework/fl:       framework/tensor
framework/nn:       framework/kernel framework/tensor framework/fl
framework/fuse:     framework/kernel framework/tensor framework/ot framework/fl
framework/host:
framework/data:     framework/tensor framework/fl framework/host
framework/weights:  framework/tensor framework/fl framework/host
framework/study:    framework/host
framework/tune:     framework/study
framework/engine:   framework/tensor framework/fl framework/study framework/host
framework/audit:    framework/tensor framework/ot framework/stats framework/fl framework/engine framework/study
framework/store:    framework/engine framework/study
framework/launch:    framework/session/phrase
framework/launch/clusters: framework/launch framework/study
framework/diagnose: framework/kernel framework/host framework/data framework/store framework/launch framework/session/fault framework/session/phrase
framework/session:  framework registry builtin plugins reports/infer reports/verdict
framework/session/fault:
framework/session/view: framework framework/session registry builtin plugins reports
framework/session/phrase:
framework/session/settings: framework/store framework/study
registry:           framework
builtin:            framework registry
plugins:            framework registry
reports/infer:      framework
reports/verdict:    framework reports/infer
reports/table:      framework reports/infer reports/verdict
reports/export:     framework reports/infer
reports/render:     framework reports/infer reports/table reports/export
reports/chart:      framework reports/infer reports/table
reports/figure:     framework reports/infer reports/verdict reports/table reports/chart
reports/page:       framework reports
reports/leaderboard: framework reports
reports/reportstest: framework reports/infer reports/table
tools:              framework framework/session registry builtin plugins reports
tools/hansa/console: framework framework/session
tools/hansa/cli:    framework framework/session registry tools/hansa/console
`

// upper lists the folders of framework that stand above the registry: framework alone does not
// allow them.
var upper = []string{"framework/session"}

func TestImportsPointDown(t *testing.T) {
	may := readFloors()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			to, ours := strings.CutPrefix(imported, module)
			if from := filepath.ToSlash(filepath.Dir(path)); ours && !allowed(may, from, to) {
				t.Errorf("%s imports %s: %s may import only %v", path, to, from, floorOf(may, from))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPolicyHasTeeth shows the rule failing where it must.
func TestPolicyHasTeeth(t *testing.T) {
	may := readFloors()
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"framework/kernel", "framework/tensor", false},
		{"framework/ot", "framework/fl", false},
		{"framework/fl", "registry", false},
		{"framework/launch/slurm", "framework/study", false},
		{"framework/launch/clusters", "framework/launch/slurm", true},
		{"reports/table", "builtin/aggregator", false},
		{"reports/infer", "reports/table", false},
		{"registry", "framework/session/phrase", false},
		{"reports/page", "framework/session", false},
		{"framework/session/settings", "registry", false},
		{"framework/session", "framework/session/settings", true},
		{"tools/hansa", "framework/session", true},
		{"tools/hansa", "reports", true},
		{"tools/hansa/cli", "tools/hansa/console", true},
		{"tools/hansa/cli", "reports/render", false},
		{"tools/hansa/console", "tools/hansa/cli", false},
		{"builtin/aggregator", "framework/ot", true},
		{"registry/contract", "registry", true},
		{"nowhere", "framework/fl", false},
	} {
		if got := allowed(may, c.from, c.to); got != c.want {
			t.Errorf("%s imports %s: allowed = %t, want %t", c.from, c.to, got, c.want)
		}
	}
}

// readFloors returns, for every folder of the policy, the folders it may import.
func readFloors() map[string][]string {
	may := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(floors)) {
		folder, below, _ := strings.Cut(strings.TrimSpace(line), ":")
		may[folder] = append(strings.Fields(below), folder)
	}
	return may
}

func allowed(may map[string][]string, from, to string) bool {
	return slices.ContainsFunc(floorOf(may, from), func(below string) bool {
		above := slices.ContainsFunc(upper, func(u string) bool { return within(to, u) })
		return within(to, below) && (below != "framework" || !above)
	})
}

// floorOf returns what the folder of the policy that holds path may import: of several the
// innermost.
func floorOf(may map[string][]string, path string) []string {
	innermost := ""
	for folder := range may {
		if within(path, folder) && len(folder) > len(innermost) {
			innermost = folder
		}
	}
	return may[innermost]
}

func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
