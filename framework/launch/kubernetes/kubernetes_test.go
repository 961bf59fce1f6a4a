package kubernetes

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/launch"
)

var update = flag.Bool("update", false, "rewrite what tests expect")

// Manifests are what tools/kubecheck holds to the types of Kubernetes.
func TestManifests(t *testing.T) {
	plain := launch.Export{Program: "/data/runs/grid/bin/0f/hansa", Run: "/data/runs/grid",
		Submission: "20261122-070102-8f3a", Tasks: 12, CPUs: 1}
	strange := plain
	strange.Run = `/data/it's "a $(HOME)" of 連邦: #1 \ &`
	strange.Program = strange.Run + "/bin/0f/hansa"
	strange.Tasks, strange.CPUs = 1, 4
	for name, c := range map[string]struct {
		Pods
		launch.Export
	}{
		"simple": {Pods{Image: "debian:12-slim", Claim: "lab", Mount: plain.Run, Parallel: 256}, plain},
		"queue": {Pods{Image: "registry.lab/hansa@sha256:0f", Claim: "lab", Mount: "/data",
			Parallel: 5, Namespace: "fl", Queue: "user-queue", Memory: 4 << 30, User: 1000,
			Group: 100}, plain},
		"strange": {Pods{Image: "debian:12-slim", Claim: "lab", Mount: strange.Run, Parallel: 1},
			strange},
	} {
		path, got := filepath.Join("testdata", name+".yaml"), Manifest(&c.Export, &c.Pods)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil || got != string(want) {
			t.Errorf("%s differs (go test -update rewrites it): %v\ngot:\n%s\nwant:\n%s", path, err, got,
				want)
		}
	}
}

// Where pods see the run decides whether they can run it.
func TestMounts(t *testing.T) {
	data := t.TempDir()
	for _, c := range []struct {
		mount, run, err string
		unseen          []string
	}{
		{"", "/runs/grid", "", []string{data}},
		{"/runs", "/runs/grid", "", []string{data}},
		{filepath.Dir(data) + "/", filepath.Join(filepath.Dir(data), "..grid"), "", nil},
		{"/runs/gr", "/runs/grid", "the run is not in it", nil},
		{"", "/runs/a:b", "takes no colon", nil},
		{"/runs\n", "/runs\n/grid", "control characters", nil},
	} {
		p := Pods{Mount: c.mount}
		unseen, err := p.Settle(c.run, []string{data, "/nowhere"})
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v", c, err)
		}
		if !slices.Equal(unseen, c.unseen) {
			t.Errorf("%+v: they do not see %q", c, unseen)
		}
	}
}
