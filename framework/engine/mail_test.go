package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// postal is an aggregator that has mail for every client of the cohort, two numbers each, and after
// every third round one number for client 5.
type postal struct {
	momentum
	sent map[int]fl.Tensors // the same in every round, as an aggregator keeps it
}

func newPostal() postal { return postal{sent: map[int]fl.Tensors{}} }

func (p postal) Aggregate(r *fl.Round) (fl.Outcome, error) {
	out, err := p.momentum.Aggregate(r)
	clear(p.sent)
	for _, u := range r.Updates {
		m := r.State.Matrix(fmt.Sprint("mail ", u.Client), 1, 2)
		m.Data[0], m.Data[1] = float64(r.T), out.Params[0]*float64(u.Client+1)
		p.sent[u.Client] = fl.Tensors{"two": m}
	}
	if r.T%3 == 2 {
		m := r.State.Matrix("late", 1, 1)
		m.Data[0] = float64(r.T)
		p.sent[5] = fl.Tensors{"one": m}
	}
	out.Mail = p.sent
	return out, err
}

// mailMoved is a local rule that moves by its mail.
type mailMoved struct{ noisy }

func (l mailMoved) Run(t *fl.Task) (fl.Update, error) {
	for _, name := range []string{"one", "two"} {
		for k, x := range t.Mail[name].Data {
			t.Params[k] += 0.01 * x
		}
	}
	return l.noisy.Run(t)
}

func corresponding() *engine.Setup {
	s := toy()
	s.Aggregator, s.Local = newPostal(), mailMoved{}
	return s
}

func TestMailIsResumed(t *testing.T) { resumes(t, corresponding) }

func TestMailDoesNotDependOnWorkers(t *testing.T) {
	made := func(workers int) string {
		s := big()
		s.Aggregator, s.Local = newPostal(), mailMoved{}
		return content(t, run(t, s, engine.Options{Workers: workers}))
	}
	for _, workers := range []int{2, 3, 8} {
		if made(workers) != made(1) {
			t.Errorf("another result with %d workers", workers)
		}
	}
}

// Mail waits for its client however long that is absent, is read in the round in which it
// participates next and in no later one, and is that of no other client.
func TestMailSurvivesAbsence(t *testing.T) {
	s := corresponding()
	s.Rounds, s.Every = 60, 60
	last := map[int]float64{} // the round after which mail was made for a client that waits for it
	s.Local = ruleFunc(func(t *fl.Task) (fl.Update, error) {
		made, waits := last[t.Client.ID]
		switch got := t.Mail["two"].Data; {
		case t.Client.ID == 5: // below
		case !waits && t.Mail != nil:
			return fl.Update{}, fmt.Errorf("round %d: mail %v, want none", t.T, t.Mail)
		case waits && (len(got) != 2 || got[0] != made ||
			got[1] != 0 && got[1] == float64(t.Client.ID)):
			return fl.Update{}, fmt.Errorf("round %d: mail %v, want that of round %v", t.T, got, made)
		}
		last[t.Client.ID] = float64(t.T)
		return fl.Update{Params: t.Params}, nil
	})
	run(t, s, engine.Options{})
	if len(last) != s.Clients {
		t.Errorf("%d of %d clients participated", len(last), s.Clients)
	}
}

// What is read was sent, once: what waits for a client, what a later one replaces, and what an
// empty one withdraws is not counted. Client by client the counts are those of the totals.
func TestMailIsCountedWhenItIsSent(t *testing.T) {
	s := corresponding()
	s.Availability, s.Rounds, s.Every = rota{{0, 5}, {0}, {0}, {0, 1}, {5}, {1}}, 6, 1
	s.Measures = []engine.Measure{{Key: "up", Metric: uploads{}}, {Key: "down", Metric: downloads{}}}
	kept := map[int][]float64{}
	r := run(t, s, engine.Options{Keep: func(round int, name string, m fl.Matrix) {
		if name == "sent" && m.Cols == 3 && m.Rows*m.Cols == len(m.Data) {
			kept[round] = slices.Clone(m.Data)
		}
	}})
	// Models have three numbers, of four bytes. After round 3 client 5 has mail of one number, in
	// the place of the two after round 1.
	want := map[int][]float64{
		1: {0, 12, 12, 5, 12, 12}, 2: {0, 20, 12}, 3: {0, 20, 12}, 4: {0, 20, 12, 1, 12, 12},
		5: {5, 16, 12}, 6: {1, 20, 12},
	}
	up, down := 0.0, 0.0
	for round := 1; round <= 6; round++ {
		if !slices.Equal(kept[round], want[round]) {
			t.Errorf("round %d: %v, want %v", round, kept[round], want[round])
		}
		for k := 0; k < len(want[round]); k += 3 {
			down, up = down+want[round][k+1], up+want[round][k+2]
		}
		if u, d := 4*r.Series[0].Values[round], 4*r.Series[1].Values[round]; u != up || d != down {
			t.Errorf("after round %d: %v bytes up, %v down; want %v, %v", round, u, d, up, down)
		}
	}
}

// rota is an availability: cohorts in turns.
type rota [][]int

func (a rota) Available(r *fl.AvailabilityInput) []int { return a[r.T%len(a)] }
func (a rota) Law(*fl.Roster) (fl.Law, bool)           { return fl.Law{}, false }

// mailing is an aggregator whose mail is as given.
type mailing struct {
	momentum
	mail func(t int) map[int]fl.Tensors
}

func (m mailing) Aggregate(r *fl.Round) (fl.Outcome, error) {
	out, err := m.momentum.Aggregate(r)
	out.Mail = m.mail(r.T)
	return out, err
}

// A checkpoint of a run without waiting mail has the bytes that it had before there was mail; an
// empty one withdraws what waits.
func TestMailOfNothingLeavesNoTrace(t *testing.T) {
	end := func(a fl.Aggregator) []byte {
		s := toy()
		s.Aggregator = a
		c, err := engine.Start(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 6 {
			if err := c.Step(); err != nil {
				t.Fatal(err)
			}
		}
		p := c.Checkpoint()
		p.Seconds, p.Serving, p.Training, p.Downloaded = 0, 0, 0, 0
		return bytesOf(t, p)
	}
	one := fl.Tensors{"x": fl.NewMatrix(1, 1)}
	want := end(momentum{})
	if got := end(mailing{mail: func(t int) map[int]fl.Tensors {
		if t == 4 {
			return map[int]fl.Tensors{0: one, 3: one}
		}
		return map[int]fl.Tensors{0: {}, 3: nil}
	}}); !bytes.Equal(got, want) {
		t.Error("another checkpoint after mail was withdrawn")
	}
	if got := end(mailing{mail: func(t int) map[int]fl.Tensors {
		return map[int]fl.Tensors{3: one}
	}}); bytes.Equal(got, want) {
		t.Error("mail that waits is not in a checkpoint")
	}
}

func TestMailThatCannotBeDelivered(t *testing.T) {
	for to, want := range map[int]string{
		-1: "round 1: the aggregator has mail for a client that is none of 0 to 5",
		6:  "round 1: the aggregator has mail for a client that is none of 0 to 5",
		4:  "round 1: the aggregator has mail for client 4, which is not enrolled",
	} {
		s := toy()
		s.Availability, s.Enrollment = everyone{}, without(4)
		s.Aggregator = mailing{mail: func(int) map[int]fl.Tensors {
			return map[int]fl.Tensors{to: {"x": fl.NewMatrix(1, 1)}}
		}}
		if _, err := engine.Run(context.Background(), s, engine.Options{}); err == nil ||
			err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// without enrols all clients but one.
type without int

func (w without) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		in[i] = i != int(w)
	}
	return in
}

// Mail takes the memory of earlier mail: a round allocates nothing.
func TestMailAllocatesNothing(t *testing.T) {
	s := toy()
	s.Local, s.Rounds, s.Every = mailMoved{}, 1000, 1000
	sent, two := map[int]fl.Tensors{}, fl.NewMatrix(1, 2)
	for i := range 4 {
		sent[i] = fl.Tensors{"two": two}
	}
	s.Aggregator = mailing{mail: func(int) map[int]fl.Tensors { return sent }}
	c, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	step := func() {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
	}
	for range 30 {
		step()
	}
	if n := testing.AllocsPerRun(50, step); n > 0 {
		t.Errorf("%v allocations in a round", n)
	}
}

// overlapping makes rounds of a setup overlap: three clients train at once, and each two updates
// make a model.
func overlapping(s *engine.Setup) *engine.Setup {
	s.Completion = engine.Completion{Component: fl.Immediate{},
		Policy: fl.RoundPolicy{Concurrency: 3, Take: 2, Dropout: 0.2}}
	return s
}

func TestMailOfAnAsynchronousServerIsResumed(t *testing.T) {
	resumes(t, func() *engine.Setup { return overlapping(corresponding()) })
}
