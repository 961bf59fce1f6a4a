package adversary

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// vectors are those of testdata/adversary.py.
type vectors struct {
	Updates         [][][]float64
	Direction, Mean fl.Vector
	Cases           map[string][]fl.Vector
	Peaks, Best     []float64
	Labels, Reverse []int
	Shift           []int
	Image, Stamped  fl.Vector
}

func golden(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/adversary.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// built is an adversary with parameters.
func built(t *testing.T, e fl.AdversaryEntry, given map[string]any) fl.Adversary {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v", e.Name, err, problems)
	}
	return a
}

const honest = 7

// attackOf returns the attack of a round of updates, of which those after the honest are faulty.
func attackOf(updates [][]float64, honest int, state fl.State) *fl.Attack {
	rng := rand.New(rand.NewPCG(1, 2))
	a := &fl.Attack{Global: make(fl.Vector, len(updates[0])), State: state, RNG: rng}
	for k := range a.Global {
		a.Global[k] = rng.NormFloat64()
	}
	for k, u := range updates {
		params := fl.Vector(u).Clone()
		params.Add(a.Global)
		update := fl.Update{Client: k, Samples: 10, Steps: 1, Params: params}
		if k < honest {
			a.Honest = append(a.Honest, update)
		} else {
			a.Updates = append(a.Updates, update)
		}
	}
	return a
}

// sent returns what the first faulty client changes the model by.
func sent(t *testing.T, e fl.Adversary, a *fl.Attack) fl.Vector {
	t.Helper()
	if err := e.Corrupt(a); err != nil {
		t.Fatal(err)
	}
	u := a.Updates[0].Params.Clone()
	u.Sub(a.Global)
	return u
}

func near(t *testing.T, what string, got, want fl.Vector, tolerance float64) {
	t.Helper()
	if d := got.Distance(want); !(d <= tolerance*math.Max(1, want.Norm())) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Five rounds of every attack on models are those of an independent program, to 1e-12.
//
//hansa:verifies golden adversary/alie adversary/ipm adversary/mimic adversary/min-max
//hansa:verifies golden adversary/min-sum adversary/sign-flip adversary/zero
func TestGoldenAttacks(t *testing.T) {
	v := golden(t)
	attacks := map[string]fl.Adversary{
		"alie":      built(t, ALIE, nil),
		"alie 1.5":  built(t, ALIE, map[string]any{"z": 1.5}),
		"ipm":       built(t, IPM, map[string]any{"epsilon": 0.7}),
		"mimic":     built(t, Mimic, map[string]any{"warmup": int64(4)}),
		"sign-flip": built(t, SignFlip, map[string]any{"scale": 2.5}),
		"zero":      built(t, Zero, nil),
	}
	for _, along := range []string{"inverse-unit", "inverse-std", "inverse-sign"} {
		given := map[string]any{"perturbation": along}
		attacks["min-max "+along] = built(t, MinMax, given)
		attacks["min-sum "+along] = built(t, MinSum, given)
	}
	if len(attacks) != len(v.Cases) {
		t.Fatalf("%d attacks, %d cases", len(attacks), len(v.Cases))
	}
	for name, e := range attacks {
		state := fl.NewStore()
		if name == "mimic" { // after its first round, in which it draws
			copy(state.Vector("direction", len(v.Direction)), v.Direction)
			copy(state.Vector("mean", len(v.Mean)), v.Mean)
			state.Vector("target", 2)[1] = 1
		}
		for r, updates := range v.Updates {
			got := sent(t, e, attackOf(updates, honest, state))
			near(t, name, got, v.Cases[name][r], 1e-12)
		}
	}
}

// Poisoned labels and pixels are those of an independent program.
//
//hansa:verifies golden adversary/label-flip adversary/backdoor
func TestGoldenPoison(t *testing.T) {
	v := golden(t)
	for mapping, want := range map[string][]int{"reverse": v.Reverse, "shift": v.Shift} {
		d := &fl.Dataset{Shape: fl.Shape{Classes: 5}, Y: append([]int(nil), v.Labels...)}
		e := built(t, LabelFlip, map[string]any{"mapping": mapping}).(*fl.PoisonedData)
		if err := e.Poisoner.Poison(&fl.Poisoning{Data: d}); err != nil {
			t.Fatal(err)
		}
		for k := range want {
			if d.Y[k] != want[k] {
				t.Errorf("%s: label %d becomes %d, want %d", mapping, v.Labels[k], d.Y[k], want[k])
			}
		}
	}
	image := fl.Image{C: 2, H: 4, W: 5}
	d := &fl.Dataset{Shape: fl.Shape{Classes: 5, Features: 40, Image: image},
		X: fl.Matrix{Rows: 1, Cols: 40, Data: v.Image.Clone()}, Y: []int{1}}
	e := built(t, Backdoor, map[string]any{"size": int64(2), "value": 0.5, "fraction": 1.0,
		"target": int64(3)}).(*fl.PoisonedData)
	p := &fl.Poisoning{Data: d, RNG: rand.New(rand.NewPCG(1, 2))}
	if err := e.Poisoner.Poison(p); err != nil {
		t.Fatal(err)
	}
	near(t, "backdoor", d.X.Data, v.Stamped, 0)
	if d.Y[0] != 3 {
		t.Errorf("the label of a poisoned image is %d, want 3", d.Y[0])
	}
}

// The line search ends where ByzFL's LineMaximize ends, written down again from its documentation.
//
//hansa:verifies source adversary/alie adversary/ipm
func TestLineSearch(t *testing.T) {
	v := golden(t)
	s := &search{evaluations: 16}
	for k, peak := range v.Peaks {
		asked := 0
		best, err := s.maximise(func(x float64) (float64, error) {
			asked++
			return -math.Abs(x - peak), nil
		})
		if err != nil || best != v.Best[k] || asked != s.evaluations {
			t.Errorf("peak %v: best %v after %d evaluations, want %v after %d (%v)", peak, best,
				asked, v.Best[k], s.evaluations, err)
		}
	}
}

// The vectors of ByzFL's documentation: FallOfEmpires(3) is ε = 2, SignFlipping is ε = 1, and
// ALittleIsEnough(1.5), whose deviation is that of a sample, z = −1.5·√(3/2) of three clients.
//
//hansa:verifies source adversary/alie adversary/ipm
func TestByzFLVectors(t *testing.T) {
	updates := [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0, 0, 0}}
	for _, c := range []struct {
		e    fl.AdversaryEntry
		name string
		x    float64
		want fl.Vector
	}{
		{IPM, "epsilon", 2, fl.Vector{-8, -10, -12}},
		{IPM, "epsilon", 1, fl.Vector{-4, -5, -6}},
		{ALIE, "z", -1.5 * math.Sqrt(1.5), fl.Vector{8.5, 9.5, 10.5}},
	} {
		e := built(t, c.e, map[string]any{c.name: c.x})
		near(t, c.e.Name, sent(t, e, attackOf(updates, 3, fl.NewStore())), c.want, 1e-12)
	}
}
