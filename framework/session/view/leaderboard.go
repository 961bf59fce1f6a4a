package view

import (
	"maps"
	"strings"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/leaderboard"
)

// Runs gathers the runs that a command line names.
func Runs(s *session.Session, args []string) (runs []infer.Run, err error) {
	for _, arg := range args {
		run, plan, err := s.Open(arg)
		if err != nil {
			return nil, err
		}
		runs = append(runs, gathered(&Subject{Session: s, Run: run, Plan: plan}, arg))
	}
	return runs, nil
}

// gathered returns a run with the name by which it is called.
func gathered(s *Subject, arg string) infer.Run {
	return infer.Run{Name: session.RunName(strings.TrimRight(arg, "/")),
		Input: *s.Gather(s.Run, s.Plan, nil)}
}

// Leaderboard returns the board of records.
func Leaderboard(records []*leaderboard.Record) *leaderboard.Board {
	b := &leaderboard.Board{Describe: describer(toolbox.Menu()),
		Audits: map[string]leaderboard.Audited{}}
	for _, r := range records {
		if len(r.Verdicts.Claims) > 0 {
			b.Claims = append(b.Claims, r.Verdicts)
		}
		maps.Copy(b.Audits, r.Audits)
		if !r.ClaimsOnly {
			run := r.Run
			if tools, err := toolbox.Builtin(); err == nil {
				run.Quantity = tools.Registry.Quantity
			}
			b.Runs, b.Made = append(b.Runs, run), append(b.Made, r.Made)
		}
	}
	b.Command = func(run int, c *study.Cell) string {
		return again(b.Runs[run].Command, "run", c.Method, c.Point)
	}
	b.Audit = func(run int, method string) string {
		return again(b.Runs[run].Command, "audit", method, nil)
	}
	return b
}

// again returns the command of a run for one method at a point, if that is not nil. An audit takes
// no flags that say how cells run.
func again(command, verb, method string, at []study.Coordinate) string {
	words := phrase.Words(command)
	line := []string{verb}
	for i := 2; i < len(words); i++ {
		flag, value, joined := strings.Cut(words[i], "=")
		only := flag == "--only"
		if only && !joined && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch {
		case only && (at != nil || strings.HasPrefix(value, "method=")) &&
			!strings.HasPrefix(value, "seed="):
			// it is said below
		case only:
			line = append(line, "--only", value)
		default:
			line = append(line, words[i])
		}
	}
	line = append(line, "--only", "method="+method)
	for _, c := range at {
		line = append(line, "--only", c.Filter())
	}
	return phrase.Hint(line...)
}

// describer tells of built-in components: what they are, and what tests show of them.
func describer(menu []registry.Kind) func(kind, name string) leaderboard.Component {
	papers, verified := builtin.Papers(), builtin.Verified()
	known := map[string]leaderboard.Component{}
	for _, k := range menu {
		for _, e := range k.Entries {
			c := leaderboard.Component{Kind: k.Name, Name: e.Name, Summary: e.Summary,
				Paper: e.Paper, Departures: e.Deviations}
			if full, ok := papers[e.Paper]; ok {
				c.Paper = full
			}
			for _, v := range verified[k.Name+"/"+e.Name] {
				c.Evidence = append(c.Evidence, leaderboard.Evidence(v))
			}
			known[k.Name+"/"+e.Name] = c
		}
	}
	return func(kind, name string) leaderboard.Component {
		if c, ok := known[kind+"/"+name]; ok {
			return c
		}
		return leaderboard.Component{Kind: kind, Name: name}
	}
}
