package leaderboard

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/page"
	"github.com/hansa-fl/hansa/reports/table"
)

// A Board is what a site is made of.
type Board struct {
	Title    string
	Runs     []infer.Run
	Claims   []table.ClaimSet // with their verdicts
	Baseline string           // to compare with; "": that of the report, or FedAvg
	Remake   string           // the command that makes the site again

	Audits map[string]Audited // by identity of a training run; there may be none
	Made   [][]Made           // by run: which programs made its results; nil: not known

	// Describe tells of a component; a Component without a summary is not known.
	Describe func(kind, name string) Component
	// Command is the line that runs a method at the point of a cell again, for all seeds.
	Command func(run int, c *study.Cell) string
	// Audit is the line that audits a method of a run.
	Audit func(run int, method string) string
}

// A Component is a part of a method: an aggregator, a local rule, a selection, …
type Component struct {
	Kind, Name string
	Summary    string
	Paper      string // the citation; "" for none
	Departures string // from the paper
	Evidence   []Evidence
}

// Evidence is a test of a component beyond the contract, which every component passes.
type Evidence struct {
	Kind string // "theorem", "golden", …
	Test string // package and name
	Says string // what it shows
}

// A File is one of the site.
type File struct {
	Name string
	Text string
}

//go:embed site.html
var layout string

//go:embed board.css
var style string

//go:embed board.js
var script string

// scripts returns the one script of every page.
func scripts() string { return page.Sorting() + page.Slim(script) }

// A frame is what all pages have, and what one shows.
type frame struct {
	Title  string
	Style  template.CSS
	Script template.JS
	Home   string // the title of the site; "" on its first page
	Remake string

	Site      *site
	Condition *condition
	Method    *method
}

// A site is a Board, compared.
type site struct {
	*Board
	Groups  []*group
	Methods []*method
	Claimed *claimed // nil for none

	names []*infer.PathNames // by run
}

// newSite returns the site of a board, whose texts are without absolute paths, as they leave this
// machine.
func newSite(b *Board) *site {
	s := &site{Board: new(Board)}
	*s.Board = *b
	s.Runs = slices.Clone(b.Runs)
	for i := range s.Runs {
		s.names = append(s.names, b.Runs[i].Paths())
		s.Runs[i].Input = b.Runs[i].Discreet()
		s.Remake = s.names[i].In(s.Remake)
	}
	return s
}

// The names of pages of which there is one.
const (
	firstPage  = "index.html"
	claimsPage = "claims.html"
)

// Files returns the files of the site: index.html, a page for every condition and method, and
// claims.html where there are claims.
func Files(b *Board) ([]File, error) {
	s := newSite(b)
	s.Claimed = newClaimed(b.Claims)
	if len(b.Runs) == 0 && s.Claimed == nil {
		return nil, errors.New("no runs to compare, and no claims")
	}
	if err := s.compare(); err != nil {
		return nil, err
	}
	s.gatherMethods()
	t, err := template.New("site").Parse(layout)
	if err != nil {
		return nil, err
	}
	files := []File{}
	add := func(name, kind string, f frame) error {
		f.Style, f.Script = template.CSS(page.Style()+page.Slim(style)), template.JS(scripts())
		f.Remake = s.Remake
		var text strings.Builder
		if err := t.ExecuteTemplate(&text, kind, f); err != nil {
			return err
		}
		files = append(files, File{name, study.Printable(text.String())})
		return nil
	}
	err = add(firstPage, "index", frame{Title: b.Title, Site: s})
	if s.Claimed != nil {
		err = errors.Join(err, add(claimsPage, "claims",
			frame{Title: "Claims", Home: b.Title, Site: s}))
	}
	for _, g := range s.Groups {
		for i := range g.Conditions {
			c := &g.Conditions[i]
			err = errors.Join(err, add(c.File, "condition",
				frame{Title: c.Label, Home: b.Title, Site: s, Condition: c}))
		}
	}
	for _, m := range s.Methods {
		err = errors.Join(err, add(m.File, "method",
			frame{Title: m.Label, Home: b.Title, Site: s, Method: m}))
	}
	return files, err
}

// spelled replaces letters that names of files do without.
var spelled = strings.NewReplacer("α", "alpha", "β", "beta", "ε", "epsilon", "Δ", "delta", "δ",
	"delta", "λ", "lambda", "μ", "mu", "ρ", "rho", "σ", "sigma", "á", "a", "é", "e", "ä", "a", "ö",
	"o", "ü", "u", "+", " plus")

// A namer gives files names that differ, in letters that every system and every server has.
type namer map[string]bool

// name returns the name of the file of something.
func (n namer) name(kind, label string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return ' '
	}, spelled.Replace(label))
	slug = strings.Join(append([]string{kind}, strings.Fields(slug)...), "-")
	if len(slug) > 80 {
		slug = slug[:80]
	}
	file := slug + ".html"
	for k := 2; n[file]; k++ {
		file = fmt.Sprintf("%s-%d.html", slug, k)
	}
	n[file] = true
	return file
}
