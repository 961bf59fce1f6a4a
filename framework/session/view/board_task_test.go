package view

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Every experiment of a leaderboard is that of a task in a size, and lies where the command runs
// once it is asked for. What is there under its name and says something else is left alone.
func TestBoardFiles(t *testing.T) {
	list, err := boardTasks()
	if err != nil || len(list) < 4 {
		t.Fatalf("%d tasks, %v", len(list), err)
	}
	for _, b := range list {
		if b.task == "" || b.size == "" || b.task == b.size {
			t.Errorf("%s is of task %q in size %q", b.file, b.task, b.size)
		}
	}
	tasks, sizes := BoardTasks()
	if !slices.Contains(tasks, "glyphs") || !slices.Equal(sizes, []string{"smoke", "laptop", "full"}) {
		t.Errorf("tasks %v in sizes %v", tasks, sizes)
	}
	t.Chdir(t.TempDir())
	said := ""
	say := func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
	for _, wanted := range [][4]string{
		{"glyphs", "", "smoke.toml", ""}, {"glyphs", "full", "board-glyphs.toml", "size=full"},
		{"mnist", "", "board-mnist.toml", "size=laptop"},
	} {
		said = ""
		file, only, err := BoardFile(wanted[0], wanted[1], say)
		if err != nil || file != wanted[2] || strings.Join(only, " ") != wanted[3] ||
			!strings.Contains(said, file) {
			t.Errorf("%v: %q %v, %v; it says %q", wanted, file, only, err, said)
		}
		said = ""
		if again, _, err := BoardFile(wanted[0], wanted[1], say); again != file || err != nil || said != "" {
			t.Errorf("again: %q, %v; it says %q", again, err, said)
		}
	}
	known := "adult, cifar10, domains, fashion-mnist, glyphs, mnist, office-caltech, shakespeare"
	for want, wanted := range map[string][2]string{
		`--task glyps: there is no such task; did you mean "glyphs"? known: ` + known: {"glyps"},
		"--task xyz: there is no such task; known: " + known:                          {"xyz"},
		"--size smoke: mnist has no such size; known: laptop, full":                   {"mnist", "smoke"},
		"--task says among which runs a method is to stand: " + known:                 {},
	} {
		if _, _, err := BoardFile(wanted[0], wanted[1], say); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", wanted, err, want)
		}
	}
	if err := os.WriteFile("smoke.toml", []byte("title = \"mine\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := BoardFile("glyphs", "smoke", say); err == nil ||
		!strings.Contains(err.Error(), "smoke.toml is here and is not") {
		t.Errorf("another smoke.toml: %v", err)
	}
	if text, err := os.ReadFile("smoke.toml"); err != nil || !strings.Contains(string(text), "mine") {
		t.Errorf("it is now %q, %v", text, err)
	}
	if err := os.MkdirAll("experiments/leaderboard", 0o777); err != nil {
		t.Fatal(err)
	}
	shipped := "experiments/leaderboard/smoke.toml"
	if err := os.WriteFile(shipped, []byte("title = \"of the checkout\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if file, _, err := BoardFile("glyphs", "smoke", say); err != nil || file != shipped {
		t.Errorf("in a checkout: %q, %v", file, err)
	}
}

func TestJoinFilters(t *testing.T) {
	own := []string{"mine", "other"}
	for _, c := range []struct {
		only      []string
		elsewhere bool
		want      []string
	}{
		{nil, false, nil},
		{[]string{"seed=1"}, false, []string{"seed=1"}},
		{[]string{"method=FedAvg", "seed=1"}, false,
			[]string{"method=FedAvg", "seed=1", "method=mine", "method=other"}},
		{nil, true, []string{"method=mine", "method=other"}},
		{[]string{"method=FedAvg", "seed=1"}, true,
			[]string{"seed=1", "method=mine", "method=other"}},
	} {
		if got := JoinFilters(c.only, own, c.elsewhere); !slices.Equal(got, c.want) {
			t.Errorf("%v, others elsewhere: %t: %v, want %v", c.only, c.elsewhere, got, c.want)
		}
	}
}
