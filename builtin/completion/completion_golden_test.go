package completion

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
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
		work, sent := s.median(v.Steps[i], v.Down[i], v.Up[i], v.X[i], v.Y[i])
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
