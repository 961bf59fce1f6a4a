package leaderboard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// recorded returns the board of an example, and the records of its runs.
func recorded(t *testing.T, b *Board) (*Board, []*Record) {
	t.Helper()
	var records []*Record
	for _, run := range b.Runs {
		run.Hash = store.HashOf(run.IDs)
		if run.Whole != nil {
			run.Hash = "that of the whole plan"
		}
		r, err := NewRecord(run, table.JudgeClaims(run.Name, &run.Input))
		if err != nil {
			t.Fatal(err)
		}
		r.Made = []Made{{Go: "go1", Platform: "a/b", Arithmetic: "c", Runs: 3}}
		records = append(records, r)
	}
	return boardOf(b, records), records
}

// boardOf returns a board with the runs of records in place of its own.
func boardOf(b *Board, records []*Record) *Board {
	of := *b
	of.Runs, of.Claims, of.Made = nil, nil, nil
	for _, r := range records {
		of.Runs, of.Claims = append(of.Runs, r.Run), append(of.Claims, r.Verdicts)
		of.Made = append(of.Made, r.Made)
	}
	return &of
}

// long is the example with fifty rounds, remarks, observations, a run that diverged, one that failed
// and choices of tuning: what a record must keep, and what it may leave out.
func long() *Board {
	b := example(3)
	in := &b.Runs[0].Input
	for i, id := range in.IDs {
		r := in.Results[id]
		if r == nil {
			in.Failures[id] = "it was cancelled"
			continue
		}
		last := r.Series[0].Values[len(r.Series[0].Values)-1]
		r.Rounds = nil
		for k := range r.Series {
			r.Series[k].Values = nil
		}
		for t := 0; t <= 50; t++ {
			r.Rounds = append(r.Rounds, t)
			x := last - 5/float64(t+1)
			if i == 7 && t > 20 {
				x = math.NaN()
			}
			r.Series[0].Values = append(r.Series[0].Values, x)
			for k := 1; k < len(r.Series); k++ {
				r.Series[k].Values = append(r.Series[k].Values, 1e6*float64(t))
			}
		}
		r.Notes = []string{fmt.Sprintf("remark %d", i%2)}
		r.Law = engine.LawFacts{Draws: 1000, Mean: 3}
		r.Observed = []fl.Observation{{Name: "norm", Rounds: 50, Mean: 1, Least: 0.5, Most: 2}}
		r.Data = engine.DataFacts{Samples: 100}
	}
	in.Report.Final = 0
	in.Tuning = &store.Tuning{Tune: study.Tune{Budget: 4, By: "accuracy", Seeds: []uint64{9},
		Search: study.SearchGrid, Share: 0.2}}
	in.Tuning.Chosen = []store.Choice{{Method: "good", Point: in.Cells[0].Point,
		Paths: []string{"local.lr"}, Values: study.Values{0.5}, Edges: []string{"local.lr"}, Tried: 4}}
	return b
}

// A site of a run, of its record, and of a file of the record are the same, byte by byte. The file
// is the same each time, and without curves.
func TestSitesOfRunsAndOfFilesAreEqual(t *testing.T) {
	boards := map[string]*Board{"example": example(7), "long": long(), "several": several()}
	for _, x := range []*reportstest.Example{reportstest.Claimed(), reportstest.Swept(),
		reportstest.Blocks(), reportstest.Ablated(), reportstest.Figure(), reportstest.Broken(),
		reportstest.Labels(), reportstest.ClaimedPart()} {
		boards[x.Name] = &Board{Title: x.Title, Runs: []infer.Run{{Name: x.Name, Input: x.Input}}}
	}
	for name, b := range boards {
		t.Run(name, func(t *testing.T) {
			board, records := recorded(t, b)
			text, err := Encode(records)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Encode(records); err != nil || !bytes.Equal(text, again) {
				t.Errorf("the file differs the second time, %v", err)
			}
			read, err := Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			whole := *b
			whole.Claims, whole.Made = board.Claims, board.Made
			want, ofRecords, ofFile := siteOf(t, &whole), siteOf(t, board), siteOf(t, boardOf(b, read))
			for name, text := range want {
				if ofRecords[name] != text {
					t.Errorf("%s of the record differs from that of the run", name)
				}
				if ofFile[name] != text {
					t.Errorf("%s of the file differs from that of the run", name)
				}
			}
			if !strings.Contains(ofFile["index.html"], "hansa, go1 a/b") {
				t.Error("the site does not say what made its results")
			}
			if len(ofFile) != len(want) || len(ofRecords) != len(want) {
				t.Errorf("%d, %d and %d pages", len(want), len(ofRecords), len(ofFile))
			}
			if back, err := Encode(read); err != nil || !bytes.Equal(back, text) {
				t.Errorf("what was read is written otherwise, %v", err)
			}
			if len(read[0].Made) != 1 || !maps.Equal(read[0].Digests, records[0].Digests) {
				t.Errorf("made %v, digests %v", read[0].Made, read[0].Digests)
			}
		})
	}
}

// several is a board of two runs that share a table, and of one beside them.
func several() *Board {
	b, other := example(2), example(2).Runs[0]
	other.Name, other.Title = "other", "Other task"
	results := map[string]*engine.Result{}
	for i, id := range other.IDs {
		other.Cells[i].Picks = map[string]study.Pick{"dataset": {Name: "mnist"},
			"aggregator": {Name: "fedavg", Params: map[string]any{"scale": 1e7, "list": []any{1.0, 2.5}}}}
		other.IDs[i] = id + " other"
		if r := other.Results[id]; r != nil {
			results[other.IDs[i]] = r
		}
	}
	other.Results = results
	b.Runs = append(b.Runs, example(2).Runs[0], other)
	b.Runs[1].Name = "again"
	return b
}

// Rounds that are far apart are listed, others are a range; a file cannot ask for very many.
func TestRoundsAreRanges(t *testing.T) {
	for _, list := range [][]int{nil, {4}, {1, 2}, {0, 5, 10, 12}, {10, 20, 30, 40}, {91, 92, 93}} {
		if back, err := roundsOf(list).rounds(); err != nil || !slices.Equal(back, list) {
			t.Errorf("%v came back as %v, %v", list, back, err)
		}
	}
	for _, s := range []storedRounds{{1, 0, 1, nil}, {0, 1 << 40, 1, nil}, {0, 9, -1, nil},
		{-5, 9, 1, nil}} {
		if list, err := s.rounds(); err == nil {
			t.Errorf("%+v is %d rounds", s, len(list))
		}
	}
}

// A record has final values, and digests of what it left out.
func TestRecordsAreCompact(t *testing.T) {
	b := long()
	_, records := recorded(t, b)
	id := b.Runs[0].IDs[0]
	r := records[0].Results[id]
	if !slices.Equal(r.Rounds, []int{46, 47, 48, 49, 50}) || len(r.Series[0].Values) != 1 ||
		len(r.Series[1].Values) != 1 || r.Series[1].Values[0] != 5e7 {
		t.Errorf("kept %v of %v", r.Series, r.Rounds)
	}
	whole, err := store.Digest(b.Runs[0].Results[id])
	if err != nil || records[0].Digests[id] != whole[:32] {
		t.Errorf("digest %s, want %s, %v", records[0].Digests[id], whole, err)
	}
	// Results that agree in all that is kept, and not before, are not identical.
	x, y := b.Runs[0].Results[id], b.Runs[0].Results[b.Runs[0].IDs[15]]
	y.Series[0].Values = slices.Clone(x.Series[0].Values)
	y.Series[0].Values[3]++
	_, records = recorded(t, b)
	p, q := infer.NewPlan(&b.Runs[0].Input), infer.NewPlan(&records[0].Input)
	if p.SameResults([]int{0}, []int{15}) || q.SameResults([]int{0}, []int{15}) {
		t.Error("other curves are identical")
	}
	y.Series[0].Values[3]--
	y.Series[1].Values = slices.Clone(x.Series[1].Values)
	_, records = recorded(t, b)
	q = infer.NewPlan(&records[0].Input)
	if !p.SameResults([]int{0}, []int{15}) || !q.SameResults([]int{0}, []int{15}) {
		t.Error("the same curves are not identical")
	}
}

// identified gives the cells of a board the identities that they have.
func identified(b *Board) *Board {
	in := &b.Runs[0].Input
	results, costs := map[string]*engine.Result{}, map[string]*engine.Cost{}
	for i, id := range in.IDs {
		c := &in.Cells[i]
		c.Picks["local"] = study.Pick{Name: c.Method, Params: map[string]any{"at": c.Point[0].Label}}
		in.IDs[i] = c.ID()
		if r := in.Results[id]; r != nil {
			results[in.IDs[i]], costs[in.IDs[i]] = r, in.Costs[id]
		}
	}
	in.Results, in.Costs = results, costs
	return b
}

// sealed gives a file the checksum of its content.
func sealed(text []byte) []byte {
	at := len(formHead + form + sumHead)
	if len(text) < at+len(noSum()) {
		return text
	}
	blank := bytes.Clone(text)
	copy(blank[at:], noSum())
	sum := sha256.Sum256(blank)
	hex.Encode(blank[at:], sum[:])
	return blank
}

// A file that is damaged, changed, or of another version is refused with one error.
func TestFilesAreVerified(t *testing.T) {
	_, records := recorded(t, identified(example(2)))
	text, err := Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	resealed := func(old, new string) []byte {
		changed := strings.Replace(string(text), old, new, 1)
		if changed == string(text) {
			t.Fatalf("there is no %q", old)
		}
		return sealed([]byte(changed))
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"another version": {bytes.Replace(text, []byte(form), []byte("hansa/leaderboard/9"), 1),
			`its format is "hansa/leaderboard/9", and this version of hansa reads`},
		"no file of ours": {[]byte(`{"a": 1}`), `its format is ""`},
		"half":            {text[:len(text)/2], "it is no whole JSON"},
		"a digit changed": {bytes.Replace(text, []byte(`"seed":1`), []byte(`"seed":7`), 1),
			"its checksum is not that of its content"},
		"indented": {bytes.Replace(text, []byte("\n"), []byte("\n\n"), 1), "written by another program"},
		"a parameter changed, and the checksum": {resealed(`"weights":"uniform"`,
			`"weights":"samples"`), "its training runs are not those of its plan"},
		"an arm that is not there": {resealed(`{"arm":0,`, `{"arm":99,`), "it names method 99 of"},
		"a pick that is not there": {resealed(`"picks":[0`, `"picks":[99`), "it names component 99"},
		"values without a metric":  {resealed(`"values":[`, `"values":[1,`), "values of 3 metrics"},
	} {
		if _, err := Decode(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Absolute paths of parameters are in no file.
func TestFilesHaveNoPaths(t *testing.T) {
	b := example(2)
	for i := range b.Runs[0].Cells {
		b.Runs[0].Cells[i].Picks["dataset"].Params["file"] = "/home/absent/work/x.csv"
	}
	b.Runs[0].Command = "hansa run /home/absent/work/made.toml"
	b.Runs[0].Strategies = map[string]string{"sha256:1": "/home/absent/work/mine.go"}
	b.Runs[0].Failures = map[string]string{b.Runs[0].IDs[3]: "/home/absent/work/y.csv is missing"}
	board, records := recorded(t, b)
	text, err := Encode(records)
	if err != nil || bytes.Contains(text, []byte("absent")) || !bytes.Contains(text, []byte("mine.go")) {
		t.Errorf("%v: %s", err, text)
	}
	read, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	want := siteOf(t, board)
	for name, text := range siteOf(t, boardOf(b, read)) {
		if want[name] != text {
			t.Errorf("%s differs", name)
		}
	}
}
