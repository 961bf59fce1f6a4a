package cli

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// KindNames returns the names of kinds of components.
func KindNames(kinds []registry.Kind) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// FindKind finds a kind by its name; a plural is forgiven.
func FindKind(kinds []registry.Kind, name string) (registry.Kind, error) {
	for _, k := range kinds {
		if k.Name == name || k.Name == strings.TrimSuffix(name, "s") || k.Name == name+"s" {
			return k, nil
		}
	}
	for _, k := range kinds {
		for _, e := range k.Entries {
			if name == e.Name || name == k.Name+"/"+e.Name {
				return registry.Kind{}, fmt.Errorf("%q is a component, of kind %s; `%s` "+
					"describes it", name, k.Name, phrase.Hint("describe", name))
			}
		}
	}
	return registry.Kind{}, fmt.Errorf("there is no kind %q; %s", name,
		study.Suggest(name, KindNames(kinds)))
}
