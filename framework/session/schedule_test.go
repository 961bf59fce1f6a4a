package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
)

// lengths is an experiment of long and of short training runs, on two populations.
const lengths = `seeds = 2
[setting]
clients      = 4
rounds       = 3
data_seed    = 0
dataset      = { name = "regression", features = 2, samples_per_client = 4 }
partition    = "natural"
importance   = "uniform"
model        = "linear"
local        = { name = "sgd", steps = 1, lr = 0.01 }
availability = "always"
metrics      = ["loss"]
[sweep]
rounds                = [3, 60]
"dataset.drift"       = [1.0, 2.0]
[[method]]
label      = "A"
aggregator = { name = "fedavg", weights = "uniform" }
[[method]]
label      = "B"
aggregator = { name = "fedavgm", weights = "uniform" }
`

// scheduled returns the training runs of the experiment in the order in which they begin, as
// "method rounds drift", and how long they are expected to take.
func scheduled(t *testing.T, j *Job) (order []string, seconds float64) {
	t.Helper()
	missing := j.Missing()
	s := j.schedule(missing)
	var all []int
	for _, cells := range s.batches {
		for _, i := range cells {
			c := &j.Experiment.Cells[i]
			all = append(all, i)
			order = append(order, fmt.Sprintf("%s %d %v", c.Method, c.Rounds,
				c.Picks["dataset"].Params["drift"]))
		}
	}
	slices.Sort(all)
	slices.Sort(missing)
	if !slices.Equal(all, missing) {
		t.Errorf("it begins %v of %v", all, missing)
	}
	return order, s.seconds
}

// Long training runs begin before short ones, and those that are as long come together where they
// have the same data: by their work where nothing was timed, and by the times of their methods
// where some are done.
func TestLongTrainingRunsBeginFirst(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "lengths.toml")
	if err := os.WriteFile(file, []byte(lengths), 0o666); err != nil {
		t.Fatal(err)
	}
	x, err := Read(file, &Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Session: new(Session), Experiment: x, Run: store.Run{Dir: dir},
		Reasons: map[string]string{}}
	each := func(words ...string) (all []string) {
		for _, w := range words {
			all = append(all, w, w) // two seeds
		}
		slices.Sort(all)
		return all
	}
	parts := func(order []string) (parts [][]string) {
		for part := range slices.Chunk(order, 4) {
			slices.Sort(part)
			parts = append(parts, part)
		}
		return parts
	}
	order, seconds := scheduled(t, j)
	want := [][]string{each("A 60 1", "B 60 1"), each("A 60 2", "B 60 2"), each("A 3 1", "B 3 1"),
		each("A 3 2", "B 3 2")}
	if got := parts(order); fmt.Sprint(got) != fmt.Sprint(want) || seconds != 0 {
		t.Errorf("it begins\n%v\nwant\n%v; %v seconds", got, want, seconds)
	}

	// B takes a hundred times as long as A, which a training run of each shows.
	took := func(unit float64) {
		for i := range x.Cells {
			c := &x.Cells[i]
			if c.Rounds == 3 && c.Seed == 0 && c.Picks["dataset"].Params["drift"] == 1.0 {
				a := store.Attempt{Seconds: unit * map[string]float64{"A": 1, "B": 100}[c.Method]}
				if err := j.Run.SaveAttempt(x.IDs[i], &a); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	took(1e-3) // 8 seconds in all, in which the order does not matter: it is that of work
	order, seconds = scheduled(t, j)
	if got := parts(order); fmt.Sprint(got) != fmt.Sprint(want) || seconds != 0 {
		t.Errorf("where it takes little it begins\n%v\nwant\n%v; %v seconds", got, want, seconds)
	}
	took(1)
	order, seconds = scheduled(t, j)
	want = [][]string{each("B 60 1", "B 60 2"), each("B 3 1", "B 3 2"), each("A 60 1", "A 60 2"),
		each("A 3 1", "A 3 2")}
	if got := parts(order); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("it begins\n%v\nwant\n%v", got, want)
	}
	if want := 4.0 * (2000 + 100 + 20 + 1); seconds < want-1e-6 || seconds > want+1e-6 {
		t.Errorf("all of them are to take %v s, want %v", seconds, want)
	}
}

// A load of two workers that each had a cell all the time was busy all the time.
func TestUtilisationText(t *testing.T) {
	u := &store.Utilisation{Workers: 2, Cells: 9, Seconds: 723, Busy: 1402, Processor: 1395}
	const want = "2 workers were busy 97 % of 12 min 3 s, with 1.93 processors in use"
	if text := UtilisationText(u); text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if text := UtilisationText(new(store.Utilisation)); text != "" {
		t.Errorf("of nothing %q", text)
	}
	run := store.Run{Dir: t.TempDir()}
	if text := Used(run); text != "" {
		t.Errorf("without a record %q", text)
	}
	if err := run.SaveUtilisation(u); err != nil {
		t.Fatal(err)
	}
	if got, err := run.LoadUtilisation(); err != nil || *got != *u || Used(run) != want {
		t.Errorf("%+v, %v: %q", got, err, Used(run))
	}
}
