package plugins

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/plugins/policy"
)

// Strategies link neither the interpreter's standard library nor a network.
func TestNothingElseIsLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, path := range []string{"github.com/traefik/yaegi/stdlib", "net", "net/http", "plugin",
		"github.com/traefik/yaegi/extract"} {
		if slices.Contains(deps, path) {
			t.Errorf("plugins links %s", path)
		}
	}
	if len(deps) < 50 {
		t.Errorf("only %d packages are linked: %v", len(deps), deps)
	}
}

// What is not in the policy cannot be had, whatever is written.
func TestTheSandboxHolds(t *testing.T) {
	for _, path := range []string{"os", "net", "net/http", "reflect", "unsafe", "syscall", "C",
		"runtime", "time", "sync", "io", "os/exec", "hansa/lowered", "hansa/stop", "../evil",
		"github.com/hansa-fl/hansa/registry", "github.com/hansa-fl/hansa/framework/kernel", "fl"} {
		text := "package feature\n\nimport x \"" + path + "\"\n\nvar _ = x.Y\n\nfunc Run() {}\n"
		_, refused := interpret(t.Context(), "x", program{text, "Run"})
		if !strings.Contains(refused, "strategies may not import") {
			t.Errorf("import of %s: %q", path, refused)
		}
	}
	if len(policy.Packages()) == 0 {
		t.Error("strategies may import nothing")
	}
}
