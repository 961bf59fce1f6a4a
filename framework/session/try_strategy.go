package session

import (
	"context"
	"fmt"

	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/draft"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// TryStrategy interprets a strategy in a worker process, as runs do. Its error is why that cannot
// be, or which requirement the strategy violates.
func TryStrategy(ctx context.Context) error {
	text, err := draft.Draft{Kind: "aggregator"}.Template("mine.go")
	if err != nil {
		return err
	}
	source := plugins.NewSource("mine.go", []vet.File{{Name: "mine.go", Text: text}})
	s, err := plugins.Load(ctx, source, exam.Budget)
	if err != nil {
		return err
	}
	found, err := examineApart(ctx, s, false)
	if err == nil && len(found.Violations) > 0 {
		err = fmt.Errorf("%s: %s", found.Violations[0].Check, found.Violations[0].Found)
	}
	return err
}
