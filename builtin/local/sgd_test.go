package local_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// rule builds the local rule from what an experiment would say.
func rule(t *testing.T, given map[string]any) fl.LocalRule {
	t.Helper()
	reg := new(registry.Registry)
	if err := reg.Optimizers.Add(optimizer.SGD, optimizer.Adam, optimizer.AdamW); err != nil {
		t.Fatal(err)
	}
	p := reg.Params(given, fl.Setting{Clients: 1, Rounds: 40})
	r, err := local.SGD.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%v: %v, %v", given, err, problems)
	}
	return r
}

// A bench is a client with regression data and a linear model to train on them.
type bench struct {
	task   fl.Task
	stream fl.Stream
	worker *spy
}

// newBench returns a client with n samples of d features, its model at a random point.
func newBench(t *testing.T, n, d int) *bench {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	data := fl.Dataset{Shape: fl.Shape{Features: d}, X: fl.NewMatrix(n, d), Target: normals(n, rng)}
	copy(data.X.Data, normals(n*d, rng))
	m, err := model.Linear.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(data.Shape); err != nil {
		t.Fatal(err)
	}
	b := &bench{stream: fl.NewStream(3, "client"), worker: &spy{Worker: m.Worker()}}
	b.task = fl.Task{Client: &fl.Client{Data: data}, Model: m, Worker: b.worker}
	b.task.Global = normals(d, rng)
	b.task.Params = make(fl.Vector, d)
	return b
}

func normals(n int, rng *rand.Rand) fl.Vector {
	v := make(fl.Vector, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// train runs a rule in round t.
func (b *bench) train(t *testing.T, r fl.LocalRule, round int) fl.Update {
	t.Helper()
	b.task.Recycle()
	b.worker.batches, b.worker.path = nil, nil
	copy(b.task.Params, b.task.Global)
	b.task.RNG = b.stream.At(round, 0).Rand()
	u, err := r.Run(&b.task)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// quadratic returns A = 2XᵀX/n and b = 2Xᵀy/n: the client's loss has the gradient Aθ − b.
func (b *bench) quadratic() (*mat.Dense, *mat.VecDense) {
	data := &b.task.Client.Data
	n, d := data.Len(), data.X.Cols
	x, a, rhs := mat.NewDense(n, d, data.X.Data), mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
	a.Mul(x.T(), x)
	a.Scale(2/float64(n), a)
	rhs.MulVec(x.T(), mat.NewVecDense(n, data.Target))
	rhs.ScaleVec(2/float64(n), rhs)
	return a, rhs
}

// A spy is a worker that writes down what gradients it is asked for.
type spy struct {
	fl.Worker
	batches [][]int     // rows, nil for all
	path    []fl.Vector // parameters
}

func (s *spy) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	s.batches, s.path = append(s.batches, slices.Clone(rows)), append(s.path, params.Clone())
	s.Worker.Gradient(grad, params, d, rows)
}

func (s *spy) Descend(d *fl.Descent) { d.Follow(s) }

// Theorem: H full-batch steps on a quadratic end at θ_H = θ* + (I − ηA)ᴴ (θ − θ*).
//
//hansa:verifies theorem local/sgd
func TestFullBatchStepsHaveAClosedForm(t *testing.T) {
	const d, rate = 5, 0.05
	b := newBench(t, 30, d)
	a, rhs := b.quadratic()
	var best mat.VecDense
	if err := best.SolveVec(a, rhs); err != nil {
		t.Fatal(err)
	}
	contraction := mat.NewDense(d, d, nil)
	contraction.Scale(-rate, a)
	for i := range d {
		contraction.Set(i, i, 1+contraction.At(i, i))
	}
	for _, steps := range []int{1, 2, 5, 50} {
		var power mat.Dense
		power.Pow(contraction, steps)
		want := mat.NewVecDense(d, b.task.Global.Clone())
		want.SubVec(want, &best)
		want.MulVec(&power, want)
		want.AddVec(want, &best)
		u := b.train(t, rule(t, map[string]any{"steps": int64(steps), "lr": rate}), 0)
		if u.Steps != steps || u.Params.Distance(want.RawVector().Data) > 1e-13 {
			t.Errorf("%d steps, %d taken: %v, want %v", steps, u.Steps, u.Params, want.RawVector().Data)
		}
	}
}

// Every epoch draws every sample once, in a new order; its last batch takes what is left.
func TestEpochsCoverTheSamples(t *testing.T) {
	for _, c := range []struct {
		n, batch int
		sizes    []int
	}{
		{10, 3, []int{3, 3, 3, 1}}, {10, 5, []int{5, 5}}, {4, 1, []int{1, 1, 1, 1}},
		{10, 9, []int{9, 1}}, {2, 1, []int{1, 1}},
	} {
		b := newBench(t, c.n, 2)
		given := map[string]any{"epochs": int64(20), "batch": int64(c.batch), "lr": 1e-3}
		u := b.train(t, rule(t, given), 0)
		if u.Steps != 20*len(c.sizes) || len(b.worker.batches) != u.Steps {
			t.Fatalf("%d of %d: %d steps, want %d", c.batch, c.n, u.Steps, 20*len(c.sizes))
		}
		var first []int
		repeated := 0
		for epoch := range 20 {
			batches := b.worker.batches[epoch*len(c.sizes):][:len(c.sizes)]
			for k, rows := range batches {
				if len(rows) != c.sizes[k] {
					t.Errorf("%d of %d: batch %d has %d samples", c.batch, c.n, k, len(rows))
				}
			}
			order := slices.Concat(batches...)
			if epoch == 0 {
				first = order
			} else if slices.Equal(order, first) {
				repeated++
			}
			sorted := slices.Sorted(slices.Values(order))
			for i, row := range sorted {
				if i != row {
					t.Fatalf("%d of %d: an epoch draws %v", c.batch, c.n, sorted)
				}
			}
		}
		if repeated > 15 {
			t.Errorf("%d of %d: %d of 19 epochs repeat the first", c.batch, c.n, repeated)
		}
	}
}

// Steps go on into the next epoch, and stop within one.
func TestStepsAcrossEpochs(t *testing.T) {
	b := newBench(t, 10, 2)
	steps := b.train(t, rule(t, map[string]any{"steps": int64(6), "batch": int64(3)}), 0).Params.Clone()
	batches := b.worker.batches
	var sizes []int
	for _, rows := range batches {
		sizes = append(sizes, len(rows))
	}
	if !slices.Equal(sizes, []int{3, 3, 3, 1, 3, 3}) {
		t.Errorf("batches of %v samples", sizes)
	}
	u := b.train(t, rule(t, map[string]any{"epochs": int64(2), "batch": int64(3)}), 0)
	if u.Steps != 8 || u.Params.Distance(steps) == 0 {
		t.Errorf("two epochs are %d steps", u.Steps)
	}
	for k, rows := range batches {
		if !slices.Equal(rows, b.worker.batches[k]) {
			t.Errorf("batch %d is %v in epochs, %v in steps", k, b.worker.batches[k], rows)
		}
	}
}

// All batches are equally likely, the second of an epoch like the first.
//
//hansa:verifies theorem local/sgd
func TestBatchesAreUniform(t *testing.T) {
	const rounds = 20_000
	b := newBench(t, 5, 1)
	r := rule(t, map[string]any{"batch": int64(2)})
	var seen [2][5][5]float64
	for round := range rounds {
		b.train(t, r, round)
		for k := range seen {
			i, j := b.worker.batches[k][0], b.worker.batches[k][1]
			seen[k][min(i, j)][max(i, j)]++
		}
	}
	const mean = rounds / 10.
	for k := range seen {
		for i := range 5 {
			for j := i + 1; j < 5; j++ {
				if math.Abs(seen[k][i][j]-mean) > 5*math.Sqrt(mean*.9) {
					t.Errorf("batch %d was {%d, %d} %v times, want about %v", k, i, j, seen[k][i][j], mean)
				}
			}
		}
	}
}

// A batch that takes all samples is the full gradient, bit for bit, and draws nothing.
func TestABatchOfAllIsFullBatch(t *testing.T) {
	b := newBench(t, 7, 3)
	want := b.train(t, rule(t, map[string]any{"steps": int64(4)}), 0).Params.Clone()
	for _, size := range []int64{0, 7, 8, 1e9} {
		u := b.train(t, rule(t, map[string]any{"steps": int64(4), "batch": size}), 0)
		if !slices.Equal(u.Params, want) {
			t.Errorf("batch = %d ends at %v, full batch at %v", size, u.Params, want)
		}
		epochs := b.train(t, rule(t, map[string]any{"epochs": int64(4), "batch": size}), 0)
		if epochs.Steps != 4 || !slices.Equal(epochs.Params, want) {
			t.Errorf("batch = %d: four epochs are %d steps", size, epochs.Steps)
		}
		if next := b.task.RNG.Uint64(); next != b.stream.At(0, 0).Rand().Uint64() {
			t.Errorf("batch = %d draws random numbers", size)
		}
	}
}

// One epoch is what neither steps nor epochs mean; both together are a mistake.
func TestStepsOrEpochs(t *testing.T) {
	b := newBench(t, 10, 2)
	if u := b.train(t, rule(t, map[string]any{"batch": int64(4)}), 0); u.Steps != 3 {
		t.Errorf("%d steps by default, want one epoch of 3", u.Steps)
	}
	p := fl.NewParams(map[string]any{"steps": int64(2), "epochs": int64(1)}, fl.Setting{}, nil)
	if _, err := local.SGD.New(p); err != nil {
		t.Fatal(err)
	}
	const want = "epochs: steps = 2 is given too; set one of them to 0"
	if got := p.Finish(); len(got) != 1 || got[0].Message != want {
		t.Errorf("problems: %v", got)
	}
}

// A learning rate of zero leaves every bit, batches or not; the ball still holds.
func TestNoLearning(t *testing.T) {
	b := newBench(t, 10, 3)
	for _, size := range []int64{0, 3} {
		given := map[string]any{"lr": int64(0), "batch": size, "steps": int64(5)}
		if u := b.train(t, rule(t, given), 0); !slices.Equal(u.Params, b.task.Global) {
			t.Errorf("batch = %d: %v became %v", size, b.task.Global, u.Params)
		}
		given["radius"] = 0.5
		want := b.task.Global.Clone()
		want.Scale(0.5 / want.Norm())
		if u := b.train(t, rule(t, given), 0); u.Params.Distance(want) > 1e-15 {
			t.Errorf("batch = %d: projected to %v, want %v", size, u.Params, want)
		}
	}
}
