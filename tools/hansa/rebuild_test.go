//go:build linux

package main

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/session/view"
)

// What a run keeps of a strategy is all that any command needs: with a strategy of every kind, all
// commands on a run print and draw the same when the source file has changed since, when it is
// gone, and when the folder of the run has moved; and cells that are run again give the same bytes.
func TestStoredStrategiesAreRebuilt(t *testing.T) {
	for _, k := range strategyKinds(toolbox.Menu()) {
		t.Run(k.Name, func(t *testing.T) {
			r := newStoredRun(t, k.Name)
			var want map[string]effect
			for i, state := range storedStates() {
				state.make(r)
				if state.gone && k.Name != "importance" && !*slow {
					continue // as it is when the run has moved as well
				}
				got := r.everything(state.note)
				if want == nil {
					want = got
				}
				for _, command := range slices.Sorted(maps.Keys(got)) {
					if got[command] != want[command] {
						t.Errorf("%s, hansa %s:\n%+v\nnot\n%+v", state.name, command, got[command],
							want[command])
					}
				}
				r.again(i, state.name)
			}
		})
	}
}

// A storedRun is a run of a new strategy.
type storedRun struct {
	*testing.T
	dir     string
	results map[string]string
}

func newStoredRun(t *testing.T, kind string) *storedRun {
	t.Chdir(t.TempDir())
	begun(t, kind, "mine", "mine")
	r := &storedRun{T: t, dir: filepath.Join("runs", "mine")}
	file := filepath.Join("mine", "mine.toml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	small := []string{"features = 10, samples_per_client = 50",
		"features = 2, samples_per_client = 5", "min_size = 5", "min_size = 2",
		"train = 1000, test = 500", "train = 60, test = 20"}
	if kind != "preprocess" { // whose images are plotted
		small = append(small, `{ name = "glyphs", `, `{ name = "gaussian-domains", `)
	}
	fewer := strings.NewReplacer(small...)
	if err := os.WriteFile(file, []byte(fewer.Replace(string(text))), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", file, "--seeds", "1", "--set", "rounds=2", "--set", "clients=6")
	r.results = contents(t, filepath.Join(r.dir, "results"))
	return r
}

// A storedState is what has become of a run and its files.
type storedState struct {
	name string
	make func(r *storedRun)
	note bool // the user is told that the source has changed
	gone bool // nothing but the source is gone
}

func storedStates() []storedState {
	source := filepath.Join("mine", "mine.go")
	return []storedState{
		{"as it is", func(*storedRun) {}, false, false},
		{"the source has changed", func(r *storedRun) {
			if err := os.WriteFile(source, []byte("this is no Go"), 0o666); err != nil {
				r.Fatal(err)
			}
		}, true, false},
		{"the source is gone", func(r *storedRun) {
			if err := os.RemoveAll("mine"); err != nil {
				r.Fatal(err)
			}
		}, false, true},
		{"the run has moved", func(r *storedRun) {
			to := filepath.Join("else where", "mine")
			if err := os.Mkdir("else where", 0o777); err != nil {
				r.Fatal(err)
			}
			if err := os.Rename(r.dir, to); err != nil {
				r.Fatal(err)
			}
			r.dir = to
		}, false, false},
	}
}

// An effect is what a command does.
type effect struct {
	code      int
	out, said string
	file      string // that it writes
}

// storedCommands are the commands on a run, but for those that run cells.
func storedCommands() map[string][]string {
	all := map[string][]string{
		"table": nil, "status": {"--all"}, "collect": nil, "compare": nil, "claims": nil,
		"tune": nil, "cancel": nil,
		"export": {"-o", "-"}, "gc": {"--dry-run", "--orphans"}, "audit": {"--width", "90"},
		"report": {"-o", "out.html"}, "leaderboard": {"-o", "site"},
	}
	for _, k := range view.Kinds() {
		all["plot "+k.Name] = []string{k.Name, "-o", "out.svg"}
	}
	return all
}

// everything does all commands that run no cells.
func (r *storedRun) everything(note bool) map[string]effect {
	r.Helper()
	all := map[string]effect{"diff": r.command(note, "diff", r.dir, r.dir)}
	for name, args := range storedCommands() {
		verb, _, _ := strings.Cut(name, " ")
		all[name] = r.command(note && verb != "gc" && verb != "cancel",
			append([]string{verb, r.dir}, args...)...)
	}
	return all
}

// command does one.
func (r *storedRun) command(note bool, args ...string) (o effect) {
	r.Helper()
	var out, said strings.Builder
	o.code = hansa(r.Context(), &out, &said, args)
	o.out, o.said = out.String(), said.String()
	if line, rest, found := strings.Cut(o.said, "\n"); note {
		if want := "mine.go has changed since " + r.dir + " was planned"; !found ||
			!strings.Contains(line, want) {
			r.Errorf("hansa %q says %q, and not that the source has changed", args, o.said)
		}
		o.said = rest
	}
	if file := args[len(args)-1]; strings.HasPrefix(file, "out.") {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil && o.code == exitOK {
			r.Error(err)
		}
		o.file = string(text)
	}
	for _, text := range []*string{&o.out, &o.said, &o.file} {
		*text = strings.ReplaceAll(steady(*text), phrase.Quote(r.dir), "RUN")
		*text = strings.ReplaceAll(*text, r.dir, "RUN")
	}
	return o
}

// again runs all cells again: in turn here, and as a task of another engine. Everything else stays
// as it was.
func (r *storedRun) again(turn int, state string) {
	r.Helper()
	attempts := contents(r.T, filepath.Join(r.dir, "attempts"))
	r.remove("results")
	if turn%2 == 0 {
		try(r.T, exitOK, "resume", r.dir)
	} else {
		line, _ := try(r.T, exitOK, "export-jobs", r.dir, "--tasks", "1")
		if said, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			r.Errorf("%s: %v\n%s", line, err, said)
		}
	}
	if got := contents(r.T, filepath.Join(r.dir, "results")); !maps.Equal(got, r.results) {
		r.Errorf("%s: other results", state)
	}
	r.remove("submissions")
	r.remove("bin")
	for name, text := range attempts {
		if err := os.WriteFile(filepath.Join(r.dir, "attempts", name), []byte(text), 0o666); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *storedRun) remove(folder string) {
	r.Helper()
	if err := os.RemoveAll(filepath.Join(r.dir, folder)); err != nil {
		r.Fatal(err)
	}
}

// The commands that are tried on runs with strategies are all that take a run.
func TestStoredCommandsAreAll(t *testing.T) {
	tried := map[string]bool{"diff": true, "resume": true, "export-jobs": true}
	for name := range storedCommands() {
		verb, _, _ := strings.Cut(name, " ")
		tried[verb] = true
	}
	for _, cmd := range newCommand(io.Discard, io.Discard).root().Commands() {
		if strings.Contains(cmd.Use, "RUN") && !tried[cmd.Name()] {
			t.Errorf("hansa %s is not tried on a run with a strategy", cmd.Name())
		}
	}
}
