package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/phrase"
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
		Long: "Describe a component: its parameters with defaults and ranges, its paper, " +
			"where it departs from that paper, and how an experiment names it.\n\nWhere " +
			"components of several kinds have the same name, all of them are described; " +
			"KIND/NAME picks one. A Go file or a folder is a strategy: all its components " +
			"are described.",
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
	if k, err := cli.FindKind(kinds, what); err == nil {
		return fmt.Errorf("%s is a kind of component; `%s` lists what there is", k.Name,
			phrase.Hint("list", k.Name))
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no kind %q; %s", kind,
			study.Suggest(kind, cli.KindNames(kinds)))
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
	if full, ok := builtin.Papers()[e.Paper]; ok {
		e.Paper = full
	}
	var shown [][]string
	if e.Source == "" { // it is of the menu
		for _, v := range builtin.Verified()[e.Kind+"/"+e.Name] {
			shown = append(shown, []string{v.Kind,
				strings.TrimSuffix(v.Says, ".") + " (" + v.Test + ")"})
		}
	}
	return cli.Description(e, shown, c.bold, width)
}
