package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Manifests are what tools/kubecheck holds to the types of Kubernetes.
func TestManifests(t *testing.T) {
	plain := tasks{program: "/data/runs/grid/bin/0f/hansa", run: "/data/runs/grid",
		submission: "20261122-070102-8f3a", number: 12, cpus: 1}
	strange := plain
	strange.run = `/data/it's "a $(HOME)" of 連邦: #1 \ &`
	strange.program = strange.run + "/bin/0f/hansa"
	strange.number, strange.cpus = 1, 4
	for name, c := range map[string]struct {
		pods
		tasks
	}{
		"simple": {pods{image: "debian:12-slim", claim: "lab", mount: plain.run, parallel: 256}, plain},
		"queue": {pods{image: "registry.lab/hansa@sha256:0f", claim: "lab", mount: "/data",
			parallel: 5, namespace: "fl", queue: "user-queue", memory: 4 << 30, user: 1000,
			group: 100}, plain},
		"strange": {pods{image: "debian:12-slim", claim: "lab", mount: strange.run, parallel: 1},
			strange},
	} {
		golden(t, filepath.Join("testdata", "kubernetes", name+".yaml"), c.manifest(&c.tasks))
	}
}

// Where pods see the run decides whether they can run it.
func TestMounts(t *testing.T) {
	data := t.TempDir()
	for _, c := range []struct{ mount, run, err, said string }{
		{"", "/runs/grid", "", "data in " + data + " are not"},
		{"/runs", "/runs/grid", "", "data in"},
		{filepath.Dir(data) + "/", filepath.Join(filepath.Dir(data), "..grid"), "", ""},
		{"/runs/gr", "/runs/grid", "the run is not in it", ""},
		{"", "/runs/a:b", "takes no colon", ""},
		{"/runs\n", "/runs\n/grid", "control characters", ""},
	} {
		var said strings.Builder
		p := pods{mount: c.mount}
		err := p.see(newCommand(nil, &said), c.run, []string{data, "/nowhere"})
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v", c, err)
		}
		if (said.Len() > 0) != (c.said != "") || !strings.Contains(said.String(), c.said) {
			t.Errorf("%+v: said %q", c, said.String())
		}
	}
}
