package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/reports/export"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Updates are models and updates of the training runs of a run, which are written as NumPy arrays.
type Updates struct {
	Only  []string // filters of the training runs
	Data  string   // folder of data sets
	Out   string   // folder that gets one of the run's name
	Limit uint64   // bytes

	Say func(format string, args ...any)
}

// Write runs training runs that have a result again, and writes what clients sent and what servers
// did in each round. It returns the folder and how many training runs it has. It is an error if one
// comes to other numbers than before, or if all would take more than the limit.
func (u *Updates) Write(ctx context.Context, s *Subject) (folder string, n int, err error) {
	x, err := session.RebuildOnly(s.Run, s.Plan, u.Only, session.Budget)
	if err != nil {
		return "", 0, err
	}
	in := s.Gather(s.Run, s.Plan, nil)
	cells := withResults(x, in)
	if len(cells) == 0 {
		return "", 0, fault.Of(errors.New("no training run that is asked for has a result"))
	}
	if err := u.room(in, cells); err != nil {
		return "", 0, err
	}
	index, err := export.RunFolders(*in, cells)
	if err != nil {
		return "", 0, err
	}
	folder = filepath.Join(u.Out, filepath.Base(session.Real(s.Run.Dir)))
	if err := put(folder, "runs.csv", index.CSV); err != nil {
		return "", 0, fault.Unstorable(u.Out, err)
	}
	o := engine.Options{Workers: 1, Memo: engine.NewMemo(3), DiskCache: session.EncoderCache(),
		Folders: session.Folders(x.Folder, u.Data)}
	for k, i := range cells {
		o.Record = func(r *engine.RoundRecord) error {
			content, err := export.Round(r)
			if err != nil {
				return err
			}
			return put(folder, index.Folders[k]+"/"+export.RoundFile(r.Round), content)
		}
		u.Say("%s is run again, into %s", x.Cells[i].Label(),
			filepath.Join(folder, index.Folders[k]))
		if err := x.Replay(ctx, i, in.Results[in.IDs[i]], o); err != nil {
			return "", 0, fault.Of(err)
		}
	}
	return folder, len(cells), nil
}

// withResults returns the cells that are shown and have a result, each once.
func withResults(x *session.Experiment, in *infer.Input) (cells []int) {
	seen := map[string]bool{}
	for i, id := range in.IDs {
		if x.Shown[i] && in.Results[id] != nil && !seen[id] {
			seen[id] = true
			cells = append(cells, i)
		}
	}
	return cells
}

// room refuses what would take more than the limit.
func (u *Updates) room(in *infer.Input, cells []int) error {
	total := 0.0
	for _, i := range cells {
		r := in.Results[in.IDs[i]]
		total += 8 * float64(in.Cells[i].Rounds) * float64(r.Parameters) * (2 + max(r.Law.Mean, 1))
	}
	if total <= float64(u.Limit) {
		return nil
	}
	return fmt.Errorf("models and updates would take about %s, and --limit is %s: pick training "+
		"runs by --only, or raise --limit", host.Bytes(total), host.Bytes(float64(u.Limit)))
}

// put writes a file below a folder.
func put(folder, name string, content []byte) error {
	return host.Replace(filepath.Join(folder, filepath.FromSlash(name)),
		func(w io.Writer) error { _, err := w.Write(content); return err })
}
