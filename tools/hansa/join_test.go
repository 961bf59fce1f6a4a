package main

import (
	"os"
	"strings"
	"testing"
)

// stumbling is a strategy that fails in its second round.
const stumbling = `package stumbling

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

var Stumbling = fl.AggregatorEntry{
	Name: "stumbling", Summary: "fails in its second round",
	New: func(p *fl.Params) (fl.Aggregator, error) { return fl.Weigh(&stumbling{}), nil },
}

type stumbling struct{}

func (*stumbling) Weights(r *fl.Round) (fl.Weights, error) {
	if r.T == 1 {
		return fl.Weights{}, errors.New("no weights")
	}
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return fl.Weights{By: w}, nil
}
`

// A method of the user's joins the leaderboard of a task: it is tuned and run in the conditions of
// the others, what is stored is not run again, and a table says where it stands. With a file of
// records of others it is run alone. A strategy that fails costs its own training runs.
func TestJoinALeaderboard(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains 150 times")
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"mine.go": powered, "bad.go": stumbling} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, words ...string) (out, said string) {
		t.Helper()
		var o, e strings.Builder
		line := append([]string{"leaderboard", "--task", "glyphs", "--set", "rounds=3", "--only",
			"participation=always", "--strategies", "interpreted",
			"--set", "tune.budget=2", "--set", "tune.search=random"}, words...)
		if code := hansa(t.Context(), &o, &e, line); code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s%s", words, code, want, &o, &e)
		}
		return o.String(), e.String()
	}
	others := []string{"--with", "mine.go", "--only", "method=FedAvg", "--only", "method=FedAdam"}
	table, said := run(exitOK, append(others, "-o", "site", "--seeds", "3")...)
	for _, part := range []string{"where powered stands, by accuracy (%) ↑ · 3 seeds\n",
		"\nIID, always ", "\nα = 0.3, always ", " of 3 "} {
		if !strings.Contains(table, part) {
			t.Errorf("the table lacks %q:\n%s", part, table)
		}
	}
	if strings.Contains(table, "uniform") {
		t.Errorf("the table has conditions at which nothing was run:\n%s", table)
	}
	for _, part := range []string{"wrote smoke.toml, the experiment of the task", "[18/18] ok",
		"wrote site: "} {
		if !strings.Contains(said, part) {
			t.Errorf("it does not say %q:\n%s", part, said)
		}
	}
	again, said := run(exitOK, append(others, "--seeds", "3")...)
	if again != table || !strings.Contains(said, "nothing to run: 18 training runs are done") {
		t.Errorf("again:\n%s%s", again, said)
	}

	prints(t, "leaderboard", "smoke", "--json", "others.json")
	if err := os.Rename("runs", "theirs"); err != nil {
		t.Fatal(err)
	}
	apart, said := run(exitOK, "others.json", "--with", "mine.go", "--seeds", "3")
	if apart != table || !strings.Contains(said, "[6/6] ok") || strings.Contains(said, "FedAvg") {
		t.Errorf("beside a file of records:\n%s%s\nwant\n%s", apart, said, table)
	}
	apart, said = run(exitFailed, "others.json", "--with", "mine.go", "--with", "bad.go", "--seeds",
		"3", "--unexamined")
	const failed = `
Leaderboard, smoke test: digits drawn on the fly — where stumbling stands, by accuracy (%) ↑ · 3 seeds
condition         mean   95 % CI   rank   confidence set   best mean
IID, always       —                                        failed
α = 0.3, always   —                                        failed
`
	if apart != table+failed || !strings.Contains(said, "\n6 of 12 training runs failed") {
		t.Errorf("beside one that fails:\n%s%s", apart, said)
	}
	var out, why strings.Builder
	code := hansa(t.Context(), &out, &why, []string{"run", "smoke.toml", "--with", "bad.go", "--only",
		"method=stumbling", "--only", "heterogeneity=IID", "--unexamined", "--set", "rounds=3"})
	if want := "\nhansa: 12 trials of stumbling failed, and not because training diverged\n"; code !=
		exitFailed || !strings.HasSuffix(why.String(), want) {
		t.Errorf("exit code %d, it does not end with %q:\n%s", code, want, &why)
	}
	why.Reset()
	code = hansa(t.Context(), &out, &why, []string{"run", "smoke.toml", "--with", "bad.go", "--only",
		"method=stumbling", "--only", "method=FedAvg", "--only", "heterogeneity=IID", "--only",
		"participation=always", "--unexamined", "--set", "rounds=3", "--seeds", "3"})
	if code != exitFailed || !strings.Contains(why.String(), "\n3 of 6 training runs failed") ||
		!strings.Contains(out.String(), "each of which failed in every trial") {
		t.Errorf("beside FedAvg: exit code %d\n%s%s", code, &out, &why)
	}
	if said := prints(t, "tune", "smoke"); strings.Count(said, "failed\n") != 12 {
		t.Errorf("tune says\n%s", said)
	}
	why.Reset()
	hansa(t.Context(), &out, &why, []string{"run", "smoke.toml", "--with", "bad.go", "--only",
		"method=stumbling", "--only", "method=FedAvg", "--only", "heterogeneity=IID", "--only",
		"participation=always", "--unexamined", "--set", "tune.search=halving", "--set",
		"tune.budget=8", "--seeds", "3", "--dir", "halved"})
	if said := why.String(); strings.Count(said, "trials of [tune]") < 2 ||
		strings.Count(said, "FAIL stumbling · IID · always · lr") != 8 {
		t.Errorf("what failed in a stage of halving is tried again in the next:\n%s", said)
	}
	for want, words := range map[string][]string{
		"--task needs a method of yours":            nil,
		"bad.go: error: no such file":               {"--with", "no/bad.go"},
		"unknown key \"nosuch.key\"":                {"--with", "mine.go", "--set", "nosuch.key=1"},
		"nothing matches \"nosuch\"":                {"--with", "mine.go", "--only", "participation=nosuch"},
		"--verify and --with exclude each other":    {"--with", "mine.go", "--verify", "1"},
		"--jobs -1: want at least 1":                {"--with", "mine.go", "--jobs", "-1"},
		"there is no run \"nowhere\"; known: smoke": {"nowhere", "--with", "mine.go", "--seeds", "3"},
	} {
		if _, said := run(exitUsage, words...); !strings.Contains(said, want) {
			t.Errorf("%v: it says %q, want %q", words, said, want)
		}
	}
}
