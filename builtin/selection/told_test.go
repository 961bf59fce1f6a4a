package selection_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A telling is a drawing whose clients told something in earlier rounds.
type telling struct {
	*drawing
	told map[int]fl.Report
}

func newTelling(pop *fl.Roster) *telling {
	d := &telling{newDrawing(pop.N, everyone(pop.N)), map[int]fl.Report{}}
	d.draw.Roster = pop
	d.draw.Told = func(i int) fl.Report {
		if r, ok := d.told[i]; ok {
			return r
		}
		return fl.Unreported()
	}
	return d
}

// tell has clients take part in round t.
func (d *telling) tell(t int, cohort []int, rms fl.Vector, updates []fl.Vector) {
	for k, i := range cohort {
		r := fl.Unreported()
		r.Round = t
		if rms != nil {
			r.RMS = rms[k]
		}
		if updates != nil {
			r.Update = updates[k]
		}
		d.told[i] = r
	}
}

// open begins a round of which nothing is drawn.
func (d *telling) open(t int, available []int) *fl.SelectionInput {
	d.draw.Recycle()
	d.draw.T, d.draw.Available = t, available
	d.draw.RNG = d.reseedable.Open(d.stream.At(t, 0))
	return &d.draw
}

type toldGolden struct {
	Clustered []struct {
		Samples []int
		K       int
		By      string
		Rounds  []struct {
			R       []fl.Vector
			Cohort  []int
			Updates []fl.Vector
		}
	}
	DivFL []struct {
		N, K   int
		Rounds []struct {
			Available, Cohort []int
			Updates           []fl.Vector
		}
	} `json:"divfl"`
	Oort []struct {
		Samples             []int
		K, Window           int
		Utility             string
		Explore, Clip, Pace float64
		Durations           []float64
		Rounds              []struct {
			Available, Known, Admitted, Cohort []int
			U, RMS                             fl.Vector
			Exploited, Explored                int
			Preferred                          float64
		}
	}
}

func readTold(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Of five rounds in which clients renew their updates, the distributions are what NumPy makes of
// SciPy's trees.
//
//hansa:verifies golden selection/clustered-similarity
func TestGoldenClusteredSimilarity(t *testing.T) {
	var g toldGolden
	readTold(t, "told.json", &g)
	for _, c := range g.Clustered {
		n := len(c.Samples)
		s := build(t, selection.ClusteredSimilarity, map[string]any{"k": int64(c.K), "tree": c.By}, n)
		d := newTelling(sized(c.Samples...))
		for round, want := range c.Rounds {
			if round > 0 {
				r := selection.DistributionsOf(s, d.open(round, everyone(n)))
				for k := range c.K {
					if r.Row(k).Distance(want.R[k]) > 1e-12 {
						t.Errorf("%d of %d, %s, round %d: distribution %d is %v, want %v", c.K, n, c.By,
							round, k, r.Row(k), want.R[k])
					}
				}
			}
			d.tell(round, want.Cohort, nil, want.Updates)
		}
	}
}

// Of six rounds among some clients, of which two come late, cohorts are those of greedy search in
// NumPy.
//
//hansa:verifies golden selection/divfl
func TestGoldenDivFL(t *testing.T) {
	var g toldGolden
	readTold(t, "told.json", &g)
	for _, c := range g.DivFL {
		s := build(t, selection.DivFL, map[string]any{"k": int64(c.K)}, c.N)
		d := newTelling(sized(slices.Repeat([]int{1}, c.N)...))
		for round, want := range c.Rounds {
			if got := s.Select(d.open(round, want.Available)); !slices.Equal(got, want.Cohort) {
				t.Errorf("%d of %d, round %d: %v, want %v", c.K, c.N, round, got, want.Cohort)
			}
			d.tell(round, want.Cohort, nil, want.Updates)
		}
	}
}

// Of twelve rounds the utilities, which clients are admitted, how many are exploited and explored,
// and the preferred duration are what NumPy computes.
//
//hansa:verifies golden selection/oort
func TestGoldenOort(t *testing.T) {
	var g toldGolden
	readTold(t, "told.json", &g)
	paced := 0
	for at, c := range g.Oort {
		given := map[string]any{"k": int64(c.K), "utility": c.Utility, "explore": c.Explore,
			"clip": c.Clip}
		if len(c.Durations) > 0 {
			list := []any{}
			for _, x := range c.Durations {
				list = append(list, x)
			}
			given["durations"], given["pace"], given["window"] = list, c.Pace, int64(c.Window)
		}
		s, d := build(t, selection.Oort, given, len(c.Samples)), newTelling(sized(c.Samples...))
		for round, want := range c.Rounds {
			u := selection.UtilityOf(s, d.open(round, want.Available))
			admitted := []int{}
			for k, i := range u.Known {
				if u.Admitted[k] > 0 && u.Exploited > 0 {
					admitted = append(admitted, i)
				}
			}
			if !slices.Equal(u.Known, want.Known) || !slices.Equal(admitted, want.Admitted) ||
				u.Exploited != want.Exploited || u.Explored != want.Explored {
				t.Errorf("case %d, round %d: %+v, want %+v", at, round, u, want)
			}
			for k, x := range want.U {
				if math.Abs(u.Of[k]-x) > 1e-12*math.Abs(x) {
					t.Errorf("case %d, round %d: U of %d is %v, want %v", at, round, u.Known[k],
						u.Of[k], x)
				}
			}
			if len(c.Durations) > 0 && math.Abs(u.Preferred-want.Preferred) > 1e-12 {
				t.Errorf("case %d, round %d: T = %v, want %v", at, round, u.Preferred, want.Preferred)
			}
			if len(c.Durations) > 0 && want.Preferred > c.Pace {
				paced++
			}
			d.tell(round, want.Cohort, want.RMS, nil)
		}
	}
	if paced == 0 {
		t.Error("the pacer never moves")
	}
}
