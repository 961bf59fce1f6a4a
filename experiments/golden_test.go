package experiments

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/leaderboard"
)

var update = flag.Bool("update", false, "rewrite the golden file of the leaderboard")

// goldenBoard is the experiment whose results are kept beside it, as .json.
const goldenBoard = "leaderboard/golden/quick.toml"

// How far final values may be from those that are kept, where they come from another arithmetic: an
// accuracy by four of the 200 test samples.
var boardTolerances = map[string]float64{"accuracy": 2, "loss": 0.01, "upload": 0, "virtual-time": 1e-9}

// playBoard runs the golden board, and returns its record without what differs from run to run, or
// from one version of hansa to the next: seconds of clocks, and which program made it.
func playBoard(t *testing.T) *leaderboard.Record {
	t.Helper()
	dir := t.TempDir()
	s := new(session.Session)
	x, err := s.Load(context.Background(), filepath.FromSlash(goldenBoard), new(session.Overrides))
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "quick")
	if _, err := s.RunExperiment(t.Context(), x, run, session.Options{}); err != nil {
		t.Fatal(err)
	}
	site := view.Site{Runs: []string{run}, Audit: true, JSON: filepath.Join(dir, "quick.json"),
		Say: t.Logf}
	if err := site.Make(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	r := readBoard(t, site.JSON)
	r.Command, r.Builds = "hansa run experiments/"+goldenBoard, nil
	for _, c := range r.Costs {
		*c = c.Counted()
	}
	if len(r.Made) != 1 || r.Made[0].Runs != len(r.Cells) {
		t.Fatalf("made by %v", r.Made)
	}
	_, functions, found := strings.Cut(r.Made[0].Arithmetic, " functions ")
	if !found {
		t.Fatalf("the arithmetic is %q", r.Made[0].Arithmetic)
	}
	r.Made = []leaderboard.Made{{Platform: r.Made[0].Platform, Arithmetic: "functions " + functions,
		Runs: len(r.Cells)}}
	return r
}

// readBoard reads a file with one record.
func readBoard(t *testing.T, path string) *leaderboard.Record {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := leaderboard.Decode(text)
	if err != nil || len(records) != 1 {
		t.Fatalf("%s has %d records, %v", path, len(records), err)
	}
	return records[0]
}

// The results of the golden board are those that are kept. Where they were computed by the same
// arithmetic, which the instruction set is no part of, the files are equal byte by byte; else final
// values agree to a tolerance.
func TestGoldenBoard(t *testing.T) {
	path := strings.TrimSuffix(filepath.FromSlash(goldenBoard), ".toml") + ".json"
	got := playBoard(t)
	text, err := leaderboard.Encode([]*leaderboard.Record{got})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := readBoard(t, path)
	if got.Made[0] == want.Made[0] {
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, text) {
			t.Errorf("the board differs from %s, %v: -update accepts it", path, err)
		}
	} else {
		t.Logf("%v here, %v in the file: compared to a tolerance", got.Made[0], want.Made[0])
	}
	for _, line := range boardsDiffer(got, want) {
		t.Error(line)
	}
	b := view.Leaderboard([]*leaderboard.Record{want})
	files, err := leaderboard.Files(b)
	if err != nil || len(files) != 1+2+7 {
		t.Errorf("the site has %d pages, %v", len(files), err)
	}
}

// boardsDiffer says where two records differ by more than an arithmetic may.
func boardsDiffer(got, want *leaderboard.Record) (list []string) {
	if got.Hash != want.Hash {
		return []string{"the training runs are other ones: -update accepts them"}
	}
	a, b := infer.NewPlan(&got.Input), infer.NewPlan(&want.Input)
	for i := range got.Cells {
		for metric, tolerance := range boardTolerances {
			x, known := a.Final(i, metric)
			y, kept := b.Final(i, metric)
			if !known || !kept || !(math.Abs(x-y) <= tolerance) {
				list = append(list, fmt.Sprintf("%s, %s: %g, want %g ± %g", got.Cells[i].Label(),
					metric, x, y, tolerance))
			}
		}
	}
	return list
}

// What another arithmetic may change is accepted, and what it may not is told.
func TestBoardsDiffer(t *testing.T) {
	path := strings.TrimSuffix(filepath.FromSlash(goldenBoard), ".toml") + ".json"
	want := readBoard(t, path)
	for by, lines := range map[float64]int{0: 0, 1.5: 0, 2.5: 1, math.Inf(1): 1} {
		got := readBoard(t, path)
		values := got.Results[got.IDs[5]].Series[0].Values
		for k := range values {
			values[k] += by
		}
		if list := boardsDiffer(got, want); len(list) != lines {
			t.Errorf("accuracy by %g: %q", by, list)
		}
	}
	got := readBoard(t, path)
	got.Results[got.IDs[0]] = &engine.Result{}
	if list := boardsDiffer(got, want); len(list) != len(boardTolerances) {
		t.Errorf("no values: %q", list)
	}
	got.Hash = "other"
	if list := boardsDiffer(got, want); len(list) != 1 {
		t.Errorf("other training runs: %q", list)
	}
}
