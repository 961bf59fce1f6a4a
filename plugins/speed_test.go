package plugins

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/registry"
)

// What is built in is measured where calls of its kind have a size, and nothing else is.
func TestSpeedsAreMeasured(t *testing.T) {
	r := menu(t, func(*registry.Registry) error { return nil })
	for kind, name := range map[string]string{"local": "sgd", "aggregator": "fedavg",
		"enrollment": "everyone", "preprocess": "standardize", "availability": "always",
		"importance": "uniform"} {
		s, ok := MeasureSpeed(r, kind, name)
		if !ok || s.Took <= 0 || s.Kind != kind || s.Name != name ||
			!strings.HasPrefix(s.String(), s.Work+" takes ") {
			t.Errorf("%s %s: %+v, %t", kind, name, s, ok)
		}
	}
	for kind, name := range map[string]string{"metrics": "loss", "selection": "all",
		"partition": "iid", "model": "linear", "aggregator": "no-such"} {
		if s, ok := MeasureSpeed(r, kind, name); ok {
			t.Errorf("%s %s: %+v", kind, name, s)
		}
	}
}
