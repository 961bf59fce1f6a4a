package aggregator

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A labelled is features with their classes.
type labelled struct {
	x fl.Matrix
	y []int
}

// pick returns some rows.
func (l labelled) pick(rows []int) (part labelled) {
	part.x = fl.NewMatrix(len(rows), l.x.Cols)
	for k, r := range rows {
		copy(part.x.Row(k), l.x.Row(r))
		part.y = append(part.y, l.y[r])
	}
	return part
}

// clouds returns n samples of normal features around means, the rows of a matrix.
func clouds(rng *rand.Rand, n int, means fl.Matrix) (l labelled) {
	l.x = fl.NewMatrix(n, means.Cols)
	for i := range n {
		l.y = append(l.y, rng.IntN(means.Rows))
		copy(l.x.Row(i), means.Row(l.y[i]))
		l.x.Row(i).AddNoise(1, rng)
	}
	return l
}

// softmax returns a linear head.
func softmax(t *testing.T, features, classes int) fl.Model {
	t.Helper()
	m, err := model.Softmax.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(fl.Shape{Features: features, Classes: classes}); err != nil {
		t.Fatal(err)
	}
	return m
}

// statisticsOf is a round in which clients send what a local rule makes of their samples.
func statisticsOf(t *testing.T, e fl.LocalRuleEntry, given map[string]any, classes int,
	clients ...labelled,
) *fl.Round {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	rule, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	m := softmax(t, clients[0].x.Cols, classes)
	r := &fl.Round{Model: m, Layout: m.Layout(), Global: make(fl.Vector, m.Layout().Len()),
		Notes: new(fl.Notes), RNG: rand.New(rand.NewPCG(5, 5))}
	for i, own := range clients {
		data := fl.Dataset{Shape: fl.Shape{Features: own.x.Cols, Classes: classes}, X: own.x, Y: own.y}
		u, err := rule.Run(&fl.Task{Client: &fl.Client{ID: i, Data: data},
			RNG: rand.New(rand.NewPCG(uint64(i), 6))})
		if err != nil {
			t.Fatal(err)
		}
		u.Client = i
		r.Updates = append(r.Updates, u)
	}
	return r
}

// scores returns W·x + b for the rows of x.
func scores(r *fl.Round, theta fl.Vector, x fl.Matrix) fl.Matrix {
	w, _ := r.Layout.Head()
	dst := fl.NewMatrix(x.Rows, w.Rows)
	r.Model.Worker().Scores(dst, theta, x)
	return dst
}

// accuracy is the share of samples that parameters classify rightly.
func accuracy(r *fl.Round, theta fl.Vector, l labelled) float64 {
	return meritOf(r.Model, theta, &fl.Dataset{X: l.x, Y: l.y, Shape: fl.Shape{
		Features: l.x.Cols, Classes: softmaxClasses(r)}})
}

func softmaxClasses(r *fl.Round) int {
	w, _ := r.Layout.Head()
	return w.Rows
}

// The head of FedCGS is the one that NumPy computed.
//
//hansa:verifies golden aggregator/fedcgs
func TestGoldenFedCGS(t *testing.T) {
	var in struct {
		Features [][]fl.Vector `json:"client_features"`
		Labels   [][]int       `json:"client_labels"`
		Classes  int           `json:"num_classes"`
		Ridge    float64
		Points   []fl.Vector
	}
	var want struct {
		Total  []fl.Vector `json:"total_covariance"`
		W      []fl.Vector `json:"W_total"`
		B      fl.Vector   `json:"b_total"`
		RidgeW []fl.Vector `json:"W_total_ridge"`
		RidgeB fl.Vector   `json:"b_total_ridge"`
		NarrW  []fl.Vector `json:"W_within"`
		NarrB  fl.Vector   `json:"b_within"`
		Logits []fl.Vector `json:"logits_total"`
	}
	c := golden(t, "one_shot_heads", "fedcgs_head", &in, &want)
	var clients []labelled
	for i, rows := range in.Features {
		clients = append(clients, labelled{matrix(rows), in.Labels[i]})
	}
	trace := 0.0
	for k, row := range want.Total {
		trace += row[k]
	}
	for name, a := range map[string]struct {
		given map[string]any
		w     []fl.Vector
		b     fl.Vector
	}{
		"total":  {map[string]any{"ridge": 0.0}, want.W, want.B},
		"within": {map[string]any{"ridge": 0.0, "covariance": "within"}, want.NarrW, want.NarrB},
		"ridge": {map[string]any{"ridge": in.Ridge / (trace / float64(len(want.Total)))},
			want.RidgeW, want.RidgeB},
	} {
		r := statisticsOf(t, local.ClassMoments, nil, in.Classes, clients...)
		theta := fused(t, server(t, FedCGS, a.given), r)
		weight, bias := r.Layout.Head()
		w, b := weight.Of(theta), fl.Vector(bias.Of(theta).Data)
		for k := range in.Classes { // what is the same for all classes decides nothing
			got, expected := w.Row(k).Clone(), a.w[k].Clone()
			got.Sub(w.Row(0))
			expected.Sub(a.w[0])
			c.equal(t, name+": W", got, expected)
			c.equal(t, name+": b", fl.Vector{b[k] - b[0]}, fl.Vector{a.b[k] - a.b[0]})
		}
		if name != "total" {
			continue
		}
		s := scores(r, theta, matrix(in.Points))
		for i, logits := range want.Logits {
			tensor.Softmax(s.Row(i), s.Row(i))
			tensor.Softmax(logits, logits)
			c.equal(t, "probabilities", s.Row(i), logits)
		}
	}
}

// matrix returns rows as a matrix.
func matrix(rows []fl.Vector) fl.Matrix {
	m := fl.Matrix{Rows: len(rows), Cols: len(rows[0])}
	for _, row := range rows {
		m.Data = append(m.Data, row...)
	}
	return m
}

// Theorem: the head is that of all samples in one place, however they are split.
//
//hansa:verifies invariance aggregator/fedcgs
func TestFedCGSDoesNotDependOnTheSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for trial := range 20 {
		classes, d, n := 2+rng.IntN(4), 1+rng.IntN(8), 60+rng.IntN(100)
		means := fl.Matrix{Rows: classes, Cols: d, Data: normal(rng, classes*d)}
		fl.Vector(means.Data).AddConst(100) // far from 0, as squares about 0 would feel
		all := clouds(rng, n, means)
		for _, given := range []map[string]any{nil, {"covariance": "within"}} {
			pooled := statisticsOf(t, local.ClassMoments, nil, classes, all)
			want := fused(t, server(t, FedCGS, given), pooled)
			split := statisticsOf(t, local.ClassMoments, nil, classes, splits(rng, all)...)
			got := fused(t, server(t, FedCGS, given), split)
			if off := got.Distance(want); off > 1e-10*want.Norm() {
				t.Errorf("trial %d: %d clients are %v off", trial, len(split.Updates), off/want.Norm())
			}
		}
	}
}

// splits assigns samples to clients: sorted by class, at random, or one each, at random cuts.
func splits(rng *rand.Rand, all labelled) (parts []labelled) {
	order := rng.Perm(len(all.y))
	if rng.IntN(2) == 0 {
		slices.SortStableFunc(order, func(a, b int) int { return all.y[a] - all.y[b] })
	}
	most := 1 + rng.IntN(40)
	for len(order) > 0 {
		n := min(len(order), 1+rng.IntN(most))
		parts = append(parts, all.pick(order[:n]))
		order = order[n:]
	}
	return parts
}

// A class without samples is never predicted, wherever a sample lies, and changes no other score.
func TestFedCGSExcludesAbsentClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	const classes, d = 3, 4
	all := clouds(rng, 80, fl.Matrix{Rows: classes, Cols: d, Data: normal(rng, classes*d)})
	more := labelled{all.x, nil}
	for _, y := range all.y { // classes 1 and 4 of 5 have no samples
		more.y = append(more.y, []int{0, 2, 3}[y])
	}
	far := fl.Matrix{Rows: 100, Cols: d, Data: normal(rng, 100*d)}
	for i := range far.Rows {
		far.Row(i).Scale(math.Pow(10, float64(i%12)))
	}
	for _, given := range []map[string]any{nil, {"prior": "uniform"}} {
		few := statisticsOf(t, local.ClassMoments, nil, classes, all)
		want := scores(few, fused(t, server(t, FedCGS, given), few), far)
		r := statisticsOf(t, local.ClassMoments, nil, classes+2, more)
		got := scores(r, fused(t, server(t, FedCGS, given), r), far)
		for i := range far.Rows {
			if row := got.Row(i); row[1] >= slices.Max(row) || row[4] >= slices.Max(row) {
				t.Fatalf("an absent class wins: %v", row)
			}
			for k, c := range []int{0, 2, 3} {
				if got.Row(i)[c] != want.Row(i)[k] {
					t.Fatalf("row %d: %v, want %v", i, got.Row(i), want.Row(i))
				}
			}
		}
		p := make(fl.Vector, classes+2)
		tensor.Softmax(p, got.Row(0))
		if p[1] != 0 || p[4] != 0 {
			t.Errorf("an absent class has the probability %v", p[1])
		}
		if len(r.Notes.List()) != 1 || !strings.Contains(r.Notes.List()[0], "2 of 5 classes have no samples") {
			t.Errorf("notes %q", r.Notes.List())
		}
	}
}

// With equal probabilities a score is less log(N_c/N).
func TestFedCGSPrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	all := clouds(rng, 90, fl.Matrix{Rows: 3, Cols: 2, Data: normal(rng, 6)})
	r := statisticsOf(t, local.ClassMoments, nil, 3, all)
	counts := fused(t, server(t, FedCGS, nil), r).Clone()
	uniform := fused(t, server(t, FedCGS, map[string]any{"prior": "uniform"}), r)
	for c := range 3 {
		n := 0
		for _, y := range all.y {
			if y == c {
				n++
			}
		}
		want := math.Log(float64(n) / 90)
		if got := counts[6+c] - uniform[6+c]; math.Abs(got-want) > 1e-12 {
			t.Errorf("class %d: %v, want %v", c, got, want)
		}
	}
}

// Whatever is sent, the head is finite, and what is wrong with Σ is noted.
func TestFedCGSOnPoorSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	means := fl.Matrix{Rows: 3, Cols: 6, Data: normal(rng, 18)}
	dead := clouds(rng, 100, means)
	for i := range dead.x.Rows {
		dead.x.Row(i)[2] = 0.1
	}
	same := clouds(rng, 20, means)
	for i := range same.x.Rows {
		copy(same.x.Row(i), same.x.Row(0))
	}
	for name, l := range map[string]labelled{
		"one sample":        clouds(rng, 1, means),
		"fewer than d":      clouds(rng, 4, means),
		"a dead feature":    dead,
		"all samples equal": same,
		"one class":         {clouds(rng, 30, means).x, make([]int, 30)},
	} {
		for _, given := range []map[string]any{
			nil, {"covariance": "within"}, {"ridge": 0.0}, {"ridge": 0.0, "covariance": "within"},
		} {
			r := statisticsOf(t, local.ClassMoments, nil, 3, l)
			theta := fused(t, server(t, FedCGS, given), r)
			if !theta.Finite() {
				t.Errorf("%s: %v", name, theta)
			}
			noted := slices.ContainsFunc(r.Notes.List(), func(note string) bool {
				return strings.HasPrefix(note, "Σ is singular with a ridge of 0;")
			})
			if singular := name != "one class"; noted != (singular && len(given) > 0 && given["ridge"] != nil) {
				t.Errorf("%s, %v: notes %q", name, given, r.Notes.List())
			}
			if c := observed(r, "condition number of Σ"); !(c.Mean >= 1 && c.Mean <= worst) {
				t.Errorf("%s, %v: condition number %v", name, given, c.Mean)
			}
			if name == "a dead feature" && given["ridge"] == nil {
				for c := range 3 {
					if w := theta[6*c+2]; math.Abs(w) > 1e-9 {
						t.Errorf("class %d: a dead feature has weight %v", c, w)
					}
				}
			}
		}
	}
	huge := labelled{fl.Matrix{Rows: 2, Cols: 1, Data: fl.Vector{1e200, -1e200}}, []int{0, 1}}
	r := statisticsOf(t, local.ClassMoments, nil, 2, huge)
	if _, err := server(t, FedCGS, nil).Aggregate(r); err == nil {
		t.Error("a covariance that is not finite is none to invert")
	}
}

// Statistics of another kind are refused by name.
func TestFedCGSRefusesWhatItCannotRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	all := clouds(rng, 20, fl.Matrix{Rows: 2, Cols: 3, Data: normal(rng, 6)})
	a := server(t, FedCGS, nil)
	r := statisticsOf(t, local.ClassMoments, nil, 2, all, all)
	r.Updates[1] = fl.Update{Client: 1, Params: r.Global}
	if _, err := a.Aggregate(r); !errors.Is(err, stats.ErrNoMoments) ||
		!strings.HasPrefix(err.Error(), "client 1: ") {
		t.Errorf("a model: %v", err)
	}
	wide := statisticsOf(t, local.ClassMoments, nil, 3, all)
	r.Updates[1] = wide.Updates[0]
	if _, err := a.Aggregate(r); err == nil || !strings.Contains(err.Error(), "3 classes") {
		t.Errorf("moments of another shape: %v", err)
	}
	if _, err := a.Aggregate(&fl.Round{}); !errors.Is(err, errNoUpdates) {
		t.Errorf("no clients: %v", err)
	}
	r.Layout = fl.Layout{}
	if _, err := a.Aggregate(r); err == nil {
		t.Error("no head: no error")
	}
}
