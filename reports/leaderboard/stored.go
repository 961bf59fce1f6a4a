package leaderboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/table"
)

// A storedRun is a Record as a file has it. What many cells share stands once, in lists, and cells
// name it by its place there, from 0.
type storedRun struct {
	Name       string            `json:"name"`
	Title      string            `json:"title"`
	Command    string            `json:"command"` // that makes the run
	Hash       string            `json:"hash"`    // of the identities of all cells of the plan
	ClaimsOnly bool              `json:"claims_only,omitempty"`
	Made       []Made            `json:"made,omitempty"`
	Builds     []string          `json:"builds,omitempty"`
	Report     study.Report      `json:"report"`
	References []study.Reference `json:"references,omitempty"`
	Tuning     *store.Tuning     `json:"tuning,omitempty"`
	Strategies map[string]string `json:"strategies,omitempty"` // names of files, by digest
	Unexamined []string          `json:"unexamined,omitempty"` // digests
	Compiled   map[string][]int  `json:"compiled,omitempty"`   // cells, by digest
	Verdicts   *table.ClaimSet   `json:"verdicts,omitempty"`
	Notes      []string          `json:"notes,omitempty"`
	Laws       []engine.LawFacts `json:"laws"`
	Costs      []engine.Cost     `json:"costs"`   // what is counted, without seconds of clocks
	Rounds     []storedRounds    `json:"rounds"`  // that final values are means over
	Metrics    [][]storedMetric  `json:"metrics"` // of results
	Kinds      []storedKind      `json:"kinds"`   // of results
	Frames     []fields          `json:"frames"`  // what is the same in most cells
	Picks      []storedPick      `json:"picks"`
	Arms       []storedArm       `json:"arms"` // a method at a point of the sweep
	Cells      []*storedCell     `json:"cells"`
}

// fields are those of a JSON object.
type fields = map[string]json.RawMessage

// A storedMetric is a series without its values.
type storedMetric struct {
	Key       string `json:"key"`
	Unit      string `json:"unit,omitempty"`
	Higher    bool   `json:"higher,omitempty"`
	Describes bool   `json:"describes,omitempty"`
	Volatile  bool   `json:"volatile,omitempty"` // it differs from run to run
}

// storedRounds are rounds in ascending order: every Step-th, where that is not 0; else they are
// listed.
type storedRounds struct {
	First int   `json:"first,omitempty"`
	Last  int   `json:"last,omitempty"`
	Step  int   `json:"step,omitempty"`
	List  []int `json:"list,omitempty"`
}

// roundsOf returns rounds as a file has them.
func roundsOf(list []int) storedRounds {
	if len(list) < 2 {
		return storedRounds{List: list}
	}
	s := storedRounds{First: list[0], Last: list[len(list)-1], Step: list[1] - list[0]}
	for i := range list[1:] {
		if list[i+1]-list[i] != s.Step {
			return storedRounds{List: list}
		}
	}
	return s
}

// mostRounds bounds how many rounds a file may ask for.
const mostRounds = 10_000_000

// rounds returns the rounds.
func (s storedRounds) rounds() ([]int, error) {
	if s.Step == 0 {
		return s.List, nil
	}
	if s.Step < 0 || s.First < 0 || s.Last < s.First || (s.Last-s.First)/s.Step >= mostRounds {
		return nil, fmt.Errorf("it has no rounds %d to %d by %d", s.First, s.Last, s.Step)
	}
	var list []int
	for t := s.First; t <= s.Last; t += s.Step {
		list = append(list, t)
	}
	return list, nil
}

// A storedPick is a component with all of its parameters.
type storedPick struct {
	Slot string          `json:"slot"`
	Pick json.RawMessage `json:"pick"`
}

// A storedArm is what the cells of a method at a point share.
type storedArm struct {
	Method string             `json:"method"`
	Role   string             `json:"role,omitempty"`
	Parent string             `json:"parent,omitempty"`
	Point  []study.Coordinate `json:"point,omitempty"`
	Frame  int                `json:"frame"`
	Picks  []int              `json:"picks"`
}

// A storedKind is what results share: places in lists.
type storedKind struct {
	Parameters int   `json:"parameters"`
	Law        int   `json:"law"`
	Rounds     int   `json:"rounds"`
	Metrics    int   `json:"metrics"`
	Cost       *int  `json:"cost,omitempty"` // nil: not known
	Notes      []int `json:"notes,omitempty"`
}

// A storedCell is a training run, with its result where there is one and no cell before it has the
// same.
type storedCell struct {
	Arm      int     `json:"arm"`
	Seed     uint64  `json:"seed"`
	DataSeed *uint64 `json:"data_seed,omitempty"` // where it is another one
	ID       string  `json:"id,omitempty"`        // where it is not that of what is stored
	Failure  string  `json:"failure,omitempty"`

	Kind     *int             `json:"kind,omitempty"`   // of the result; nil: there is none
	Values   engine.Floats    `json:"values,omitempty"` // final ones, of the metrics
	Observed []fl.Observation `json:"observed,omitempty"`
	Seconds  *[3]float64      `json:"seconds,omitempty"` // of server, preprocessing, and clients
	Digest   string           `json:"digest,omitempty"`  // of the whole result
	Curves   string           `json:"curves,omitempty"`  // digest of all series
	Audit    *Audited         `json:"audit,omitempty"`
}

// A shelf is a list of different texts.
type shelf[T any] struct {
	list  []T
	known map[string]int
}

// place returns where a value stands, which it adds if it is new.
func (s *shelf[T]) place(v T) (int, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	if s.known == nil {
		s.known = map[string]int{}
	}
	k, found := s.known[string(text)]
	if !found {
		k = len(s.list)
		s.known[string(text)] = k
		s.list = append(s.list, v)
	}
	return k, nil
}

// A packer makes a storedRun.
type packer struct {
	record  *Record
	laws    shelf[engine.LawFacts]
	rounds  shelf[storedRounds]
	metrics shelf[[]storedMetric]
	notes   shelf[string]
	costs   shelf[engine.Cost]
	kinds   shelf[storedKind]
	frames  shelf[fields]
	picks   shelf[storedPick]
	arms    shelf[storedArm]
}

// packed returns a record as a file has it.
func (r *Record) packed() (*storedRun, error) {
	p := &packer{record: r}
	s := &storedRun{Name: r.Name, Title: r.Title, Command: r.Command, Hash: r.Hash,
		ClaimsOnly: r.ClaimsOnly, Made: r.Made, Builds: r.Builds, Report: r.Report,
		References: r.References, Tuning: r.Tuning, Strategies: r.Strategies,
		Unexamined: slices.Sorted(maps.Keys(r.Unexamined)), Compiled: map[string][]int{}}
	if len(r.Verdicts.Claims) > 0 {
		s.Verdicts = &r.Verdicts
	}
	for digest, ids := range r.Compiled {
		for _, id := range ids {
			s.Compiled[digest] = append(s.Compiled[digest], slices.Index(r.IDs, id))
		}
	}
	seen := map[string]bool{}
	for i := range r.Cells {
		cell, err := p.cell(i, seen[r.IDs[i]])
		if err != nil {
			return nil, err
		}
		seen[r.IDs[i]] = true
		s.Cells = append(s.Cells, cell)
	}
	s.Notes, s.Laws, s.Rounds, s.Metrics = p.notes.list, p.laws.list, p.rounds.list, p.metrics.list
	s.Costs, s.Kinds = p.costs.list, p.kinds.list
	s.Frames, s.Picks, s.Arms = p.frames.list, p.picks.list, p.arms.list
	return s, nil
}

// cell packs a cell, whose result may be that of a cell before it.
func (p *packer) cell(i int, again bool) (*storedCell, error) {
	r := p.record
	c, id := &r.Cells[i], r.IDs[i]
	s := &storedCell{Seed: c.Seed}
	if c.DataSeed != c.Seed {
		s.DataSeed = &c.DataSeed
	}
	if c.ID() != id {
		s.ID = id
	}
	var err error
	if s.Arm, err = p.arm(c); err != nil || again {
		return s, err
	}
	s.Failure = r.Failures[id]
	if a, ok := r.Audits[id]; ok {
		s.Audit = &a
	}
	if r.Results[id] != nil {
		err = p.result(id, s)
	}
	return s, err
}

// arm packs what a cell shares with those of other seeds.
func (p *packer) arm(c *study.Cell) (int, error) {
	text, err := json.Marshal(*c)
	if err != nil {
		return 0, err
	}
	var frame fields
	if err := json.Unmarshal(text, &frame); err != nil {
		return 0, err
	}
	var picks fields
	if err := json.Unmarshal(frame["Picks"], &picks); err != nil {
		return 0, err
	}
	a := storedArm{Method: c.Method, Role: c.Role, Parent: c.Parent, Point: c.Point}
	for _, slot := range slices.Sorted(maps.Keys(picks)) {
		k, err := p.picks.place(storedPick{slot, picks[slot]})
		if err != nil {
			return 0, err
		}
		a.Picks = append(a.Picks, k)
	}
	for _, key := range ownFields() {
		delete(frame, key)
	}
	if a.Frame, err = p.frames.place(frame); err != nil {
		return 0, err
	}
	return p.arms.place(a)
}

// ownFields are those of a cell that no frame has.
func ownFields() []string {
	return []string{"Method", "Role", "Parent", "Point", "Picks", "Seed", "DataSeed"}
}

// result packs the result of a cell.
func (p *packer) result(id string, s *storedCell) error {
	r := p.record.Results[id]
	s.Digest, s.Curves, s.Observed = p.record.Digests[id], p.record.Curves[id], r.Observed
	var metrics []storedMetric
	add := func(list []engine.Series, volatile bool) {
		for _, x := range list {
			metrics = append(metrics, storedMetric{x.Key, x.Unit, x.Higher, x.Describes, volatile})
			s.Values = append(s.Values, x.Values[0])
		}
	}
	add(r.Series, false)
	add(p.record.Volatile[id], true)
	k := storedKind{Parameters: r.Parameters}
	var errs [4]error
	k.Metrics, errs[0] = p.metrics.place(metrics)
	k.Rounds, errs[1] = p.rounds.place(roundsOf(r.Rounds))
	k.Law, errs[2] = p.laws.place(r.Law)
	for _, text := range r.Notes {
		place, err := p.notes.place(text)
		if err != nil {
			return err
		}
		k.Notes = append(k.Notes, place)
	}
	if c := p.record.Costs[id]; c != nil {
		counted := c.Counted()
		if *c != counted {
			s.Seconds = &[3]float64{c.Server, c.Preprocess, c.Clients}
		}
		place, err := p.costs.place(counted)
		if err != nil {
			return err
		}
		k.Cost = &place
	}
	place, err := p.kinds.place(k)
	errs[3], s.Kind = err, &place
	return errors.Join(errs[:]...)
}
