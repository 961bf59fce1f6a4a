package leaderboard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Decode reads what Encode wrote. It refuses a file of another form, one that is not whole, and one
// that was changed: its checksum, or the hash of its training runs, is then not that of its
// content.
func Decode(text []byte) ([]*Record, error) {
	var is struct{ Format string }
	if err := json.Unmarshal(text, &is); err != nil {
		return nil, fmt.Errorf("it is no whole JSON: %w", err)
	}
	if is.Format != form {
		return nil, fmt.Errorf("its format is %.40q, and this version of hansa reads %q", is.Format,
			form)
	}
	if err := unchanged(text); err != nil {
		return nil, err
	}
	var file struct {
		Runs []storedRun
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	if len(file.Runs) == 0 {
		return nil, errors.New("it has no runs")
	}
	var records []*Record
	for i := range file.Runs {
		r, err := file.Runs[i].unpacked()
		if err != nil {
			return nil, fmt.Errorf("run %q: %w", file.Runs[i].Name, err)
		}
		records = append(records, r)
	}
	return records, nil
}

// unchanged verifies the checksum of a file.
func unchanged(text []byte) error {
	rest, ok := bytes.CutPrefix(text, []byte(formHead+form+sumHead))
	if !ok || len(rest) < len(noSum()) || !bytes.HasSuffix(text, []byte(fileTail)) {
		return errors.New("it was written by another program, or changed")
	}
	at := len(text) - len(rest)
	blank := bytes.Clone(text)
	copy(blank[at:], noSum())
	sum := sha256.Sum256(blank)
	if hex.EncodeToString(sum[:]) != string(rest[:len(noSum())]) {
		return errors.New("its checksum is not that of its content: it is damaged, or was changed")
	}
	return nil
}

// An unpacker makes a Record of a storedRun.
type unpacker struct {
	*storedRun
	record *Record
	arms   []study.Cell
	rounds [][]int
}

// unpacked returns the record that a file has.
func (s *storedRun) unpacked() (*Record, error) {
	r := &Record{Run: infer.Run{Name: s.Name, Input: infer.Input{
		Title: s.Title, Command: s.Command, Hash: s.Hash, Report: s.Report,
		References: s.References, Tuning: s.Tuning, Builds: s.Builds, Strategies: s.Strategies,
		Results: map[string]*engine.Result{}, Failures: map[string]string{},
		Volatile: map[string][]engine.Series{}, Costs: map[string]*engine.Cost{},
		Compiled: map[string][]string{}, Unexamined: map[string]bool{},
		Curves: map[string]string{}}},
		ClaimsOnly: s.ClaimsOnly, Made: s.Made, Digests: map[string]string{},
		Audits: map[string]Audited{}}
	if s.Verdicts != nil {
		r.Verdicts = *s.Verdicts
	}
	u := &unpacker{storedRun: s, record: r}
	if err := u.lists(); err != nil {
		return nil, err
	}
	for _, cell := range s.Cells {
		if cell == nil {
			return nil, errors.New("it has a training run that is null")
		}
		if err := u.cell(cell); err != nil {
			return nil, err
		}
	}
	if err := choices(s.Tuning); err != nil {
		return nil, err
	}
	if len(s.Cells) == 0 && s.ClaimsOnly { // verdicts that were given without their run
		return r, nil
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if s.Hash != "" && s.Hash != store.HashOf(r.IDs) {
		return nil, errors.New("its training runs are not those of its plan")
	}
	for digest, cells := range s.Compiled {
		for _, i := range cells {
			id, err := at(r.IDs, i, "training run")
			if err != nil {
				return nil, err
			}
			r.Compiled[digest] = append(r.Compiled[digest], id)
		}
	}
	for _, digest := range s.Unexamined {
		r.Unexamined[digest] = true
	}
	return r, nil
}

// lists unpacks what cells share.
func (u *unpacker) lists() error {
	for _, one := range u.Rounds {
		list, err := one.rounds()
		if err != nil {
			return err
		}
		u.rounds = append(u.rounds, list)
	}
	for i := range u.Arms {
		c, err := u.arm(&u.Arms[i])
		if err != nil {
			return err
		}
		u.arms = append(u.arms, c)
	}
	return nil
}

// choices wants a value for every parameter that was chosen.
func choices(t *store.Tuning) error {
	if t == nil {
		return nil
	}
	for i := range t.Chosen {
		if c := &t.Chosen[i]; len(c.Values) != len(c.Paths) {
			return fmt.Errorf("%d values were chosen for %d parameters of %s", len(c.Values),
				len(c.Paths), c.Method)
		}
	}
	return nil
}

// at returns an element of a list, or says that it has none there.
func at[T any](list []T, i int, what string) (one T, err error) {
	if i < 0 || i >= len(list) {
		return one, fmt.Errorf("it names %s %d of %d", what, i, len(list))
	}
	return list[i], nil
}

// arm returns the first cell of an arm, without seeds.
func (u *unpacker) arm(a *storedArm) (c study.Cell, err error) {
	frame, err := at(u.Frames, a.Frame, "frame")
	if err != nil {
		return c, err
	}
	whole, picks := fields{}, fields{}
	for key, value := range frame {
		whole[key] = value
	}
	for _, k := range a.Picks {
		p, err := at(u.Picks, k, "component")
		if err != nil {
			return c, err
		}
		picks[p.Slot] = p.Pick
	}
	if whole["Picks"], err = json.Marshal(picks); err != nil {
		return c, err
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, err
	}
	c.Method, c.Role, c.Parent, c.Point = a.Method, a.Role, a.Parent, a.Point
	return c, nil
}

// cell adds a cell.
func (u *unpacker) cell(s *storedCell) error {
	r := u.record
	c, err := at(u.arms, s.Arm, "method")
	if err != nil {
		return err
	}
	c.Seed, c.DataSeed = s.Seed, s.Seed
	if s.DataSeed != nil {
		c.DataSeed = *s.DataSeed
	}
	c.Point = slices.Clone(c.Point)
	id := s.ID
	if id == "" {
		id = c.ID()
	}
	r.Cells, r.IDs = append(r.Cells, c), append(r.IDs, id)
	if s.Failure != "" {
		r.Failures[id] = s.Failure
	}
	if s.Audit != nil {
		r.Audits[id] = *s.Audit
	}
	if s.Kind == nil {
		return nil
	}
	if err := u.result(id, s); err != nil {
		return fmt.Errorf("%s: %w", c.Label(), err)
	}
	return nil
}

// result adds the result of a cell.
func (u *unpacker) result(id string, s *storedCell) error {
	kind, err := at(u.Kinds, *s.Kind, "kind")
	if err != nil {
		return err
	}
	r := &engine.Result{ID: id, Seed: s.Seed, Parameters: kind.Parameters, Observed: s.Observed}
	var errs [2]error
	r.Rounds, errs[0] = at(u.rounds, kind.Rounds, "rounds")
	r.Law, errs[1] = at(u.Laws, kind.Law, "law")
	metrics, err := at(u.Metrics, kind.Metrics, "metrics")
	if err := cmp.Or(errs[0], errs[1], err); err != nil {
		return err
	}
	if len(metrics) != len(s.Values) {
		return fmt.Errorf("it has values of %d metrics, not of %d", len(s.Values), len(metrics))
	}
	for _, k := range kind.Notes {
		text, err := at(u.Notes, k, "note")
		if err != nil {
			return err
		}
		r.Notes = append(r.Notes, text)
	}
	for i, m := range metrics {
		x := engine.Series{Key: m.Key, Unit: m.Unit, Higher: m.Higher, Describes: m.Describes,
			Values: s.Values[i : i+1]}
		if m.Volatile {
			u.record.Volatile[id] = append(u.record.Volatile[id], x)
		} else {
			r.Series = append(r.Series, x)
		}
	}
	u.record.Results[id], u.record.Digests[id] = r, s.Digest
	u.record.Curves[id] = s.Curves
	return u.cost(id, kind, s)
}

// cost adds what a cell took, where that is known.
func (u *unpacker) cost(id string, kind storedKind, s *storedCell) error {
	if kind.Cost == nil {
		return nil
	}
	c, err := at(u.Costs, *kind.Cost, "cost")
	if err != nil {
		return err
	}
	if s.Seconds != nil {
		c.Server, c.Preprocess, c.Clients = s.Seconds[0], s.Seconds[1], s.Seconds[2]
	}
	u.record.Costs[id] = &c
	return nil
}
