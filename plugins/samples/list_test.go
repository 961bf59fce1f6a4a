package samples

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
)

// The list that the program carries is what the samples describe when they are loaded, and the
// files that it carries are those of the folder.
func TestTheListIsWhatTheSamplesDescribe(t *testing.T) {
	var want []Sample
	for _, name := range Names() {
		texts, err := Files(name)
		if err != nil {
			t.Fatal(err)
		}
		var code []vet.File
		for _, file := range slices.Sorted(maps.Keys(texts)) {
			if file != name+".toml" {
				code = append(code, vet.File{Name: file, Text: texts[file]})
			}
		}
		s, err := plugins.Load(t.Context(), plugins.NewSource(name, code), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		r := new(registry.Registry)
		if err := s.Register(r); err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Kinds() {
			for _, e := range k.Entries {
				want = append(want, Sample{Folder: name, Kind: k.Name, Name: e.Name,
					Summary: e.Summary})
			}
		}
	}
	have, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range want {
		if !slices.Contains(have, s) {
			t.Errorf("the list lacks %+v", s)
		}
	}
	if len(have) != len(want) || len(have) < 12 {
		t.Errorf("%d components, want %d", len(have), len(want))
	}
	if _, err := Files("../nearest-model"); err == nil {
		t.Error("a folder that is no sample is read")
	}
}
