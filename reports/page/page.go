package page

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A Page is everything that a page is made of.
type Page struct {
	Name       string // of the run: files that are downloaded begin with it
	Input      infer.Input
	World      *World           // nil where it cannot be made again
	Worldless  string           // why not
	Plans      *figure.Matrices // that were kept; nil for none
	PlansNote  string
	Texts      []Text
	Settings   Settings
	Gaps       []Gap  // cells without a result
	Resume     string // command that runs all of them
	Facts      []Fact // about the run: host, time, code
	Strategies []Strategy
}

// Settings are those of a run, sorted by what decides them.
type Settings struct {
	Methods []string     // rows of Differ
	Paths   []string     // columns of Differ: settings in which methods differ
	Differ  [][]string   // by method and path
	Sweep   []Fact       // settings that the sweep changes, with their values
	Groups  []SettingSet // all of them
}

// A SettingSet is settings that something decides.
type SettingSet struct {
	Title  string
	Values []Fact
}

// A Fact is a name and what stands for it.
type Fact struct{ Name, Text string }

// A Text is what the final model of a cell makes of the beginning of a text.
type Text struct{ Cell, Prompt, Text string }

// A Gap is a cell without a result.
type Gap struct {
	Cell    string
	Why     string
	Command string // that runs it
}

// A Strategy is code of the user's.
type Strategy struct {
	Path, Digest string
	Source       string // "" where it cannot be read
	Note         string // why not, or that it is no longer what was run
}

//go:embed page.html
var layout string

//go:embed page.css
var style string

//go:embed scale.js
var scaleScript string

//go:embed draw.js
var drawScript string

//go:embed curves.js
var curvesScript string

//go:embed sorts.js
var sortsScript string

//go:embed page.js
var pageScript string

// Write writes a page.
func Write(w io.Writer, p *Page) error {
	c, err := contentOf(p.discreet())
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, c); err != nil {
		return err
	}
	// What is hidden is shown by its number, which JSON reads back.
	_, err = io.WriteString(w, study.Printable(b.String()))
	return err
}
