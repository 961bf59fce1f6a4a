package completion

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// vectors are what testdata/completion.py prints.
type vectors struct {
	Steps            []int
	Down, Up         []int64
	X, Y             []float64
	Z                [][]float64
	Params           map[string]any
	Median           []float64
	Ranks            []int
	Exponent         float64
	Zipf, Trace      [][]float64
	Speeds           [][]float64
	Listed           []float64
	Durations        [][]float64
	Deadlines        []float64
	SpeedsChances    [][]float64 `json:"speeds_chances"`
	DurationsChances [][]float64 `json:"durations_chances"`
	FedScale         struct {
		Steps               int
		Bits                int64
		Step, Rate, Seconds float64
	}
}

func golden(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/completion.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func built(t *testing.T, e fl.CompletionEntry, given map[string]any) fl.Completion {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 6, Rounds: 5}, nil)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return c
}

// near reports whether two numbers agree to 1e-12, relatively.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// Five rounds of six clients need the seconds that NumPy computes of the same draws, to 1e-12, and
// finish by deadlines with its probabilities.
//
//hansa:verifies golden completion/speeds completion/durations
func TestGoldenSeconds(t *testing.T) {
	v := golden(t)
	s := built(t, Speeds, v.Params).(*speeds)
	d := built(t, Durations, map[string]any{"seconds": anys(v.Listed),
		"jitter": v.Params["jitter"]}).(*durations)
	if len(v.Speeds) != 5 {
		t.Fatalf("%d rounds", len(v.Speeds))
	}
	for i := range v.Steps {
		slow := math.Exp(s.spread * v.X[i])
		work, sent := s.median(v.Steps[i], v.Down[i], v.Up[i], slow, v.Y[i])
		m := work + sent
		for r := range v.Speeds {
			if x := s.jitter.at(m, v.Z[r][i]); !near(x, v.Speeds[r][i]) {
				t.Errorf("speeds: client %d needs %v, want %v", i, x, v.Speeds[r][i])
			}
			if x := d.jitter.at(d.seconds[i], v.Z[r][i]); !near(x, v.Durations[r][i]) {
				t.Errorf("durations: client %d needs %v, want %v", i, x, v.Durations[r][i])
			}
		}
		for k, deadline := range v.Deadlines {
			p, q := s.jitter.within(m, deadline), d.jitter.within(d.seconds[i], deadline)
			if !near(p, v.SpeedsChances[k][i]) || !near(q, v.DurationsChances[k][i]) {
				t.Errorf("client %d by %v: %v and %v, want %v and %v", i, deadline, p, q,
					v.SpeedsChances[k][i], v.DurationsChances[k][i])
			}
		}
	}
}

// Seconds of steps by Zipf's law are those of NumPy, of the same ranks, to 1e-12; their median is
// that of the middle rank, and ranks are drawn uniformly.
//
//hansa:verifies golden completion/speeds
func TestGoldenZipf(t *testing.T) {
	v := golden(t)
	given := maps.Clone(v.Params)
	delete(given, "spread")
	given["distribution"], given["exponent"] = "zipf", v.Exponent
	s, n := built(t, Speeds, given).(*speeds), len(v.Ranks)
	for i, k := range v.Ranks {
		work, sent := s.median(v.Steps[i], v.Down[i], v.Up[i], s.ofRank(k, n), v.Y[i])
		for r := range v.Zipf {
			if x := s.jitter.at(work+sent, v.Z[r][i]); !near(x, v.Zipf[r][i]) {
				t.Errorf("client %d needs %v, want %v", i, x, v.Zipf[r][i])
			}
		}
	}
	if x := s.ofRank(3, 5); x != 1 {
		t.Errorf("the middle rank is %v times as slow", x)
	}
	const clients, draws = 5, 20_000
	alone := built(t, Speeds, map[string]any{"distribution": "zipf", "step": 1.0, "jitter": 0.0,
		"download": 0.0, "upload": 0.0})
	rng, counts := rand.New(rand.NewPCG(3, 4)), map[float64]int{}
	draw := func(int) *rand.Rand { return rng }
	f := &fl.Finishing{Roster: &fl.Roster{N: clients}, Asked: []int{2}, Steps: []int{1},
		Down: []int64{1}, Up: []int64{1}, After: make(fl.Vector, 1), Work: make(fl.Vector, 1),
		Fixed: draw, Draw: draw}
	for range draws {
		if err := alone.Finish(f); err != nil {
			t.Fatal(err)
		}
		counts[f.After[0]]++
	}
	for k := 1; k <= clients; k++ {
		got := float64(counts[math.Pow(2*float64(k)/(clients+1), -1.2)]) / draws
		if math.Abs(got-1.0/clients) > 0.015 {
			t.Errorf("rank %d in %v of the draws", k, got)
		}
	}
}

// Ten rounds of a file of four lines are those that NumPy writes, in one order or from a line of each
// client's own.
//
//hansa:verifies golden completion/trace
func TestGoldenTrace(t *testing.T) {
	v := golden(t)
	for _, own := range []bool{false, true} {
		given := map[string]any{"trace": "seconds.csv", "work": 0.5}
		if own {
			given["start"] = "own"
		}
		x, n := built(t, Trace, given), len(v.Trace[0])
		f := &fl.Finishing{Roster: &fl.Roster{N: n}, Folders: []string{"nowhere", "testdata"},
			Fixed: func(i int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(i))) }}
		for i := range n {
			f.Asked, f.Steps = append(f.Asked, i), append(f.Steps, 3)
		}
		f.After, f.Work = make(fl.Vector, n), make(fl.Vector, n)
		begins := map[int]bool{}
		for f.T = range v.Trace[:6] {
			if err := x.Finish(f); err != nil {
				t.Fatal(err)
			}
			for i, got := range f.After {
				at := 0
				if own {
					at = f.Fixed(i).IntN(4)
				}
				begins[at] = true
				if want := v.Trace[f.T+at][i]; got != want || f.Work[i] != want/2 {
					t.Errorf("client %d in round %d: %v, want %v", i, f.T, got, want)
				}
			}
		}
		if own != (len(begins) > 1) {
			t.Errorf("clients begin at %v", begins)
		}
	}
}

// A trace with fewer columns than clients is refused, unless clients share them; so is another file
// than the one that is pinned.
func TestTraceOfWrongFiles(t *testing.T) {
	for want, given := range map[string]map[string]any{
		"":                         {"trace": "seconds.csv", "reuse": true},
		"8 clients, and 6 columns": {"trace": "seconds.csv"},
		"missing.csv":              {"trace": "missing.csv"},
		"sha256":                   {"trace": "seconds.csv", "reuse": true, "sha256": "00"},
		"is no file":               {"trace": "."},
	} {
		x := built(t, Trace, given)
		f := &fl.Finishing{Roster: &fl.Roster{N: 8}, Folders: []string{"testdata"}, Asked: []int{7},
			Steps: []int{1}, After: make(fl.Vector, 1), Work: make(fl.Vector, 1)}
		err := x.Finish(f)
		i := &fl.Inspection{Clients: 8, Folders: f.Folders}
		Trace.Inspect(x, i)
		found := fmt.Sprint(i.Problems, i.Missing)
		if want == "" {
			if err != nil || len(i.Problems)+len(i.Missing) > 0 || f.After[0] != 0.511 {
				t.Errorf("%v: %v, %v, %v", given, err, found, f.After)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) &&
			!strings.Contains(err.Error(), "SHA-256") || len(i.Problems)+len(i.Missing) == 0 {
			t.Errorf("%v: %v, and %s", given, err, found)
		}
	}
}

func anys(xs []float64) (list []any) {
	for _, x := range xs {
		list = append(list, x)
	}
	return list
}

// With no spread a client needs the time that FedScale computes: its seconds of steps, and those of
// the model down and up at one bandwidth.
//
//hansa:verifies source completion/speeds
func TestSpeedsAsFedScale(t *testing.T) {
	of := golden(t).FedScale
	s := built(t, Speeds, map[string]any{"step": of.Step, "spread": 0.0, "download": of.Rate,
		"upload": of.Rate, "network_spread": 0.0, "jitter": 0.0})
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(int) *rand.Rand { return rng }
	f := &fl.Finishing{Roster: &fl.Roster{N: 6}, Asked: []int{4}, Steps: []int{of.Steps},
		Down: []int64{of.Bits}, Up: []int64{of.Bits}, After: make(fl.Vector, 1),
		Work: make(fl.Vector, 1), Fixed: draw, Draw: draw}
	if err := s.Finish(f); err != nil || !near(f.After[0], of.Seconds) {
		t.Errorf("%v seconds (%v), want %v", f.After[0], err, of.Seconds)
	}
}

// A list of seconds is as long as there are clients.
func TestDurationsOfOtherClients(t *testing.T) {
	p := fl.NewParams(map[string]any{"seconds": []any{1.0, 2.0}}, fl.Setting{Clients: 6}, nil)
	if _, err := Durations.New(p); err != nil || len(p.Finish()) != 1 {
		t.Errorf("%v, %v", err, p.Finish())
	}
}

// A round costs as many draws as clients are asked, of however many there are, and allocates
// nothing.
func TestDrawsAreOfTheAsked(t *testing.T) {
	s := built(t, Speeds, nil)
	drawn := map[int]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(i int) *rand.Rand {
		drawn[i]++
		return rng
	}
	f := &fl.Finishing{Roster: &fl.Roster{N: 1_000_000}, Asked: []int{7, 500_000, 999_999},
		Steps: []int{1, 1, 1}, Down: []int64{1, 1, 1}, Up: []int64{1, 1, 1},
		After: make(fl.Vector, 3), Work: make(fl.Vector, 3), Fixed: draw, Draw: draw}
	if err := s.Finish(f); err != nil || len(drawn) != 3 || drawn[7] != 2 {
		t.Errorf("%v, drawn %v", err, drawn)
	}
	if n := testing.AllocsPerRun(20, func() { s.Finish(f) }); n > 0 {
		t.Errorf("a round allocates %v times", n)
	}
}
