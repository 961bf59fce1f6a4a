package data

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// InspectTrace has the file of a trace read within the time for it and reports what is wrong with
// it. It returns what was read, whether that is all of the file, and whether nothing is wrong.
func InspectTrace[T any](
	i *fl.Inspection, name string, read func(folders []string, m *Mistakes) (T, error),
) (held T, whole, sound bool) {
	over, stop := i.Start()
	defer stop()
	m := &Mistakes{Over: over}
	held, err := read(i.Folders, m)
	if lost := new(MissingError); errors.As(err, &lost) {
		i.Lack("trace", strings.TrimPrefix(err.Error(), lost.Set+": "))
		return held, false, false
	}
	found := m.List()
	if err != nil {
		found = append(found, err)
	}
	for _, err := range found {
		i.Fail("trace", "%v", err)
	}
	if m.Partial != "" {
		i.Partial = append(i.Partial, fmt.Sprintf("trace %s: %s", name, m.Partial))
	}
	return held, m.Partial == "", len(found) == 0
}
