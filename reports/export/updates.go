package export

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Round returns one round as numpy.load reads it: an archive of arrays. K is how many clients sent
// something, N how many there are, P how many parameters:
//
//	global               θᵗ⁻¹, P
//	next                 θᵗ, P; more where clients' models are adopted
//	clients              the clients, ascending, K
//	samples              nᵢ, as each of them states it, K
//	steps                local steps, K
//	times                how often each is counted, K
//	importance           p of all clients, N
//	updates/CLIENT       the parameters θᵢ that the client sent; not there where it sent none
//	payload/CLIENT/NAME  what it sent beside them
//	weights              of the updates in θᵗ, K; not there where θᵗ is no weighted sum
//	broadcast/NAME       what all clients are sent next, beside θᵗ
//	mail/CLIENT/NAME     what one client is sent next
//	server/NAME          what the aggregator keeps after the round
//	shared/NAME          what it and the selection both keep
//	state/CLIENT/NAME    what a client of the cohort keeps
//
// What is float32 is written as float64, which changes no number. The same round gives the same
// bytes.
func Round(o *engine.RoundRecord) ([]byte, error) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	w := &roundWriter{put: func(name string, content []byte) error {
		part, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = part.Write(content)
		}
		return err
	}}
	if err := cmp.Or(w.round(o), w.err, archive.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// round writes all arrays of a round.
func (w *roundWriter) round(o *engine.RoundRecord) error {
	w.vector("global", o.Seen.Global)
	w.vector("importance", o.Seen.Roster.Importance)
	w.vector("next", o.Outcome.Params)
	k := len(o.Seen.Updates)
	columns := map[string]fl.Vector{"clients": nil, "samples": nil, "steps": nil, "times": nil}
	for name := range columns {
		columns[name] = make(fl.Vector, k)
	}
	for i := range o.Seen.Updates {
		u := &o.Seen.Updates[i]
		columns["clients"][i], columns["samples"][i] = float64(u.Client), float64(u.Samples)
		columns["steps"][i], columns["times"][i] = float64(u.Steps), o.Seen.Count(i)
		id := strconv.Itoa(u.Client)
		if u.Params != nil {
			w.vector("updates/"+id, u.Params)
		}
		w.tensors("payload/"+id, u.Payload)
		kept, err := o.Client(u.Client)
		if err != nil {
			return err
		}
		w.state("state/"+id, kept)
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		w.vector(name, columns[name])
	}
	if o.Outcome.Weights != nil {
		w.vector("weights", o.Outcome.Weights)
	}
	w.tensors("broadcast", o.Outcome.Broadcast)
	for _, id := range slices.Sorted(maps.Keys(o.Outcome.Mail)) {
		w.tensors("mail/"+strconv.Itoa(id), o.Outcome.Mail[id])
	}
	w.state("server", o.Server)
	w.state("shared", o.Shared)
	return nil
}

// An UpdateIndex says in which folders training runs are.
type UpdateIndex struct {
	Folders []string // of the training runs asked for
	CSV     []byte   // folder, cell, method, the axes of the sweep, seed
}

// RunFolders names a folder for each of some training runs: method, point and seed.
func RunFolders(in infer.Input, cells []int) (*UpdateIndex, error) {
	part := in.Discreet() // names of folders are published as well
	all := part.Cells
	part.Cells, part.IDs = nil, nil
	labels := []string{}
	for _, i := range cells {
		part.Cells, part.IDs = append(part.Cells, all[i]), append(part.IDs, in.IDs[i])
		labels = append(labels, all[i].Label())
	}
	t, err := newLongTable(&part)
	if err != nil {
		return nil, err
	}
	columns := t.columns()
	columns = columns[:len(columns)-len(lastColumns)+1]
	lines := [][]string{slices.Concat([]string{"folder"}, columns)}
	index, files := &UpdateIndex{}, distinctFileNames(labels)
	for k := range part.Cells {
		c := &part.Cells[k]
		index.Folders = append(index.Folders, files[labels[k]])
		lines = append(lines, slices.Concat([]string{files[labels[k]], part.IDs[k], c.Method},
			t.point(c), []string{strconv.FormatUint(c.Seed, 10)}))
	}
	index.CSV, err = csvOf(lines)
	return index, err
}

// RoundFile returns the name of the file of a round: "round-0001.npz".
func RoundFile(round int) string { return fmt.Sprintf("round-%04d.npz", round) }

// A roundWriter hands over arrays until that fails.
type roundWriter struct {
	put func(name string, content []byte) error
	err error
}

func (w *roundWriter) vector(name string, v fl.Vector) {
	if w.err == nil {
		w.err = w.put(name+".npy", store.NPY(v, len(v)))
	}
}

func (w *roundWriter) matrix(name string, m fl.Matrix) {
	switch {
	case w.err != nil:
	case m.Rows == 1:
		w.vector(name, m.Data)
	default:
		w.err = w.put(name+".npy", store.NPY(m.Data, m.Rows, m.Cols))
	}
}

// tensors writes matrices under file names that are all different.
func (w *roundWriter) tensors(folder string, t fl.Tensors) {
	names := slices.Sorted(maps.Keys(t))
	files := distinctFileNames(names)
	for _, name := range names {
		w.matrix(folder+"/"+files[name], t[name])
	}
}

// state writes what a component keeps.
func (w *roundWriter) state(folder string, s *fl.Store) {
	if s == nil {
		return
	}
	names := s.Names()
	files := distinctFileNames(names)
	for _, name := range names {
		m, single, _ := s.Holds(name)
		if single != nil {
			m = fl.NewMatrix(1, len(single))
			for i, x := range single {
				m.Data[i] = float64(x)
			}
		}
		w.matrix(folder+"/"+files[name], m)
	}
}
