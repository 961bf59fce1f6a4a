package view

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/page"
)

// Page gathers all that a page shows of a run.
func Page(s *Subject, o *PageOptions) (*page.Page, error) {
	methods := s.Plan.Methods()
	if o.Baseline != "" && !slices.Contains(methods, o.Baseline) {
		return nil, fmt.Errorf("--baseline %s: %s", o.Baseline, study.Suggest(o.Baseline, methods))
	}
	p := &page.Page{Name: session.RunName(session.Real(s.Run.Dir)),
		Input: *s.input(&FigureOptions{Baseline: o.Baseline})}
	p.Settings = settingsOf(s.Plan)
	p.Gaps, p.Resume = s.gaps(p)
	p.Facts = s.facts(p)
	p.Strategies = s.strategies()
	p.Texts = s.texts(p)
	return p, s.furnish(p, o)
}

// texts returns how the final models of text go on, of every method and point the first seed that
// has a result.
func (s *Subject) texts(p *page.Page) (list []page.Text) {
	seen := map[string]bool{}
	for i, c := range s.Plan.Cells {
		r, arm := p.Input.Results[s.Plan.IDs[i]], fmt.Sprint(c.Method, c.Point)
		if r == nil || r.Sample == nil || seen[arm] {
			continue
		}
		seen[arm] = true
		list = append(list, page.Text{Cell: c.Label(), Prompt: r.Sample.Prompt,
			Text: r.Sample.Text})
	}
	return list
}

// furnish adds what is made again or read beside results: the world and what was kept.
func (s *Subject) furnish(p *page.Page, o *PageOptions) error {
	m, note, known, err := s.kept(&FigureOptions{})
	if err != nil {
		return err
	}
	if m != nil {
		const most = 8
		if n := len(m.Panels); n > most {
			m.Panels = m.Panels[:most]
			note += fmt.Sprintf("; %d of %d are shown", most, n)
		}
		if others := len(slices.Compact(known)) - 1; others > 0 {
			note += fmt.Sprintf("; %s more: %s", phrase.Count(others, "array", "arrays"),
				phrase.Hint("plot", s.called(), "matrix", "--array", "NAME"))
		}
		p.Plans, p.PlansNote = m, note
	}
	if o.ResultsOnly {
		p.Worldless = "it was left out with --results-only"
		return nil
	}
	if p.World, err = s.world(&FigureOptions{Data: o.Data}); err != nil {
		s.Sayf("hansa: clients are left out of the page: %v", err)
		p.Worldless = phrase.FirstLine(err.Error())
	}
	return nil
}

// called returns what the run is called on a command line: its name, where that is enough.
func (s *Subject) called() string {
	name := filepath.Base(s.Run.Dir)
	if session.Real(s.Run.Dir) == session.Real(filepath.Join("runs", name)) {
		return name
	}
	return s.Run.Dir
}

// gaps lists the cells without a result, and returns the command that runs them.
func (s *Subject) gaps(p *page.Page) (list []page.Gap, resume string) {
	resume = phrase.Hint("resume", s.called())
	for i, c := range s.Plan.Cells {
		id := s.Plan.IDs[i]
		if p.Input.Results[id] != nil {
			continue
		}
		command := resume + " --only " + phrase.Quote("method="+c.Method)
		for _, at := range c.Point {
			command += " --only " + phrase.Quote(at.Axis+"="+at.Label)
		}
		list = append(list, page.Gap{Cell: c.Label(), Why: p.Input.Failures[id],
			Command: command + fmt.Sprintf(" --only seed=%d", c.Seed)})
	}
	return list, resume
}

// facts says where the numbers come from.
func (s *Subject) facts(p *page.Page) []page.Fact {
	list := []page.Fact{{Name: "command", Text: s.Plan.Command},
		{Name: "plan", Text: "sha256:" + s.Plan.Hash}}
	list = append(list, page.Fact{Name: "seeds", Text: settings.SeedList(s.Plan.Seeds())})
	var builds []string
	from, to, seconds, done := "", "", 0.0, 0
	for _, id := range s.Plan.IDs {
		if p.Input.Results[id] == nil {
			continue
		}
		a, err := s.Run.LoadAttempt(id)
		if err != nil || a == nil {
			continue // gather has told of it
		}
		if b := buildName(a.Build); !slices.Contains(builds, b) {
			builds = append(builds, b)
		}
		if from == "" || a.Started < from {
			from = a.Started
		}
		to, seconds, done = max(to, a.Started), seconds+a.Before+a.Seconds, done+1
	}
	for _, b := range builds {
		list = append(list, page.Fact{Name: "program", Text: b})
	}
	if done > 0 {
		text := fmt.Sprintf("%s; begun %s – %s; %s of work",
			phrase.Count(done, "training run", "training runs"),
			from, to, brieflyLasting(seconds))
		list = append(list, page.Fact{Name: "run", Text: text})
	}
	return append(list, dataFacts(p)...)
}

// brieflyLasting writes how long something took.
func brieflyLasting(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// buildName says which program a result is of.
func buildName(b store.Build) string {
	text := "revision " + cmp.Or(b.Revision, "unknown")
	if b.Modified {
		text += ", modified"
	}
	return strings.Join([]string{text, b.Go, b.Platform}, " · ")
}

// dataFacts says what the data of the first result are like.
func dataFacts(p *page.Page) []page.Fact {
	k := slices.IndexFunc(p.Input.IDs, func(id string) bool { return p.Input.Results[id] != nil })
	if k < 0 {
		return nil
	}
	r := p.Input.Results[p.Input.IDs[k]]
	d := r.Data
	text := fmt.Sprintf("%d samples for training, sizes of clients vary by %.3g (CV)", d.Samples,
		d.SizeCV)
	if d.EffectiveClasses > 0 {
		text += fmt.Sprintf("; a client has %.3g classes effectively, and is %.3g from all (mean "+
			"total variation of labels)", d.EffectiveClasses, d.MeanTV)
	}
	if d.LeftOut > 0 {
		text += fmt.Sprintf("; %d more belong to no client", d.LeftOut)
	}
	parameters := phrase.Count(r.Parameters, "parameter", "parameters")
	return []page.Fact{{Name: "data", Text: text + "; of the first training run"},
		{Name: "model", Text: parameters + " in the first training run"}}
}

// strategies reads the code of the user's that the run keeps.
func (s *Subject) strategies() (list []page.Strategy) {
	for _, strategy := range s.Plan.Strategies {
		one := page.Strategy{Path: strategy.Path, Digest: strategy.Digest}
		source, err := session.KeptCode(s.Run, strategy)
		if err != nil {
			one.Note = "(cannot be read: " + unreadableWhy(err) + ")"
		}
		for _, f := range source.Files {
			if len(source.Files) > 1 {
				one.Source += "// " + filepath.Base(f.Name) + "\n"
			}
			one.Source += f.Text
		}
		list = append(list, one)
	}
	return list
}

// unreadableWhy is the reason without the path, which stands before it.
func unreadableWhy(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err.Error()
}
