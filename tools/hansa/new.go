package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/plugins/draft"
	"github.com/hansa-fl/hansa/plugins/samples"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) newCommand() *cobra.Command {
	var dir, from string
	var state bool
	cmd := &cobra.Command{
		Use:     "new KIND NAME",
		GroupID: "plan",
		Short:   "Make a component of your own: a strategy and an experiment with it",
		Long: "Make the folder NAME with a strategy, a component of your own in Go, and " +
			"an experiment that compares it with others of its kind. The strategy works " +
			"unchanged. No compiler is needed.\n\nKIND is one that hansa list shows: " +
			"partition, preprocess, importance, local, enrollment, availability, selection, " +
			"completion, compressor, adversary, guard, aggregator or metrics. NAME is the name " +
			"of the component in experiments.\n\n" +
			"With --state the strategy is one that keeps state from round to round: a local rule " +
			"that of each client, an aggregator what each client sent last. Other kinds have no " +
			"such template.\n\nWith --from the strategy is a copy of a SAMPLE from the " +
			"literature, and NAME is that of the folder (default SAMPLE). hansa list shows the " +
			"samples.\n\nThe files " +
			"go.mod and .hansa are for editors and go vet, which find the package fl through " +
			"them without a network.",
		Example: "  hansa new aggregator mine\n  hansa check mine\n  hansa run mine/mine.toml\n" +
			"  hansa new local mine --state\n  hansa new --from nearest-model",
		Args: cli.Want(0, 2, "a KIND and a NAME, or --from SAMPLE"),
		ValidArgsFunction: cli.First(func() []string {
			return cli.KindNames(strategyKinds(toolbox.Menu()))
		}, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			if from != "" && state {
				return errors.New("--from and --state exclude each other: each names a template")
			}
			if from != "" {
				return c.beginSample(from, args, dir)
			}
			if len(args) < 2 {
				return errors.New("want a KIND and a NAME, or --from SAMPLE")
			}
			d, err := newDraft(args[0], args[1])
			if err == nil && state && !draft.HasState(d.Kind) {
				err = fmt.Errorf("kind %s has no template with state; %s have one", d.Kind,
					inWords(statefulKinds(toolbox.Menu()), "and"))
			}
			if err != nil {
				return err
			}
			d.State = state
			return c.begin(d, filepath.Clean(cmp.Or(dir, d.Name)))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "make `FOLDER` (default NAME)")
	cli.CompleteFlag(cmd, "dir")
	cmd.Flags().BoolVar(&state, "state", false, "begin with a strategy that keeps state: local or "+
		"aggregator")
	cmd.Flags().StringVar(&from, "from", "", "begin with a copy of `SAMPLE`")
	cli.CompleteFlag(cmd, "from", samples.Names()...)
	return cmd
}

// strategyKinds returns the kinds that a strategy can be of.
func strategyKinds(kinds []registry.Kind) []registry.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k registry.Kind) bool {
		return !draft.Has(k.Name)
	})
}

// statefulKinds returns the kinds that have a template with state.
func statefulKinds(kinds []registry.Kind) []registry.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k registry.Kind) bool {
		return !draft.HasState(k.Name)
	})
}

// inWords lists kinds, with a word before the last.
func inWords(kinds []registry.Kind, last string) string {
	names := cli.KindNames(kinds)
	end := len(names) - 1
	return strings.Join(names[:end], ", ") + " " + last + " " + names[end]
}

// newDraft returns the draft that a command line asks for, or says why there can be none.
func newDraft(kind, name string) (draft.Draft, error) {
	kinds := toolbox.Menu()
	k, err := cli.FindKind(strategyKinds(kinds), kind)
	if err != nil {
		if other, unmade := cli.FindKind(kinds, kind); unmade == nil {
			return draft.Draft{}, fmt.Errorf("no strategy can be of kind %s; it can be %s",
				other.Name, inWords(strategyKinds(kinds), "or"))
		}
		return draft.Draft{}, err
	}
	if !registry.Named(name) {
		err := fmt.Errorf("%q is no name of a component: want small letters and digits, in words "+
			"joined by -", name)
		if better := draft.ComponentForm(name); better != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, better)
		}
		return draft.Draft{}, err
	}
	for _, e := range k.Entries {
		if e.Name == name {
			return draft.Draft{},
				fmt.Errorf("%s %s is built in; choose another name, such as my-%[2]s",
					k.Name, name)
		}
	}
	return draft.Draft{Kind: k.Name, Name: name}, nil
}

// begin makes a folder that holds a draft, and says what to do next.
func (c *command) begin(d draft.Draft, dir string) error {
	if err := absent(dir); err != nil {
		return err
	}
	files, err := d.Files()
	if err != nil {
		return fault.Of(err)
	}
	return c.beginWith(d.Name, "the "+d.Noun()+" "+d.Name+", which works as it is: make it yours",
		dir, files)
}

// beginWith makes a folder that holds the files of a strategy, and says what to do next.
func (c *command) beginWith(name, what, dir string, files map[string]string) error {
	if err := draft.MakeFolder(dir, files); err != nil {
		return fault.Unstorable(dir, err)
	}
	experiment := filepath.Join(dir, name+".toml")
	var b strings.Builder
	heading := func(text string) { fmt.Fprintln(&b, c.Paint(c.Out, console.Bold, text)) }
	heading(dir + string(filepath.Separator) + " holds")
	b.WriteString(console.Grid([][]string{
		{name + ".go", what},
		{name + ".toml", question(files[name+".toml"])},
		{"go.mod, .hansa", "what editors and go vet need; hansa does without"},
	}, console.Margin, console.Gutter, console.Columns(c.Out)))
	heading("next")
	b.WriteString(console.Grid([][]string{
		{phrase.Hint("check", dir), "check that it meets the requirements of its kind"},
		{phrase.Hint("run", experiment), "run the experiment, print the table"},
		{phrase.Hint("table", name, "--format", "latex"), "the same table for a paper"},
	}, console.Margin, console.Gutter, console.Columns(c.Out)))
	return c.PrintText(b.String())
}

// question returns what an experiment asks: the comment in its first line.
func question(experiment string) string {
	line, _, _ := strings.Cut(experiment, "\n")
	return strings.TrimPrefix(line, "# ")
}
