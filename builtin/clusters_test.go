package builtin

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// clustered returns a cell of IFCA whose clients make so many steps in a round.
func clustered(rounds, steps int, selection study.Pick, server ...any) study.Cell {
	return stepping(rounds, pick("ifca", "steps", int64(steps), "lr", 0.02), pick("ifca", server...),
		selection)
}

// Theorem: IFCA with one cluster is FedAvg with a plain mean, bit for bit, and by what is sent,
// however it starts and averages.
//
//hansa:verifies equivalence aggregator/ifca local/ifca
func TestOneClusterIsFedAvg(t *testing.T) {
	two := pick("uniform-k", "k", int64(2))
	plain := stepping(9, batched("sgd"), pick("fedavg", "weights", "uniform"), two)
	plain.Measures = append(plain.Measures, study.Measure{Pick: pick("upload"), Key: "upload"},
		study.Measure{Pick: pick("download"), Key: "download"})
	want, _, measured := ends(t, plain)
	for _, server := range []study.Pick{
		pick("ifca", "clusters", int64(1)), pick("ifca", "clusters", int64(1), "start", "drawn"),
		pick("ifca", "clusters", int64(1), "average", "gradients"),
	} {
		c := stepping(9, batched("ifca"), server, two)
		c.Measures = plain.Measures
		got, _, m := ends(t, c)
		if !slices.Equal(got.Global, want.Global) || !slices.Equal(m, measured) {
			t.Errorf("%v is %v from FedAvg, and measures %v, not %v", server,
				got.Global.Distance(want.Global), m, measured)
		}
	}
}

// clusterModels returns the models of all clusters after a cell: the global one, and those that the
// server keeps.
func clusterModels(t *testing.T, c study.Cell) []fl.Vector {
	t.Helper()
	p, _, _ := ends(t, c)
	models := []fl.Vector{p.Global}
	for j := range p.Broadcast["models"].Rows {
		models = append(models, p.Broadcast["models"].Row(j))
	}
	return models
}

// nearest returns which of some models has the least loss ½θᵀAθ − bᵀθ.
func nearest(models []fl.Vector, a *mat.Dense, b *mat.VecDense) (best int) {
	least := math.Inf(1)
	for j, m := range models {
		theta := mat.NewVecDense(len(m), m)
		if loss := mat.Inner(theta, a, theta)/2 - mat.Dot(b, theta); loss < least {
			least, best = loss, j
		}
	}
	return best
}

// Theorem: with one step a round and under full participation each model of IFCA ends at the
// minimum of the mean loss of the clients whose loss is least there, by both ways to average, and
// clients predict with the model of their cluster.
//
//hansa:verifies fixed-point aggregator/ifca local/ifca
func TestClustersEndAtTheirMinima(t *testing.T) {
	for _, average := range []string{"models", "gradients"} {
		c := clustered(4000, 1, pick("all"), "clusters", int64(2), "average", average)
		c.Picks["dataset"] = pick("quadratics", "minima", []any{-2.0, -1.7, -1.0, 1.0, 2.0, 4.0})
		c.Picks["model"] = pick("linear", "intercept", false)
		models := clusterModels(t, c)
		own, _ := deployed(t, c, fl.DeployedModel)
		as, bs := quadratics(t, c)
		d, used := len(models[0]), 0
		for j, m := range models {
			left, right, size := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil), 0
			for i := range as {
				if nearest(models, as[i], bs[i]) != j {
					continue
				}
				size++
				left.Add(left, as[i])
				right.AddVec(right, bs[i])
				if !slices.Equal(own[i], m) {
					t.Errorf("%s: client %d predicts with the model of another cluster", average, i)
				}
			}
			if size == 0 {
				continue
			}
			used++
			if off := m.Distance(solved(t, left, right)); !(off < 1e-9) {
				t.Errorf("%s: cluster %d of %d clients ends %v from their minimum", average, j, size,
					off)
			}
		}
		if used < 2 {
			t.Errorf("%s: all clients are in one cluster", average)
		}
	}
}

// One round of IFCA by hand, after one and two rounds: with one step of rate γ of each client the
// model of a cluster moves by −γ/m_j·Σ∇fᵢ over its m_j clients, or by −γ/m·Σ∇fᵢ with m clients in
// all.
func TestClustersMoveByTheirClients(t *testing.T) {
	for _, average := range []string{"models", "gradients"} {
		for _, rounds := range []int{1, 2} {
			cell := func(rounds int) study.Cell {
				return clustered(rounds, 1, pick("all"), "clusters", int64(2), "average", average)
			}
			before, after := clusterModels(t, cell(rounds)), clusterModels(t, cell(rounds+1))
			as, bs := quadratics(t, cell(rounds))
			moves, size := make([]fl.Vector, len(before)), make([]float64, len(before))
			for j := range moves {
				moves[j] = make(fl.Vector, len(before[j]))
			}
			for i := range as {
				j := nearest(before, as[i], bs[i])
				var grad mat.VecDense
				grad.MulVec(as[i], mat.NewVecDense(len(before[j]), before[j]))
				grad.SubVec(&grad, bs[i])
				moves[j].AddScaled(-0.02, grad.RawVector().Data)
				size[j]++
			}
			for j := range moves {
				by := size[j]
				if average == "gradients" {
					by = float64(len(as))
				}
				want := before[j].Clone()
				want.AddScaled(1/max(by, 1), moves[j])
				if off := after[j].Distance(want); !(off < 1e-12) {
					t.Errorf("%s, round %d: cluster %d is %v from where it should be", average,
						rounds+1, j, off)
				}
			}
		}
	}
}

// The first round: with groups the cohort is split as equally as can be, so that the mean of the
// two models is FedAvg's; with drawn models the global one stays, and the other is of its law.
func TestClustersStart(t *testing.T) {
	models := clusterModels(t, clustered(1, 4, pick("all"), "clusters", int64(2)))
	plain, _, _ := ends(t, stepping(1, pick("sgd", "steps", int64(4), "lr", 0.02),
		pick("fedavg", "weights", "uniform"), pick("all")))
	mean := models[0].Clone()
	mean.Scale(0.5)
	mean.AddScaled(0.5, models[1])
	if off := mean.Distance(plain.Global); !(off < 1e-12) || slices.Equal(models[0], models[1]) {
		t.Errorf("the mean of groups is %v from FedAvg", off)
	}
	network := personal(descends("ifca"))
	network.Rounds, network.Every = 1, 1
	network.Picks["aggregator"] = pick("ifca", "clusters", int64(3), "start", "drawn")
	models = clusterModels(t, network)
	s := composed(t, network)
	first := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	if !slices.Equal(models[0], first) {
		t.Error("the global model moved before clients could choose")
	}
	for j, m := range models[1:] {
		if r := m.Norm() / first.Norm(); !(r > 0.8 && r < 1.25) || m.Distance(first) < first.Norm() {
			t.Errorf("model %d has %v of the norm of the first and is %v from it", j+1, r,
				m.Distance(first))
		}
	}
	if len(models) != 3 || slices.Equal(models[1], models[2]) {
		t.Error("not all models are drawn")
	}
}

// composed is the setup of a cell.
func composed(t *testing.T, c study.Cell) *engine.Setup {
	t.Helper()
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &s
}

// What IFCA sends, by hand: of models of three parameters and two clients in five rounds, one model
// up, and from the second round on the number of a cluster; three models down, but one in the first
// round.
func TestClustersAreCounted(t *testing.T) {
	c := clustered(5, 1, pick("uniform-k", "k", int64(2)), "clusters", int64(3))
	s := composed(t, c)
	r, err := engine.Run(t.Context(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	up, down := int64(4*2*(3+4*(3+1))), int64(4*2*(3+4*3*3))
	if r.Cost.Uploaded != up || r.Cost.Downloaded != down {
		t.Errorf("%d bytes up and %d down, want %d and %d", r.Cost.Uploaded, r.Cost.Downloaded, up,
			down)
	}
}

// A client of IFCA that says a cluster that there is not is an error, not a model of nothing.
func TestClustersAreChecked(t *testing.T) {
	s := composed(t, clustered(3, 1, pick("all"), "clusters", int64(2)))
	s.Local = misled{s.Local}
	_, err := engine.Run(t.Context(), s, engine.Options{})
	if err == nil || err.Error() != "round 2: client 0 sends no cluster from 0 to 1" {
		t.Errorf("%v", err)
	}
}

// misled is a local rule whose clients say cluster 7.
type misled struct{ fl.LocalRule }

func (m misled) Run(t *fl.Task) (fl.Update, error) {
	u, err := m.LocalRule.Run(t)
	if c, ok := u.Payload["cluster"]; ok {
		c.Data[0] = 7
	}
	return u, err
}
