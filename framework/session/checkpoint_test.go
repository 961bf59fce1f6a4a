package session

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/store"
)

// Where an array could not be stored, the progress is not worth saving: the cell would go on
// without the array.
func TestSpoiltProgressIsNotSaved(t *testing.T) {
	id := strings.Repeat("ab12", 16)
	k := keeper{run: store.Run{Dir: t.TempDir()},
		numerics: func() (string, error) { return "these", nil }}
	p := &engine.Progress{Aggregator: fl.NewStore(), Nature: fl.NewStore(), Server: fl.NewStore(),
		Notes: new(fl.Notes)}
	for _, k.spoilt = range []bool{true, false} {
		k.save(id, p)
		if got, err := k.run.LoadCheckpoint(id, k.numerics); err != nil || (got == nil) != k.spoilt {
			t.Errorf("spoilt %t: %v, %v", k.spoilt, got, err)
		}
	}
}
