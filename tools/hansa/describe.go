package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) describeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "describe NAME",
		GroupID: "look",
		Short:   "Describe a component: parameters, paper, departures",
		Long: "Describe a component. Where several kinds have one of that name, KIND/NAME picks " +
			"one of them. A Go file or a folder is a strategy: all its components are described.",
		Example: "  hansa describe fedavot\n  hansa describe importance/linear\n" +
			"  hansa describe mine.go",
		Args: cli.Want(1, 1, "one NAME, of those that hansa list prints"),
		ValidArgsFunction: cli.First(func() []string { return cli.Components(toolbox.Menu()) },
			cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			known := slices.Contains(cli.Components(toolbox.Menu()), args[0])
			if !known && toolbox.IsStrategy(args[0]) {
				return c.describeStrategy(args[0])
			}
			return c.describe(toolbox.Menu(), args[0])
		},
	}
}

// describeStrategy prints what the components of a strategy say of themselves.
func (c *command) describeStrategy(path string) error {
	list, err := toolbox.Interpret([]string{path}, exam.Budget)
	if err != nil {
		return err
	}
	own := new(registry.Registry)
	if err := list[0].Register(own); err != nil {
		return err
	}
	var pages []string
	for _, k := range own.Kinds() {
		for _, e := range k.Entries {
			pages = append(pages, c.page(e, console.Columns(c.Out)))
		}
	}
	return c.PrintText(strings.Join(pages, "\n"))
}

// describe prints what the components of a name say of themselves.
func (c *command) describe(kinds []registry.Kind, what string) error {
	kind, name, qualified := strings.Cut(what, "/")
	if !qualified {
		kind, name = "", what
	}
	var names, pages []string
	for _, k := range kinds {
		if kind != "" && kind != k.Name {
			continue
		}
		for _, e := range k.Entries {
			names = append(names, e.Name)
			if e.Name == name {
				pages = append(pages, c.page(e, console.Columns(c.Out)))
			}
		}
	}
	if len(pages) > 0 {
		return c.PrintText(strings.Join(pages, "\n"))
	}
	if k, err := findKind(kinds, what); err == nil {
		return fmt.Errorf("%s is a kind of component; `%s` lists what there is", k.Name,
			phrase.Hint("list", k.Name))
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no kind %q; %s", kind, study.Suggest(kind, kindNames(kinds)))
	}
	hint := study.Suggest(name, names)
	if kind == "" && strings.HasPrefix(hint, "known") {
		hint = "hansa list prints all there are"
	}
	return fmt.Errorf("there is no %s %q; %s", cmp.Or(kind, "component"), name, hint)
}

// page returns what an entry says of itself, and how an experiment picks it, in lines of at
// most width columns.
func (c *command) page(e registry.Description, width int) string {
	var b strings.Builder
	title := fmt.Sprintf("%s %s — %s", e.Kind, e.Name, e.Summary)
	head, rest, _ := strings.Cut(console.Paragraph("", title, width), e.Name)
	b.WriteString(head + c.Paint(c.Out, console.Bold, e.Name) + rest)
	if e.Paper != "" {
		paper := e.Paper
		if full, ok := builtin.Papers()[paper]; ok {
			paper = full
		}
		b.WriteString(console.Paragraph(console.Margin, paper, width))
	}
	if len(e.Params) > 0 {
		rows := [][]string{{"parameter", "default", "values", "meaning"}}
		for _, p := range e.Params {
			rows = append(rows, row(p, width))
		}
		b.WriteString("\n" + console.Grid(rows, console.Margin, console.Gutter, width))
	}
	if e.Deviations != "" {
		b.WriteString("\n" + console.Paragraph(console.Margin+"Departures: ", e.Deviations+".",
			width))
	}
	for _, s := range e.Says {
		b.WriteString("\n" + console.Paragraph(console.Margin, s, width))
	}
	for _, check := range slices.Sorted(maps.Keys(e.Waives)) {
		b.WriteString("\n" + console.Paragraph(console.Margin+"Waives "+check+": ",
			e.Waives[check]+".", width))
	}
	b.WriteString("\n" + example(e, width))
	return b.String()
}

// row returns what is printed of a parameter: name, default, values and meaning. Options
// that take more than three tenths of the width are listed with the meaning, and so is a default
// that takes more than half of it.
func row(p fl.Spec, width int) []string {
	text, values := p.Doc, p.Kind
	switch {
	case p.Kind == "choice":
		values = strings.Join(p.Options, " | ")
		if phrase.Width(values) > width*3/10 {
			values, text = "one of …", strings.Join(p.Options, ", ")+"\n"+text
		}
	case p.Kind == "bool":
		values = "true | false"
	case p.Kind == "int":
		values = "int " + p.Range.String()
	case p.Kind == "floats":
		values = "list of " + p.Range.String()
	case p.Kind == "ints":
		values = "list of int " + p.Range.String()
	case p.Kind == "texts":
		values = "list of texts"
	case p.Range != nil:
		values = p.Range.String()
	}
	fallback := "none"
	if p.Required {
		fallback = "required"
	} else if p.Default != nil {
		fallback = settings.Literal(p.Default)
	}
	if phrase.Width(fallback) > width/2 {
		fallback, text = "…", "by default "+fallback+"\n"+text
	}
	return []string{p.Name, fallback, values, text}
}

// glued and unglued make spaces unbreakable, and spaces again.
var (
	glued   = strings.NewReplacer(" ", "␣")
	unglued = strings.NewReplacer("␣", " ")
)

// example returns the lines of an experiment that pick the component, with all it takes: the
// defaults, and of what has none an example where something has to be written. So the lines say the
// same as the name alone, wherever that is enough. TOML lets an inline table go on in the next line
// between its fields only.
func example(e registry.Description, width int) string {
	var parts []string
	needs := slices.ContainsFunc(e.Params, func(p fl.Spec) bool { return p.Required })
	for _, p := range e.Params {
		v, given := e.Example[p.Name]
		switch {
		case !p.Required && p.Default != nil:
			v = p.Default
		case needs && given:
		case p.Required && len(p.Options) > 0:
			v = p.Options[0]
		default:
			continue
		}
		parts = append(parts, glued.Replace(p.Name+" = "+settings.Literal(v)))
	}
	pick := settings.Literal(e.Name)
	if len(parts) > 0 {
		pick = glued.Replace("{ name = ") + strings.Join(slices.Insert(parts, 0, pick), ", ") +
			glued.Replace(" }")
	}
	k, _ := registry.KindNamed(e.Kind)
	if k.Many {
		pick = "[" + pick + "]"
	}
	return unglued.Replace(console.Paragraph(console.Margin+k.Path+" = ", pick, width))
}
