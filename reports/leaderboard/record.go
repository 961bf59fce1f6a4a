package leaderboard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// A Record is what a site needs of a run, without absolute paths: of every metric the final value
// in place of a curve. Rounds of results are those that final values are means over. A site is made
// of records, whether they come from a run or from a file that Encode wrote: so both give the same
// bytes.
type Record struct {
	infer.Run
	Verdicts   table.ClaimSet    // of the claims of the experiment; there may be none
	ClaimsOnly bool              // the methods of the run are not compared
	Digests    map[string]string // by identity, of the whole result: see Digest

	// Audits are those of methods at points of the sweep, by the identity of the first training
	// run. There may be none.
	Audits map[string]Audited
	Made   []Made // by which programs results were made
}

// Made says how many results a program made, and by which arithmetic.
type Made struct {
	Hansa    string `json:"hansa"`    // revision of the source; "" where it is not known
	Source   string `json:"source"`   // SHA-256 of what it was built of
	Go       string `json:"go"`       // version of the compiler
	Platform string `json:"platform"` // "linux/amd64"

	// Arithmetic is what last bits can depend on besides these: instruction sets of the compiler,
	// kernels, and a digest of what functions of the standard library return here.
	Arithmetic string `json:"arithmetic"`
	Runs       int    `json:"runs"`
}

// String names the program and where it ran, without what no number depends on.
func (m Made) String() string {
	text := "hansa"
	switch {
	case m.Hansa != "":
		text += fmt.Sprintf(" of revision %.12s", m.Hansa)
	case m.Source != "":
		text += fmt.Sprintf(" of source %.12s", m.Source)
	}
	return text + ", " + strings.TrimSpace(m.Go+" "+m.Platform)
}

// NewRecord returns the record of a run and of the verdicts on its claims.
func NewRecord(run infer.Run, claims table.ClaimSet) (*Record, error) {
	r := &Record{Run: run, Verdicts: claims, Digests: map[string]string{}}
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", run.Name, err)
	}
	names := run.Paths()
	r.Input = names.Shorten(run.Input)
	r.Strategies = map[string]string{}
	for digest, file := range run.Strategies {
		r.Strategies[digest] = names.In(file)
	}
	for i := range r.Cells {
		r.Cells[i] = names.Parameters(r.Cells[i])
	}
	r.Report.Final = max(0, r.Report.Final)
	if r.Whole != nil { // the record has a part of the plan
		r.Hash = store.HashOf(r.IDs)
	}
	r.Claims, r.Whole, r.Quantity = nil, nil, nil
	r.Results, r.Volatile = map[string]*engine.Result{}, map[string][]engine.Series{}
	r.Curves, r.Costs = map[string]string{}, map[string]*engine.Cost{}
	plan := infer.NewPlan(&run.Input)
	for i, id := range run.IDs {
		whole := run.Results[id]
		if whole == nil || r.Results[id] != nil {
			continue
		}
		if err := r.add(plan, i, whole); err != nil {
			return nil, fmt.Errorf("%s: %w", run.Name, err)
		}
	}
	return r, nil
}

// add adds the result of a cell, without what no final value is made of.
func (r *Record) add(plan *infer.Plan, i int, whole *engine.Result) error {
	id := r.IDs[i]
	if c := plan.In.Costs[id]; c != nil {
		one := *c
		one.Clients = clock(one.Clients)
		one.Server, one.Preprocess = clock(one.Server), clock(one.Preprocess)
		r.Costs[id] = &one
	}
	digest, err := Digest(whole)
	if err != nil {
		return err
	}
	curves, err := json.Marshal([]any{whole.Rounds, whole.Series})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(curves)
	r.Digests[id], r.Curves[id] = digest, hex.EncodeToString(sum[:8])
	window := plan.Window(i)
	final := func(list []engine.Series) (kept []engine.Series) {
		for _, s := range list {
			if len(s.Values) > 0 {
				s.Values = engine.Floats{finalValue(plan, i, &s)}
				kept = append(kept, s)
			}
		}
		return kept
	}
	r.Results[id] = &engine.Result{ID: id, Seed: whole.Seed, Parameters: whole.Parameters,
		Rounds: slices.Clone(window), Series: final(whole.Series), Notes: whole.Notes,
		Law: whole.Law, Observed: whole.Observed}
	if list := final(plan.In.Volatile[id]); list != nil {
		r.Volatile[id] = list
	}
	return nil
}

// clock returns seconds with four digits: those behind them are of no machine but this one.
func clock(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 3, 64), 64) // it wrote it
	return x
}

// finalValue returns the final value of a series: the mean over the window of the cell.
func finalValue(plan *infer.Plan, i int, s *engine.Series) float64 {
	x, ok := plan.Final(i, s.Key)
	if !ok { // the series says that there is nothing to tell
		x = s.Values[len(s.Values)-1]
	}
	return x
}

// Digest returns the first 128 bits of the SHA-256 of a result as runs store it, in hexadecimal:
// equal results have the same, and others almost surely not.
func Digest(result *engine.Result) (string, error) {
	whole, err := store.Digest(result)
	return whole[:min(32, len(whole))], err
}

// Own reports whether a cell has code of the user's, which a record does not keep.
func Own(c *study.Cell) bool { return len(c.Sources()) > 0 }

// Comparable reports whether a run has what a comparison takes: two methods that compete, and a
// metric of which more or less is better.
func Comparable(in *infer.Input) bool {
	ranked := map[string]bool{}
	for i := range in.Cells {
		if in.Cells[i].Role == "" && in.Results[in.IDs[i]] != nil {
			ranked[in.Cells[i].Method] = true
		}
	}
	if len(ranked) < 2 {
		return false
	}
	p := infer.NewPlan(in)
	s := p.AnySeries(p.Metrics[0])
	return s != nil && infer.DirectionOf(s) != infer.None
}
