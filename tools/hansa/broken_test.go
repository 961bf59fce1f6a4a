package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every file of testdata/broken is an experiment with mistakes of one class; what check says
// of it is in the file of its name that ends in .err.
func TestBrokenFiles(t *testing.T) {
	t.Chdir("testdata/broken")
	files := glob(t, "*.toml")
	if len(files) < 25 {
		t.Errorf("there are %d broken files", len(files))
	}
	var expected []string
	for _, file := range files {
		expected = append(expected, strings.TrimSuffix(file, ".toml")+".err")
		t.Run(file, func(t *testing.T) {
			said := refused(t, "", file)
			golden(t, expected[len(expected)-1], said)
			pointed(t, said)
		})
	}
	if found := glob(t, "*.err"); !slices.Equal(found, expected) {
		t.Errorf("messages %v, expected of %v", found, expected)
	}
}

// Five mistakes of five kinds are reported at once, in the order of the file.
func TestBrokenInFivePlaces(t *testing.T) {
	t.Chdir("testdata/broken")
	said := refused(t, "", "five.toml")
	for _, about := range []string{"rounds", "importance", "local sgd", "aggregator fedavot",
		"report.baseline"} {
		_, after, found := strings.Cut(said, ": error: "+about+": ")
		if !found {
			t.Fatalf("nothing is said of %s, or too early:\n%s", about, said)
		}
		said = after
	}
	if rest := strings.Count(said, ": error: "); rest > 0 {
		t.Errorf("something else is wrong, too:\n%s", said)
	}
}

// What is wrong on the command line is said as is what is wrong in a file. The messages are
// in testdata/broken/args, the experiment there is right.
func TestBrokenArguments(t *testing.T) {
	t.Chdir("testdata/broken/args")
	var expected []string
	for _, c := range []struct {
		name string
		out  string // what is printed of files that are right
		args []string
	}{
		{name: "set-unreadable", args: []string{"right.toml", "--set", "local.lr", "--set", "=3",
			"--set", "local.lr=[1", "--set", "local..lr=1", "--set", "FedAVOT: epsilon"}},
		{name: "set-unknown", args: []string{"right.toml", "--set", "titel=x", "--set", "lr=0.1",
			"--set", "lcoal.lr=0.1", "--set", "sweep.rounds=[1]", "--set", "local.lrr=0.1",
			"--set", "report.baselin=FedAvg"}},
		{name: "set-label", args: []string{"right.toml", "--set", "FedAVT: aggregator.epsilon=0.1",
			"--set", "FedAvg: aggregator.epsilon=0.1", "--set", "FedAVOT: epsilon=0.1"}},
		{name: "set-value", args: []string{"right.toml", "--set", "rounds=ten",
			"--set", "availability.k=3.0", "--set", "local.lr=[0.1, -1]", "--set", "metrics=loss",
			"--set", "aggregator.epsilon=2", "--set", "law=unknwon"}},
		{name: "set-component", args: []string{"right.toml", "--set", "local.name=adam",
			"--set", "importance=lin", "--set", `availability.prior={ name = "zipf" }`}},
		{name: "set-misfit", args: []string{"right.toml", "--set", "clients=2",
			"--set", `metrics=["accuracy"]`}},
		{name: "set-duplicate", args: []string{"right.toml", "--set", "FedAVOT: aggregator=fedavg"}},
		{name: "set-sweep", args: []string{"right.toml", "--set", "local.lr=[0.1, 0.1]"}},
		{name: "seeds-none", args: []string{"right.toml", "--seeds", "0"}},
		{name: "seeds-word", args: []string{"right.toml", "--seeds", "many"}},
		{name: "seeds-list", args: []string{"right.toml", "--seeds", "0,3,x"}},
		{name: "seeds-twice", args: []string{"right.toml", "--seeds", "3,1,3"}},
		{name: "seeds-half", args: []string{"right.toml", "--seeds", "1.5"}},
		{name: "seeds-negative", args: []string{"right.toml", "--seeds=-1"}},
		{name: "only-form", args: []string{"right.toml", "--only", "FedAVOT"}},
		{name: "only-key", args: []string{"right.toml", "--only", "methd=FedAVOT", "--only", "k=3"}},
		{name: "only-value", args: []string{"right.toml", "--only", "method=fedavot",
			"--only", "lr=0.3", "--only", "seed=7"}},
		{name: "everything", args: []string{"../prior-length.toml", "--set", "importance=lin",
			"--set", "rounds=0", "--seeds", "0"}},
		{name: "no-file", args: []string{"rigth.toml", "elsewhere/right.toml"}},
		{name: "folder", args: []string{"."}},
		{name: "several-files", args: []string{"../syntax.toml", "nowhere.toml", "../required.toml"}},
		{name: "some-files", args: []string{"--quiet", "../list-length.toml", "right.toml"},
			out: "right.toml: 4 training runs: 2 methods × 2 values of local.lr × 1 seed\n"},
	} {
		expected = append(expected, c.name+".err")
		t.Run(c.name, func(t *testing.T) {
			said := refused(t, c.out, c.args...)
			golden(t, c.name+".err", said)
			pointed(t, said)
		})
	}
	slices.Sort(expected)
	if found := glob(t, "*.err"); !slices.Equal(found, expected) {
		t.Errorf("messages %v, expected of %v", found, expected)
	}
}

// refused checks what has mistakes, and returns what is said of them.
func refused(t *testing.T, printed string, args ...string) string {
	t.Helper()
	var out, errOut strings.Builder
	code := hansa(t.Context(), &out, &errOut, append([]string{"check"}, args...))
	if code != exitUsage || out.String() != printed {
		t.Errorf("exit code %d, want %d; printed\n%s", code, exitUsage, &out)
	}
	return errOut.String()
}

var (
	placed = regexp.MustCompile(`(?m)^(\S+\.toml):(\d+):(\d+): error: `)
	total  = regexp.MustCompile(`(?m)^(\d+) problems?; nothing was run$`)
)

// pointed holds messages to what holds for all of them: each is counted, and points to
// something.
func pointed(t *testing.T, said string) {
	t.Helper()
	n := total.FindStringSubmatch(said)
	if n == nil || n[1] != strconv.Itoa(strings.Count(said, ": error: ")) {
		t.Errorf("the number of problems is wrong:\n%s", said)
	}
	for _, at := range placed.FindAllStringSubmatch(said, -1) {
		content, err := os.ReadFile(at[1])
		if err != nil {
			t.Fatal(err)
		}
		line, _ := strconv.Atoi(at[2])
		column, _ := strconv.Atoi(at[3])
		text := []rune(strings.Split(string(content)+"\n", "\n")[line-1] + "\n")
		if c := text[column-1]; c == ' ' || c == '=' {
			t.Errorf("%s points to %q", at[0], c)
		}
	}
}

// glob returns the files of a pattern, sorted.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
