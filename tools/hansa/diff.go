package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
)

// diffFormats are the ways to print what differs.
var diffFormats = []string{"text", "json"}

func (c *command) diffCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "diff RUN RUN",
		GroupID: "result",
		Short:   "Say what differs between two runs: settings and results",
		Long: "Say what differs between two runs. Of the settings, every value that decides " +
			"numbers, for methods and points of the sweep that both have, the code of strategies " +
			"included. Of the results, final values of the metrics that are reported, seed by " +
			"seed. The exit code is 0 whether or not something differs.\n\n" +
			"RUN is its name under ./runs, its folder, or its experiment file.",
		Example: "  hansa run experiments/quickstart.toml --set rounds=200 --dir runs/try\n" +
			"  hansa diff quickstart try",
		Args: want(2, 2, "two RUNs"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (
			[]string, cobra.ShellCompDirective,
		) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return runNames(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", format, diffFormats); err != nil {
				return err
			}
			a, err := c.side(args[0])
			if err != nil {
				return err
			}
			b, err := c.side(args[1])
			if err != nil {
				return err
			}
			return faulty(c.diff(a, b, format))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of what differs: text or json")
	completeFlag(cmd, "format", diffFormats...)
	return cmd
}

// A side is one of two runs that are compared.
type side struct {
	run  store.Run
	plan *store.Plan
	in   *infer.Input
}

func (c *command) side(arg string) (*side, error) {
	run, plan, err := c.open(arg)
	if err != nil {
		return nil, err
	}
	return &side{run, plan, c.gather(run, plan, nil)}, nil
}

// A change is a value that two runs have and that differs.
type change struct {
	Path   string   `json:"path"`
	Before string   `json:"before"` // empty: there is none
	After  string   `json:"after"`
	Cells  []string `json:"cells"` // methods, at some points; empty: all that both runs have
}

// changes is what differs in the settings of two runs.
type changes struct {
	Settings []change `json:"settings"`
	Lost     []string `json:"only_before"`       // methods, at some points, of the first run only
	Gained   []string `json:"only_after"`        // of the second run only
	Program  []string `json:"program,omitempty"` // revisions of its source, where they differ
}

// diff prints what differs between two runs.
func (c *command) diff(a, b *side, format string) error {
	settings := compareSettings(a.plan, b.plan)
	if !slices.Equal(a.in.Builds, b.in.Builds) {
		for _, s := range []*side{a, b} {
			settings.Program = append(settings.Program, strings.Join(s.in.Builds, ", "))
		}
	}
	results, err := table.Diff(*a.in, *b.in)
	if err != nil {
		return err
	}
	if format == "json" {
		encoder := json.NewEncoder(c.out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(struct {
			changes
			table.ResultDiff
		}{settings, results})
	}
	before, after := filepath.Base(real(a.run.Dir)), filepath.Base(real(b.run.Dir))
	if before == after {
		before, after = a.run.Dir, b.run.Dir
	}
	if err := c.print(c.settingsText(&settings, before, after)); err != nil {
		return err
	}
	width := textWidth(c.out)
	return render.DiffText(c.out, results, before, after,
		render.TextOptions{Width: width, Color: c.colorOn(c.out)})
}

// settingsText says what differs in the settings of two runs that are called so.
func (c *command) settingsText(s *changes, before, after string) string {
	var rows [][]string
	for _, d := range s.Settings {
		rows = append(rows, []string{d.Path, shown(d.Before) + " → " + shown(d.After),
			cmp.Or(strings.Join(d.Cells, "; "), "every cell")})
	}
	if s.Program != nil {
		rows = append(rows, []string{"program", brieflyBuilt(s.Program[0]) + " → " +
			brieflyBuilt(s.Program[1]), "revision of its source"})
	}
	for _, part := range []struct {
		name string
		list []string
	}{{before, s.Lost}, {after, s.Gained}} {
		if len(part.list) > 0 {
			rows = append(rows, []string{"only in " + part.name, strings.Join(part.list, "; "), ""})
		}
	}
	title := c.paint(c.out, bold, before+" → "+after)
	if rows == nil {
		return title + ": the same settings\n"
	}
	return title + "\n" + grid(rows, margin, gutter, columns(c.out))
}

// shown is how a value is written beside its other one.
func shown(text string) string { return cmp.Or(clip(text, widestValue), "none") }

// brieflyBuilt shortens a revision as Git does.
func brieflyBuilt(revision string) string {
	return cmp.Or(fmt.Sprintf("%.12s", revision), "unknown")
}

// compareSettings finds what differs in the settings of two runs.
func compareSettings(a, b *store.Plan) changes {
	ours, theirs := branches(a), branches(b)
	named := func(list []branch, name string) *branch {
		if k := slices.IndexFunc(list, func(x branch) bool { return x.name == name }); k >= 0 {
			return &list[k]
		}
		return nil
	}
	d := changes{Settings: []change{}}
	at := map[[3]string]int{}
	var common, lost, gained []branch
	var where [][]branch // by change
	for _, x := range ours {
		y := named(theirs, x.name)
		if y == nil {
			lost = append(lost, x)
			continue
		}
		common = append(common, x)
		for _, one := range compareValues(x.values, y.values) {
			key := [3]string{one.Path, one.Before, one.After}
			k, known := at[key]
			if !known {
				k, at[key] = len(where), len(where)
				d.Settings, where = append(d.Settings, one), append(where, nil)
			}
			where[k] = append(where[k], x)
		}
	}
	for _, y := range theirs {
		if named(ours, y.name) == nil {
			gained = append(gained, y)
		}
	}
	for k := range where {
		d.Settings[k].Cells = []string{}
		if len(where[k]) < len(common) {
			d.Settings[k].Cells = inShort(where[k], common)
		}
	}
	d.Lost, d.Gained = inShort(lost, ours), inShort(gained, theirs)
	return d
}

// inShort names some of all branches: a method alone where all that it has are among them.
func inShort(some, all []branch) []string {
	of := func(list []branch, method string) (n int) {
		for _, b := range list {
			if b.method == method {
				n++
			}
		}
		return n
	}
	names := []string{}
	for _, b := range some {
		switch {
		case of(some, b.method) < of(all, b.method):
			names = append(names, b.name)
		case !slices.Contains(names, b.method):
			names = append(names, b.method)
		}
	}
	return names
}

// A branch is a method at one point of the sweep, with all that decides its numbers.
type branch struct {
	method, name string
	values       []value
}

// branches lists those of a plan.
func branches(p *store.Plan) []branch {
	var list []branch
	cells, seeds := map[string]study.Cell{}, map[string][]uint64{}
	for _, cell := range p.Cells {
		n := cell.ArmLabel()
		if _, known := cells[n]; !known {
			cells[n] = cell
			list = append(list, branch{method: cell.Method, name: n})
		}
		seeds[n] = append(seeds[n], cell.Seed)
	}
	for i, b := range list {
		list[i].values = values(cells[b.name], seeds[b.name])
	}
	return list
}

// compareValues lists the values that differ, in the order of the first.
func compareValues(a, b []value) []change {
	text := func(list []value, path string) string {
		if k := slices.IndexFunc(list, func(v value) bool { return v.path == path }); k >= 0 {
			return list[k].text
		}
		return ""
	}
	var list []change
	for _, v := range a {
		if other := text(b, v.path); other != v.text {
			list = append(list, change{Path: v.path, Before: v.text, After: other})
		}
	}
	for _, v := range b {
		if text(a, v.path) == "" {
			list = append(list, change{Path: v.path, After: v.text})
		}
	}
	return list
}
