package builtin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/tensor"
)

const publicRows = 50

// distilling returns the cell of personal with public images.
func distilling(local, aggregator study.Pick, labelled bool) study.Cell {
	c := personal(local)
	c.Picks["aggregator"] = aggregator
	c.Picks["public"] = pick("glyphs", "train", int64(publicRows), "test", int64(0),
		"labelled", labelled)
	return c
}

// Theorem: without steps of the student FedDF is FedAvg, bit for bit, and with them it is not; nor
// does it read labels of public data.
//
//hansa:verifies equivalence aggregator/feddf
func TestFedDFReduces(t *testing.T) {
	after := func(steps int64, labelled bool) fl.Vector {
		p, _, _ := ends(t, distilling(descends("sgd"), pick("feddf", "steps", steps), labelled))
		return p.Global
	}
	plain := personal(descends("sgd"))
	plain.Picks["aggregator"] = pick("fedavg")
	want, _, _ := ends(t, plain)
	if !slices.Equal(after(0, false), want.Global) {
		t.Error("without steps it is not FedAvg")
	}
	hidden := after(5, false)
	if slices.Equal(hidden, want.Global) {
		t.Error("steps of the student change nothing")
	}
	if !slices.Equal(hidden, after(5, true)) {
		t.Error("labels of public data change the student")
	}
}

// teaching returns a round of linear models of 4 features and 3 classes, of clients with unequal
// samples, and 40 public rows without labels.
func teaching(t *testing.T, models ...fl.Vector) *fl.Round {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 1))
	shape := fl.Shape{Features: 4, Classes: 3}
	e, _ := menu(t).Models.Get("softmax")
	m, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(shape); err != nil {
		t.Fatal(err)
	}
	r := &fl.Round{Model: m, Layout: m.Layout(), Global: make(fl.Vector, m.Layout().Len()), RNG: rng,
		Notes: new(fl.Notes), State: fl.NewStore(),
		Public: &fl.Dataset{Shape: shape, X: fl.NewMatrix(40, 4)}}
	fl.Vector(r.Public.X.Data).AddNoise(1, rng)
	for i, theta := range models {
		if theta == nil {
			theta = make(fl.Vector, len(r.Global))
			theta.AddNoise(1, rng)
		}
		r.Updates = append(r.Updates, fl.Update{Client: i, Samples: 1 + 3*i, Params: theta})
	}
	return r
}

// distilled returns what FedDF makes of a round.
func distilled(t *testing.T, r *fl.Round, given map[string]any) fl.Vector {
	t.Helper()
	e, _ := menu(t).Aggregators.Get("feddf")
	p := menu(t).Params(given, fl.Setting{})
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out.Params.Clone()
}

// chances returns the softmax of scores/T of the public rows.
func chances(r *fl.Round, theta fl.Vector, temperature float64) fl.Matrix {
	s := fl.NewMatrix(r.Public.Len(), 3)
	r.Model.Worker().Scores(s, theta, r.Public.X)
	for i := range s.Rows {
		fl.Vector(s.Row(i)).Scale(1 / temperature)
		tensor.Softmax(s.Row(i), s.Row(i))
	}
	return s
}

// Theorem: the mean scores of linear models are those of their plain mean. So the student, which
// begins at the mean by samples, converges to the probabilities of the plain mean, at any
// temperature.
//
//hansa:verifies theorem aggregator/feddf
func TestALinearStudentFindsThePlainMean(t *testing.T) {
	for _, temperature := range []float64{1, 3} {
		r := teaching(t, nil, nil, nil)
		mean := make(fl.Vector, len(r.Global))
		for k := range r.Updates {
			mean.AddScaled(1.0/3, r.Updates[k].Params)
		}
		teacher := chances(r, mean, temperature)
		given := map[string]any{"optimizer": "sgd", "lr": 0.5, "batch": int64(0),
			"temperature": temperature, "steps": int64(20_000)}
		off := func(theta fl.Vector) float64 {
			return fl.Vector(chances(r, theta, temperature).Data).Distance(teacher.Data)
		}
		got := distilled(t, r, given)
		given["steps"] = int64(0)
		start := distilled(t, r, given)
		if before := off(start); before < 0.1 {
			t.Fatalf("the student begins %v from its teacher", before)
		}
		if after := off(got); after > 1e-6 {
			t.Errorf("T = %v: the student ends %v from the plain mean", temperature, after)
		}
	}
}

// Theorem: where all clients have the same model, it is the student's, too.
func TestAStudentOfOneModelStays(t *testing.T) {
	r := teaching(t, nil)
	same := r.Updates[0].Params
	r = teaching(t, same, same, same)
	got := distilled(t, r, map[string]any{"optimizer": "sgd", "lr": 0.5, "steps": int64(200)})
	if off := got.Distance(same); off > 1e-12 {
		t.Errorf("it moves by %v", off)
	}
}

// One step of the student is one along the gradient of T²·KL(teacher ‖ student), by differences.
func TestTheStudentDescendsOnTheDivergence(t *testing.T) {
	const temperature, rate, h = 2.0, 0.25, 1e-5
	r := teaching(t, nil, nil)
	given := map[string]any{"optimizer": "sgd", "lr": rate, "batch": int64(0), "steps": int64(0),
		"temperature": temperature}
	start := distilled(t, r, given)
	given["steps"] = int64(1)
	step := distilled(t, r, given)
	mean := r.Updates[0].Params.Clone()
	mean.Add(r.Updates[1].Params)
	mean.Scale(0.5)
	teacher := chances(r, mean, temperature)
	divergence := func(theta fl.Vector) (sum float64) {
		for i, q := range chances(r, theta, temperature).Data {
			p := teacher.Data[i]
			sum += temperature * temperature * p * math.Log(p/q) / float64(teacher.Rows)
		}
		return sum
	}
	for j := range start {
		up, down := start.Clone(), start.Clone()
		up[j] += h
		down[j] -= h
		slope := (divergence(up) - divergence(down)) / (2 * h)
		if got := (start[j] - step[j]) / rate; math.Abs(got-slope) > 1e-8 {
			t.Errorf("parameter %d: %v, by differences %v", j, got, slope)
		}
	}
}

// Theorem: without digestion the models of FedMD are those of local-only, bit for bit.
//
//hansa:verifies equivalence aggregator/fedmd local/fedmd
func TestFedMDReduces(t *testing.T) {
	want := ownModels(t, personal(descends("local-only")))
	models := func(params ...any) []fl.Vector {
		return ownModels(t, distilling(descends("fedmd", params...), pick("fedmd"), true))
	}
	for i, v := range models("digest_epochs", int64(0)) {
		if !slices.Equal(v, want[i]) {
			t.Errorf("client %d ends %v from local-only", i, v.Distance(want[i]))
		}
	}
	same := func(got []fl.Vector) (n int) {
		for i, v := range got {
			if slices.Equal(v, want[i]) {
				n++
			}
		}
		return n
	}
	if n := same(models()); n == len(want) {
		t.Error("digestion changes no model")
	}
	trained := same(models("digest_epochs", int64(0), "transfer_epochs", int64(1)))
	if trained > 0 {
		t.Errorf("transfer learning changes all models but %d", trained)
	}
}

// Theorem: the consensus is the mean of the scores by the clients' own models.
//
//hansa:verifies theorem aggregator/fedmd local/fedmd
func TestTheConsensusIsTheMean(t *testing.T) {
	c := distilling(descends("fedmd"), pick("fedmd"), false)
	c.Picks["selection"] = pick("all")
	p, s, _ := ends(t, c)
	world, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	public, models := world.Population.Public, ownModels(t, c)
	if public.Y != nil || public.Len() != publicRows {
		t.Fatalf("%d public rows, labels %v", public.Len(), public.Y)
	}
	mean := fl.NewMatrix(public.Len(), 10)
	own := fl.NewMatrix(public.Len(), 10)
	for _, theta := range models {
		s.Model.Worker().Scores(own, theta, public.X)
		fl.Vector(mean.Data).AddScaled(1/float64(len(models)), own.Data)
	}
	if off := fl.Vector(p.Broadcast["scores"].Data).Distance(mean.Data); off > 1e-12 {
		t.Errorf("it is %v off", off)
	}
	first := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	if !slices.Equal(p.Global, first) {
		t.Error("the global model moved")
	}
}

// What is sent, by hand: six clients get the public rows once; three in each of six rounds send
// scores of ten classes, and get a consensus from the second round on. FedDF sends what FedAvg
// does.
func TestDistillationIsCounted(t *testing.T) {
	const clients, rounds, cohort, pixels, classes, model = 6, 6, 3, 784, 10, 6370
	for _, labelled := range []bool{false, true} {
		rows := publicRows * pixels
		if labelled {
			rows += publicRows
		}
		up := 4 * rounds * cohort * publicRows * classes
		down := 4 * (clients*rows + (rounds-1)*cohort*publicRows*classes)
		_, _, m := ends(t, distilling(descends("fedmd"), pick("fedmd"), labelled))
		if m[0] != float64(up) || m[1] != float64(down) {
			t.Errorf("FedMD sends %v and is sent %v bytes, want %d and %d", m[0], m[1], up, down)
		}
		_, _, m = ends(t, distilling(descends("sgd"), pick("feddf", "steps", int64(2)), labelled))
		if want := float64(4 * rounds * cohort * model); m[0] != want || m[1] != want {
			t.Errorf("FedDF sends %v and is sent %v bytes, want %v", m[0], m[1], want)
		}
	}
}

// calibrating returns a cell of CCVR, or of FedAvg with the same weights.
func calibrating(rounds int, server ...any) study.Cell {
	c := personal(descends("ccvr"))
	c.Rounds, c.Every = rounds, rounds
	c.Picks["aggregator"] = pick("ccvr", server...)
	return c
}

// Theorem: without virtual features CCVR ends where FedAvg does after one round less, bit for bit;
// with them only the head is another.
//
//hansa:verifies equivalence aggregator/ccvr local/ccvr
func TestCCVRReduces(t *testing.T) {
	const rounds, body = 4, 6280
	plain := personal(descends("sgd"))
	plain.Rounds, plain.Every = rounds-1, rounds-1
	plain.Picks["aggregator"] = pick("fedavg")
	want, _, _ := ends(t, plain)
	for _, none := range [][]any{{"samples", int64(0)}, {"epochs", int64(0)}, {"lr", 0.0}} {
		got, _, _ := ends(t, calibrating(rounds, none...))
		if !slices.Equal(got.Global, want.Global) {
			t.Errorf("with %v it is not FedAvg", none)
		}
	}
	got, _, _ := ends(t, calibrating(rounds))
	if !slices.Equal(got.Global[:body], want.Global[:body]) {
		t.Error("the body moved")
	}
	if slices.Equal(got.Global[body:], want.Global[body:]) {
		t.Error("the head stayed")
	}
}

// What is sent, by hand: in the last round three clients send, for each class that they have, its
// number, how many samples, a mean of 8 features and 36 numbers of squares, and no model.
func TestCCVRIsCounted(t *testing.T) {
	const rounds, cohort, model, perClass = 3, 3, 6370, 2 + 8 + 36
	c := calibrating(rounds)
	c.Picks["partition"] = pick("shards")
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	world, err := engine.Prepare(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	last, classes := []float64(nil), 0
	cell, err := engine.Start(&s, engine.Options{Keep: func(round int, name string, m fl.Matrix) {
		if name == engine.ArraySent && round == rounds {
			for r := range m.Rows {
				last = append(last, m.Row(r)[0])
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range last {
		has := map[int]bool{}
		for _, y := range world.Population.Client(int(i)).Data.Y {
			has[y] = true
		}
		classes += len(has)
	}
	p := cell.Checkpoint()
	if want := int64((rounds-1)*cohort*model + classes*perClass); p.Uploaded != want {
		t.Errorf("%d floats up, want %d", p.Uploaded, want)
	}
	if want := int64(rounds * cohort * model); p.Downloaded != want {
		t.Errorf("%d floats down, want %d", p.Downloaded, want)
	}
}

// A single round would not train.
func TestCCVRNeedsTwoRounds(t *testing.T) {
	if _, _, problems := menu(t).Compose(calibrating(1)); len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
}

// Cells are the same bits for any number of workers and after a resume at any round.
func TestDistillationSurvives(t *testing.T) {
	for name, c := range map[string]study.Cell{
		"feddf": distilling(descends("sgd"), pick("feddf", "steps", int64(3), "batch", int64(20)), false),
		"fedmd": distilling(descends("fedmd", "transfer_epochs", int64(1)), pick("fedmd"), true),
		"ccvr":  calibrating(6, "samples", int64(20)),
	} {
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s.Every = 1
		want, err := engine.Run(t.Context(), &s, engine.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, after := range []int{1, s.Rounds - 1} {
			got := resumed(t, &s, after)
			if fmt.Sprint(got.Series, got.Notes) != fmt.Sprint(want.Series, want.Notes) {
				t.Errorf("%s: resumed after %d rounds\n%v\nwant\n%v", name, after, got.Series,
					want.Series)
			}
		}
	}
}

// A model of two classes with one score takes no soft targets, and methods that need these say so.
func TestOneScoreTakesNoSoftTargets(t *testing.T) {
	for _, local := range []string{"sgd", "fedmd"} {
		c := setting()
		c.Picks["dataset"], c.Picks["model"] = pick("population-logistic"), pick("logistic")
		c.Picks["public"], c.Picks["availability"] = pick("population-logistic"), pick("always")
		c.Picks["local"], c.Picks["aggregator"] = descends(local), pick("feddf")
		if local == "fedmd" {
			c.Picks["aggregator"] = pick("fedmd")
		}
		_, _, problems := menu(t).Compose(c)
		if len(problems) == 0 {
			t.Errorf("%s is not refused", local)
		}
		for _, p := range problems {
			if !strings.Contains(p.Message, "other models take no soft targets") {
				t.Error(p)
			}
		}
	}
}
