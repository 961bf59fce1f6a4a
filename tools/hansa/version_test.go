package main

import (
	"runtime"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/store"
)

// The command and the flag say the same: version, revision, Go, platform, and the kernels in use.
func TestVersion(t *testing.T) {
	command, said := try(t, exitOK, "version")
	if flag, _ := try(t, exitOK, "--version"); flag != command || said != "" {
		t.Errorf("version says\n%s%s, and --version\n%s", command, said, flag)
	}
	for _, want := range []string{"version ", "revision ", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH,
		"kernels    " + kernel.ISA()} {
		if !strings.Contains(command, want) {
			t.Errorf("%q is not in\n%s", want, command)
		}
	}
	try(t, exitUsage, "version", "2")
}

// A program of a modified source is dirty; of one without a revision that is said.
func TestVersionText(t *testing.T) {
	v := version{Build: store.Build{Revision: "abc", Modified: true, Go: "go1", Platform: "x/y",
		Compiled: []string{"sha256:1", "sha256:2"}}, module: "v1.2.3", kernels: "fast"}
	want := "hansa\n  version       v1.2.3\n  revision      abc, dirty\n  go            go1\n" +
		"  platform      x/y\n  kernels       fast\n  compiled in   sha256:1, sha256:2\n"
	if got := v.text(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (version{}).text(); !strings.Contains(got, "revision   unknown\n") ||
		!strings.Contains(got, "version    (devel)\n") {
		t.Errorf("%s", got)
	}
}
