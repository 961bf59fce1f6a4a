package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/leaderboard"
	"github.com/hansa-fl/hansa/reports/table"
)

// Records returns the records of what a command line names: runs, files of records that the command
// has written, and lists of verdicts as hansa claims --format json prints them. Of those of claims
// the methods are not compared, nor of a run that has claims and nothing that can be compared.
func Records(s *session.Session, args, claims []string) (list []*leaderboard.Record, err error) {
	for i, arg := range slices.Concat(args, claims) {
		records, err := recordsOf(s, arg)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if i >= len(args) {
				r.ClaimsOnly = true
			}
			if r.ClaimsOnly && len(r.Verdicts.Claims) == 0 {
				return nil, fmt.Errorf("--claims %s: its experiment makes no claims", arg)
			}
		}
		list = append(list, records...)
	}
	return list, nil
}

// recordsOf returns the records of one argument.
func recordsOf(s *session.Session, arg string) ([]*leaderboard.Record, error) {
	if info, err := os.Stat(arg); fileOfRecords(arg) && (err != nil || !info.IsDir()) {
		return readRecords(arg)
	}
	run, plan, err := s.Open(arg)
	if err != nil {
		return nil, err
	}
	r, err := record(&Subject{Session: s, Run: run, Plan: plan}, arg)
	if err != nil {
		return nil, err
	}
	return []*leaderboard.Record{r}, nil
}

// readRecords reads a file.
func readRecords(path string) ([]*leaderboard.Record, error) {
	text, err := readPacked(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, fault.Cause(err))
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return readVerdicts(path, text)
	}
	records, err := leaderboard.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s is no file that hansa leaderboard --json wrote: %w", path, err)
	}
	return records, nil
}

// readVerdicts reads a list of verdicts.
func readVerdicts(path string, text []byte) (list []*leaderboard.Record, err error) {
	var sets []table.ClaimSet
	if err := json.Unmarshal(text, &sets); err != nil {
		return nil, fmt.Errorf("%s is no list of verdicts on claims: %w", path, err)
	}
	for _, s := range sets {
		for i := range s.Claims {
			c := &s.Claims[i]
			c.Direction = c.Direction || directional(c.Holds)
		}
		if len(s.Claims) > 0 {
			list = append(list, &leaderboard.Record{Run: infer.Run{Name: filepath.Base(path)},
				Verdicts: s, ClaimsOnly: true})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no verdicts on claims", path)
	}
	return list, nil
}

// overAxis matches where a predicate names an axis.
var overAxis = regexp.MustCompile(`over = ("[^"]*"|[^,)]*)`)

// directional reports whether a predicate has no margin, which lists of verdicts do not say.
func directional(holds string) bool {
	v := &claim.Vocabulary{}
	for _, m := range overAxis.FindAllStringSubmatch(holds, -1) {
		v.Axes = append(v.Axes, strings.Trim(m[1], `"`))
	}
	e, _ := claim.Parse(holds, v) // what is not understood has no direction
	return e.Directional()
}

// record returns the record of a run, at the conditions at which something was run.
func record(s *Subject, arg string) (*leaderboard.Record, error) {
	run := gathered(s, arg)
	run.Input = *run.Begun()
	r, err := leaderboard.NewRecord(run, judged(run.Name, &run.Input))
	if err != nil {
		return nil, err
	}
	r.ClaimsOnly = len(r.Verdicts.Claims) > 0 && !leaderboard.Comparable(&run.Input)
	made := map[leaderboard.Made]int{}
	for id := range r.Results {
		a, err := s.Run.LoadAttempt(id)
		if err != nil || a == nil { // Gather has told of it
			continue
		}
		made[madeBy(a)]++
	}
	for one, n := range made {
		one.Runs = n
		r.Made = append(r.Made, one)
	}
	slices.SortFunc(r.Made, func(a, b leaderboard.Made) int {
		return cmp.Or(b.Runs-a.Runs, strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	return r, nil
}

// madeBy says which program made an attempt, and by which arithmetic.
func madeBy(a *store.Attempt) leaderboard.Made {
	m := leaderboard.Made{Hansa: a.Build.Revision, Go: a.Build.Go, Platform: a.Build.Platform}
	if a.Build.Modified {
		m.Hansa += " modified"
	}
	if e := a.Environment; e != nil {
		m.Source = e.Source
		known := fmt.Sprintf("source %s %s %s ", e.Source, m.Go, m.Platform)
		m.Arithmetic = strings.TrimPrefix(e.Numerics, known)
	}
	return m
}
