package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
)

// Replay runs a cell again, from its first round to its last: record is told of each round. An
// error says that it came to other numbers than before.
func (x *Experiment) Replay(
	ctx context.Context, i int, before *engine.Result, o engine.Options,
) error {
	s, err := x.Setup(i)
	if err != nil {
		return err
	}
	again, err := engine.Run(ctx, s, o)
	if err != nil {
		return err
	}
	was, errWas := json.Marshal(before.Series)
	is, errIs := json.Marshal(again.Series)
	if err := errors.Join(errWas, errIs); err != nil {
		return err
	}
	if string(was) != string(is) {
		return fmt.Errorf("%s comes to other numbers than the run has: this is another version of "+
			"hansa, or another processor",
			x.Cells[i].Label())
	}
	return nil
}
