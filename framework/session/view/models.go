package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/weights"
	"github.com/hansa-fl/hansa/reports/export"
)

// Models are the final models of the training runs of a run, which are written as safetensors.
type Models struct {
	Only []string // filters of the training runs
	Data string   // folder of data sets
	Out  string   // folder that gets one of the run's name

	Say func(format string, args ...any)
}

// Write runs training runs that have a result again, and writes the model that each ends with. It
// says into which folder. It is an error if one comes to other numbers than before.
func (m *Models) Write(ctx context.Context, s *Subject) error {
	x, err := session.RebuildOnly(s.Run, s.Plan, m.Only, session.Budget)
	if err != nil {
		return err
	}
	in := s.Gather(s.Run, s.Plan, nil)
	cells := withResults(x, in)
	if len(cells) == 0 {
		return fault.Of(errors.New("no training run that is asked for has a result"))
	}
	index, err := export.RunFolders(*in, cells)
	if err != nil {
		return err
	}
	folder := filepath.Join(m.Out, filepath.Base(session.Real(s.Run.Dir)))
	o := engine.Options{Workers: 1, Memo: engine.NewMemo(3), DiskCache: session.EncoderCache(),
		Folders: session.Folders(x.Folder, m.Data)}
	for k, i := range cells {
		var last fl.Vector
		o.Record = func(r *engine.RoundRecord) error {
			if r.Outcome.Adopted != nil {
				return errors.New("it ends with models of clients, not with one model")
			}
			last = append(last[:0], r.Outcome.Params...)
			return nil
		}
		path := filepath.Join(folder, index.Folders[k]+".safetensors")
		m.Say("%s is run again, into %s", x.Cells[i].Label(), path)
		if err := x.Replay(ctx, i, in.Results[in.IDs[i]], o); err != nil {
			return fault.Of(fmt.Errorf("%s: %w", x.Cells[i].Label(), err))
		}
		if err := m.write(x, i, path, last); err != nil {
			return err
		}
	}
	m.Say("%s has the %s that training ended with", folder,
		phrase.Count(len(cells), "model", "models"))
	return nil
}

// write writes the model of a cell.
func (m *Models) write(x *session.Experiment, i int, path string, params fl.Vector) error {
	setup, err := x.Setup(i)
	if err != nil {
		return err
	}
	if params == nil {
		return fault.Of(fmt.Errorf("%s: no round has a model", x.Cells[i].Label()))
	}
	tensors, err := weights.Tensors(setup.Model.Layout(), params)
	if err != nil {
		return fault.Of(fmt.Errorf("%s: %w", x.Cells[i].Label(), err))
	}
	err = host.Replace(path, func(w io.Writer) error {
		return weights.Write(w, tensors, described(&x.Cells[i]))
	})
	if err != nil {
		return fault.Unstorable(m.Out, err)
	}
	return nil
}

// described says in a file whose model it is.
func described(c *study.Cell) map[string]string {
	return map[string]string{"format": "pt", "method": c.Method, "model": c.Picks["model"].Name,
		"seed": strconv.FormatUint(c.Seed, 10), "rounds": strconv.Itoa(c.Played())}
}
