package toolbox

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// componentsOf returns the components that an experiment names, each as "kind/name"; nil without
// one.
func componentsOf(spec *study.Spec) map[string]bool {
	if spec == nil {
		return nil
	}
	used := map[string]bool{}
	cells, _ := spec.Expand() // with what there is
	for i := range cells {
		for slot, p := range cells[i].Picks {
			used[slot+"/"+p.Name] = true
		}
		for _, p := range cells[i].Preprocess {
			used["preprocess/"+p.Name] = true
		}
	}
	return used
}

// SetWords are what --set takes, each with a tab and what it means behind it.
type SetWords struct {
	kinds []registry.Kind
	used  map[string]bool // components that matter; nil: all
}

// NewSetWords returns what --set takes of an experiment, or of any where there is none.
func NewSetWords(kinds []registry.Kind, spec *study.Spec) *SetWords {
	return &SetWords{slices.Concat(kinds, registry.Borrowers(kinds)), componentsOf(spec)}
}

// withMeaning returns a word that a shell shows with what it means.
func withMeaning(word, meaning string) string { return word + "\t" + meaning }

// Keys returns what stands before =, with what it means.
func (s *SetWords) Keys() []string {
	var words []string
	for _, key := range study.SettingKeys() {
		if key == "metrics" {
			continue // a list of tables is nothing for a command line
		}
		meaning := ""
		for _, k := range s.kinds {
			if k.Name == key {
				meaning = k.Meaning
			}
		}
		words = append(words, withMeaning(key+"=", meaning))
	}
	s.params(func(path string, p fl.Spec) {
		words = append(words, withMeaning(path+"=", p.Doc))
	})
	return words
}

// Values returns what may stand behind = where that is one of a few words.
func (s *SetWords) Values(key string) []string {
	var words []string
	offer := func(value, meaning string) {
		words = append(words, withMeaning(key+"="+value, meaning))
	}
	components := func(kind string) {
		for _, k := range s.kinds {
			if k.Name != kind {
				continue
			}
			for _, e := range k.Entries {
				offer(e.Name, e.Summary)
			}
		}
	}
	components(key)
	s.params(func(path string, p fl.Spec) {
		switch {
		case path != key:
		case p.Kind == "bool":
			offer("true", "")
			offer("false", "")
		case p.Nested():
			components(p.Kind)
		default:
			for _, o := range p.Options {
				offer(o, "")
			}
		}
	})
	for _, o := range study.Words(key) {
		offer(o, "")
	}
	if key == "oracle" {
		offer("true", "")
		offer("false", "")
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// params visits the parameters of the components that matter, by their paths in a setting.
func (s *SetWords) params(visit func(path string, p fl.Spec)) {
	for _, k := range s.kinds {
		if k.Name == "metrics" || !slices.Contains(study.SettingKeys(), k.Name) {
			continue
		}
		for _, e := range k.Entries {
			if s.used != nil && !s.used[k.Name+"/"+e.Name] {
				continue
			}
			path := k.Name
			if path == "preprocess" {
				path += "." + e.Name
			}
			for _, p := range e.Params {
				visit(path+"."+p.Name, p)
			}
		}
	}
}
