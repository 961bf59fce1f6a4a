package exam

import (
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/plugins"
)

// No sample loops over parameters, of whichever kind it is; what does is recognised.
func TestSamplesDoNotLoopOverParameters(t *testing.T) {
	paths, err := filepath.Glob("../../../plugins/samples/*/*.toml")
	if err != nil || len(paths) < 9 {
		t.Fatal(err, paths)
	}
	loops := map[string]bool{"local pull": true, "aggregator loop-median": true}
	seen := 0
	for _, path := range append(paths, "../../../plugins/testdata/kinds/local.go",
		"../../../plugins/testdata/kinds/aggregator.go") {
		if filepath.Ext(path) == ".toml" {
			path = filepath.Dir(path)
		}
		source, err := plugins.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		exam := new(plugins.Exam)
		r, list, err := (&Order{Sources: []plugins.Source{source}}).load(exam)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list[0].Entries {
			if e.Kind != "local" && e.Kind != "aggregator" {
				continue
			}
			seen++
			before := exam.Begun()
			if got := plugins.LoopsOverParameters(r, e.Kind, e.Name, exam); got != loops[e.Kind+" "+e.Name] {
				t.Errorf("%s %s: loops is %v, %d statements", e.Kind, e.Name, got, exam.Begun()-before)
			}
		}
	}
	if seen < 11 {
		t.Errorf("%d components are asked", seen)
	}
}
