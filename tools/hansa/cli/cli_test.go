package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
)

// said returns what an error says, and nothing for none.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// tool returns a command "tool" with a command "tool run" below it, which takes one FILE.
func tool() (root, run *cobra.Command) {
	root = &cobra.Command{Use: "tool", Long: "a tool", Args: Subcommand, SilenceErrors: true,
		SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
	run = &cobra.Command{Use: "run FILE", GroupID: "all", Short: "Run it", Long: "run <it> _now_",
		Args: Want(1, 1, "one FILE"), RunE: func(*cobra.Command, []string) error { return nil }}
	root.AddGroup(&cobra.Group{ID: "all", Title: "All"})
	root.AddCommand(run)
	return root, run
}

// What is wrong with a command line is said in one line, with what was probably meant.
func TestArgumentsAreExplained(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"run one", ""},
		{"run", "run takes one FILE; there are 0 arguments"},
		{"run one two", "run takes one FILE; there are 2 arguments"},
		{"rum", `unknown command "rum"; did you mean "run"?`},
		{"help rum", `unknown command "rum"; did you mean "run"?`},
		{"run one --call-timeout soon", "--call-timeout soon: want a time such as 500ms or 2m"},
		{"run one --memory much", "--memory much: want a number of bytes such as 512MiB or 4GB"},
		{"run one --unexamined=perhaps", "--unexamined perhaps: want true or false"},
		{"run one --n many", "--n many: want a whole number"},
		{"run one --memori 1GB", `unknown flag: --memori; did you mean "--memory"?`},
		{"run one -memory 1GB", `unknown flag: -memory; did you mean "--memory"?`},
	} {
		root, run := tool()
		var o session.Options
		LimitFlags(run, &o)
		UnexaminedFlag(run, new(bool))
		run.Flags().Int("n", 0, "a number")
		SetHelp(root, 80, nil)
		root.SetArgs(strings.Fields(c.line))
		if got := said(root.Execute()); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// Limits that make no sense are refused; how strategies run is the flag, then the variable of the
// environment, then auto.
func TestLimitsAreChecked(t *testing.T) {
	for _, c := range []struct{ variable, line, way, want string }{
		{"", "", session.EitherWay, ""},
		{"compiled", "", session.AsCompiled, ""},
		{"compiled", "--strategies interpreted", session.AsInterpreted, ""},
		{"compile", "", "compile", `$HANSA_STRATEGIES compile: did you mean "compiled"?`},
		{"", "--strategies compile", "compile", `--strategies compile: did you mean "compiled"?`},
		{"", "--call-timeout 0s", "", "--call-timeout 0s: want more than 0"},
		{"", "--cell-timeout -1s", "", "--cell-timeout -1s: want a time such as 30m, or 0 for as " +
			"long as it takes"},
		{"", "--isolation proces", "", `--isolation proces: did you mean "process"?`},
		{"", "--strategies compiled --isolation none", session.AsCompiled, "--strategies " +
			"compiled: compiled strategies run in worker processes; leave out --isolation none"},
	} {
		t.Setenv(StrategiesVariable, c.variable)
		_, run := tool()
		var o session.Options
		LimitFlags(run, &o)
		if err := run.ParseFlags(strings.Fields(c.line)); err != nil {
			t.Fatal(err)
		}
		if got := said(CheckLimits(&o)); got != c.want || o.Strategies != c.way {
			t.Errorf("%q with %q: %q and %q, want %q and %q", c.line, c.variable, got, o.Strategies,
				c.want, c.way)
		}
	}
}

// The command line that does the same again is quoted for a shell, and lacks what is left out.
func TestAgainSaysTheSame(t *testing.T) {
	_, run := tool()
	var o session.Overrides
	OverrideFlags(run, &o)
	UnexaminedFlag(run, new(bool))
	run.Flags().Bool("plain", true, "")
	err := run.ParseFlags([]string{"--set", "rounds=3", "--set", "a b: lr=0.1", "--only", "seed=0",
		"--unexamined", "--plain=false"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "tool run 'my file.toml' --plain=false --set rounds=3 --set 'a b: lr=0.1' " +
		"--unexamined"
	if got := Again("tool run", run, []string{"my file.toml"}, "only"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	left := Others(run, "set", "seeds", "only")
	if slices.Contains(left, "set") || !slices.Contains(left, "unexamined") {
		t.Errorf("the others are %q", left)
	}
}

// A page for each command says all that its help says, and what the exit codes mean.
func TestManualIsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man [1]")
	root, run := tool()
	run.Flags().Int("n", 0, "a `NUMBER`, at most <that>")
	n, err := WriteManual(root, dir, [][]string{{"0", "all went well"}})
	if err != nil || n != 2 {
		t.Fatalf("%d pages, %v", n, err)
	}
	for file, words := range map[string][]string{
		"tool.1":     {"EXIT STATUS", "all went well", "a tool"},
		"tool-run.1": {"FILE", "run <it> _now_", "--n", "at most <that>"},
	} {
		page, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
		}
		text := strings.ReplaceAll(string(page), `\-`, "-")
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", file, w, text)
			}
		}
	}
	file := filepath.Join(dir, "tool.1")
	root, _ = tool()
	if _, err := WriteManual(root, file, nil); !errors.As(err, new(*os.PathError)) {
		t.Errorf("pages in a file: %v", err)
	}
}

// A shell completes every flag with its values, what --only keeps and what --set changes.
func TestFlagsAreCompleted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "few.toml")
	text := "methods = [{ label = \"FedAvg\", aggregator = \"fedavg\" }]\nseeds = [0, 3]\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, run := tool()
	var o session.Options
	var change session.Overrides
	LimitFlags(run, &o)
	OverrideFlags(run, &change)
	DataFlag(run, new(string))
	complete := map[string]cobra.CompletionFunc{}
	run.Flags().VisitAll(func(f *pflag.Flag) {
		offer, ok := run.GetFlagCompletionFunc(f.Name)
		if !ok {
			t.Errorf("--%s is not completed", f.Name)
			return
		}
		complete[f.Name] = offer
	})
	for _, c := range []struct {
		flag, typed string
		want        string
	}{
		{"strategies", "", "compiled"}, {"isolation", "", "process"}, {"only", "", "seed=3"},
		{"set", "", "rounds="}, {"set", "FedAvg: r", "FedAvg: rounds="},
	} {
		words, _ := complete[c.flag](run, []string{file}, c.typed)
		if !slices.ContainsFunc(words, func(w string) bool {
			word, _, _ := strings.Cut(w, "\t")
			return word == c.want
		}) {
			t.Errorf("--%s %s: %q, want %q among them", c.flag, c.typed, words, c.want)
		}
	}
	if _, then := complete["data"](run, nil, ""); then != cobra.ShellCompDirectiveFilterDirs {
		t.Errorf("--data is completed with %v, not with folders", then)
	}
	few := First(func() []string { return []string{"a"} }, cobra.ShellCompDirectiveDefault)
	if words, _ := few(run, []string{"a"}, ""); len(words) > 0 {
		t.Errorf("a second argument is completed with %q", words)
	}
	if names := Components(toolbox.Menu()); !slices.ContainsFunc(names, func(n string) bool {
		return strings.HasPrefix(n, "fedavot\taggregator: ")
	}) {
		t.Error("fedavot is not among the components with its kind")
	}
}
