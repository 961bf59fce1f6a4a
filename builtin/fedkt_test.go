package builtin

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// transferring returns a cell of FedKT with some parameters of its halves.
func transferring(local, server []any) study.Cell {
	c := distilling(descends("fedkt", local...), pick("fedkt", server...), false)
	c.Rounds, c.Every = 1, 1
	return c
}

// voting returns a round in which clients send linear students, those of a client alike.
func voting(t *testing.T, clients, students int) *fl.Round {
	t.Helper()
	r := teaching(t, make([]fl.Vector, clients)...)
	rng := rand.New(rand.NewPCG(8, 5))
	for k := range r.Updates {
		u := &r.Updates[k]
		sent := fl.NewMatrix(students, len(r.Global))
		fl.Vector(sent.Data).AddNoise(1, rng)
		for j := range sent.Rows { // students of a client resemble each other
			sent.Row(j).AddScaled(1.5, u.Params)
		}
		u.Params, u.Payload = nil, fl.Tensors{"students": sent}
	}
	return r
}

// transferred returns what the server of FedKT makes of a round.
func transferred(t *testing.T, r *fl.Round, given map[string]any) fl.Vector {
	t.Helper()
	e, _ := menu(t).Aggregators.Get("fedkt")
	p := menu(t).Params(given, fl.Setting{})
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	r.RNG = rand.New(rand.NewPCG(1, 1))
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out.Params.Clone()
}

// trainedOn returns the model that a client would train from the global one on the public rows with
// labels.
func trainedOn(t *testing.T, r *fl.Round, rows, y []int, epochs int) fl.Vector {
	t.Helper()
	d := r.Public.Pick(rows)
	d.Y = y
	r.RNG = rand.New(rand.NewPCG(1, 1))
	task := r.Task(d)
	e, _ := menu(t).Optimizers.Get("adam")
	adam, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	by := task.Descent()
	by.Optimizer, by.Rate, by.Batches = adam, 0.01, task.Batches(8)
	by.Steps = epochs * by.Batches.PerEpoch()
	task.Worker.Descend(by)
	return task.Params
}

// Theorem: the server's model is the one that is trained on the public samples on which at least one
// client's students all agree, labelled by how many of these clients there are; votes are counted
// here as the paper defines them, client by client.
//
//hansa:verifies theorem aggregator/fedkt
func TestVotesOfFedKTAreConsistent(t *testing.T) {
	const clients, students, classes = 4, 3, 3
	r := voting(t, clients, students)
	var rows, y []int
	for i := range r.Public.Len() {
		agree := make([]int, classes)
		for k := range r.Updates {
			said := map[int]bool{}
			for j := range students {
				p := chances(r, r.Updates[k].Payload["students"].Row(j), 1).Row(i)
				said[slices.Index(p, slices.Max(p))] = true
			}
			for c := range said {
				if len(said) == 1 {
					agree[c]++
				}
			}
		}
		if most := slices.Max(agree); most > 0 {
			rows, y = append(rows, i), append(y, slices.Index(agree, most))
		}
	}
	if len(rows) == 0 || len(rows) == r.Public.Len() {
		t.Fatalf("%d of %d samples have a vote", len(rows), r.Public.Len())
	}
	given := map[string]any{"epochs": int64(3), "batch": int64(8), "lr": 0.01}
	got := transferred(t, r, given)
	if want := trainedOn(t, r, rows, y, 3); !slices.Equal(got, want) {
		t.Errorf("it is %v from the model of these labels", got.Distance(want))
	}
	given["voting"] = "all"
	if slices.Equal(transferred(t, r, given), got) {
		t.Error("votes of clients whose students differ change nothing")
	}
}

// With one student of each client, all votes are consistent: both ways to vote are the same, to the
// bit.
//
//hansa:verifies equivalence aggregator/fedkt
func TestSingleStudentsAgree(t *testing.T) {
	r := voting(t, 5, 1)
	models := map[string]fl.Vector{}
	for _, voting := range []string{"consistent", "all"} {
		models[voting] = transferred(t, r, map[string]any{"epochs": int64(2), "voting": voting})
	}
	if !slices.Equal(models["consistent"], models["all"]) {
		t.Error("they differ")
	}
	if slices.Equal(models["all"], r.Global) {
		t.Error("nothing was trained")
	}
}

// Neither the order of clients nor that of their students matters, to the bit.
//
//hansa:verifies invariance aggregator/fedkt
func TestVotesHaveNoOrder(t *testing.T) {
	given := map[string]any{"epochs": int64(2)}
	r := voting(t, 4, 3)
	want := transferred(t, r, given)
	slices.Reverse(r.Updates)
	for k := range r.Updates {
		s := r.Updates[k].Payload["students"]
		first := s.Row(0).Clone()
		copy(s.Row(0), s.Row(2))
		copy(s.Row(2), first)
	}
	if got := transferred(t, r, given); !slices.Equal(got, want) {
		t.Errorf("the model moves by %v", got.Distance(want))
	}
}

// Without students that fit, it is an error; without a vote the model stays.
func TestFedKTSaysWhatIsMissing(t *testing.T) {
	e, _ := menu(t).Aggregators.Get("fedkt")
	a, err := e.New(menu(t).Params(nil, fl.Setting{}))
	if err != nil {
		t.Fatal(err)
	}
	r := voting(t, 2, 2)
	r.Updates[1].Payload["students"] = fl.NewMatrix(2, 3)
	if _, err := a.Aggregate(r); err == nil {
		t.Error("students of three parameters are taken")
	}
	r = voting(t, 1, 2)
	s := r.Updates[0].Payload["students"]
	clear(s.Data)
	s.Row(0)[12], s.Row(1)[13] = 1, 1 // the biases of classes 0 and 1
	out, err := a.Aggregate(r)
	if err != nil || !slices.Equal(out.Params, r.Global) {
		t.Errorf("without a vote: %v, %v", out.Params, err)
	}
	r.Public = nil
	if _, err := a.Aggregate(r); err == nil {
		t.Error("public data are not missed")
	}
}

// Theorem: with one teacher, a client's teacher is what sgd trains on all of its samples from the
// same parameters, and the student is trained on what that one says of public samples. With as many
// teachers as samples, or more, each teacher has one sample.
//
//hansa:verifies theorem local/fedkt
func TestStudentsLearnWhatTeachersSay(t *testing.T) {
	r := teaching(t, nil)
	own := *r.Public
	rng := rand.New(rand.NewPCG(5, 9))
	own.X = own.X.Slice(0, 12)
	for range own.Len() {
		own.Y = append(own.Y, rng.IntN(own.Shape.Classes))
	}
	run := func(given map[string]any) fl.Update {
		e, _ := menu(t).LocalRules.Get("fedkt")
		p := menu(t).Params(given, fl.Setting{})
		rule, err := e.New(p)
		if problems := p.Finish(); err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		u, err := rule.Run(&fl.Task{Client: &fl.Client{Data: own}, Model: r.Model,
			Worker: r.Model.Worker(), State: fl.NewStore(), Public: r.Public,
			RNG: rand.New(rand.NewPCG(2, 2))})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	given := map[string]any{"partitions": int64(1), "teachers": int64(1), "steps": int64(30),
		"lr": 0.3, "student_epochs": int64(4), "student_lr": 0.01, "student_batch": int64(0)}
	u := run(given)
	teacher := make(fl.Vector, r.Model.Layout().Len()) // softmax begins at zero
	for range 30 {
		grad := make(fl.Vector, len(teacher))
		r.Model.Worker().Gradient(grad, teacher, &own, nil)
		teacher.AddScaled(-0.3, grad)
	}
	p, y, rows := chances(r, teacher, 1), []int(nil), []int(nil)
	for i := range p.Rows {
		y, rows = append(y, p.Row(i).ArgMax()), append(rows, i)
	}
	clear(r.Global)
	task := r.Task(r.Public.Pick(rows))
	task.Client.Data.Y = y
	e, _ := menu(t).Optimizers.Get("adam")
	adam, _ := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	d := task.Descent()
	d.Optimizer, d.Rate, d.Steps = adam, 0.01, 4
	task.Worker.Descend(d)
	got := u.Payload["students"]
	if off := got.Row(0).Distance(task.Params); got.Rows != 1 || off > 1e-10 {
		t.Errorf("%d students, the first %v from what its teacher says", got.Rows, off)
	}
	if u.Steps != 34 || u.Params != nil {
		t.Errorf("%d steps, want 34; %d parameters", u.Steps, len(u.Params))
	}
	given["teachers"], given["partitions"], given["steps"] = int64(12), int64(2), int64(1)
	most := run(given)
	given["teachers"] = int64(40)
	if more := run(given); !slices.Equal(more.Payload["students"].Data, most.Payload["students"].Data) {
		t.Error("40 teachers of 12 samples are not 12")
	} else if most.Steps != 2*(12+4) {
		t.Errorf("%d steps of 12 teachers and a student, twice", most.Steps)
	}
}

// What is sent, by hand: each of six clients gets the public rows once and no model; three send two
// students.
func TestFedKTIsCounted(t *testing.T) {
	const clients, cohort, pixels, model = 6, 3, 784, 6370
	_, _, m := ends(t, transferring([]any{"student_epochs", int64(1)}, []any{"epochs", int64(1)}))
	if up := 4. * cohort * 2 * model; m[0] != up {
		t.Errorf("%v bytes up, want %v", m[0], up)
	}
	if down := 4. * clients * publicRows * pixels; m[1] != down {
		t.Errorf("%v bytes down, want %v", m[1], down)
	}
}

// A run is the same bits for any number of workers.
func TestFedKTIsExact(t *testing.T) {
	c := transferring([]any{"student_epochs", int64(2), "teachers", int64(2)}, []any{"epochs", int64(2)})
	c.Rounds, c.Every = 2, 1
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var want []engine.Series
	for _, workers := range []int{1, 3} {
		got, err := engine.Run(t.Context(), &s, engine.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got.Series
		}
		for k, s := range got.Series {
			if !slices.Equal(s.Values, want[k].Values) {
				t.Errorf("%s: %v with %d workers, want %v", s.Key, s.Values, workers, want[k].Values)
			}
		}
	}
	got := resumed(t, &s, 1)
	for k, s := range got.Series {
		if !slices.Equal(s.Values, want[k].Values) {
			t.Errorf("%s: resumed %v, want %v", s.Key, s.Values, want[k].Values)
		}
	}
}
