package view

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/leaderboard"
)

// auditRecords audits the methods of records at every point of the sweep, with the first seed, as
// hansa audit does. It leaves out what has code of the user's, which a record does not keep.
func auditRecords(records []*leaderboard.Record, data string) error {
	o := engine.Options{}
	o.Memo, o.DiskCache = engine.NewMemo(8), session.EncoderCache()
	o.Folders = session.Folders(".", data)
	for _, r := range records {
		r.Audits = map[string]leaderboard.Audited{}
		for _, i := range study.Arms(r.Cells) {
			c, id := r.Cells[i], r.IDs[i]
			if leaderboard.Own(&c) || !c.Is(id) {
				continue
			}
			f, err := auditAgain(c, id, o)
			if err != nil {
				return fault.Of(fmt.Errorf("--audit: %s: %w", c.Label(), err))
			}
			r.Audits[id] = leaderboard.NewAudited(f)
		}
	}
	return nil
}

// auditAgain audits a resolved cell, without what follows for the objective: no page shows that,
// and it takes an optimum for every method.
func auditAgain(c study.Cell, id string, o engine.Options) (*audit.Finding, error) {
	x, err := session.Rebuild([]study.Cell{c}, []string{id})
	if err != nil {
		return nil, err
	}
	setup, err := x.Setup(0)
	if err != nil {
		return nil, err
	}
	w, err := engine.Prepare(setup, o)
	if err != nil {
		return nil, err
	}
	return audit.Weigh(x.Cells[0], setup, w)
}
