package engine_test

import (
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// takes is what slow components take, at least.
const takes = 20 * time.Millisecond

// slowServer is an aggregator that takes a while for its weights, and for their sum where it is
// asked for the two apart.
type slowServer struct{ momentum }

func (s slowServer) Weights(r *fl.Round) (fl.Weights, error) {
	time.Sleep(takes)
	return s.momentum.Weights(r)
}

func (s slowServer) Aggregate(r *fl.Round) (fl.Outcome, error) {
	time.Sleep(takes)
	return s.momentum.Aggregate(r)
}

// slowClients take a while to train, and note it.
type slowClients struct {
	noisy
	total *time.Duration
}

func (c slowClients) Run(t *fl.Task) (fl.Update, error) {
	began := time.Now()
	time.Sleep(takes / 10)
	u, err := c.noisy.Run(t)
	*c.total += time.Since(began)
	return u, err
}

// What a cell took are the bytes of all rounds, and the seconds of the server and of the clients,
// apart; it is nothing of the result, and goes on in a cell that is resumed.
func TestServerAndClientsAreTimed(t *testing.T) {
	for name, a := range map[string]fl.Aggregator{"aggregator": slowServer{},
		"weigher": fl.WeighThen(slowServer{}, momentum{})} {
		var clients time.Duration
		s := toy()
		s.Rounds, s.Availability, s.Selection, s.Aggregator = 3, everyone{}, takeAll{}, a
		s.Local = slowClients{total: &clients}
		began := time.Now()
		r := run(t, s, engine.Options{})
		whole := time.Since(began)
		cost := r.Cost
		if least := 3 * takes.Seconds(); !cost.Timed || cost.Server < least ||
			cost.Server > (whole-clients).Seconds() {
			t.Errorf("%s: %+v, want between %v s and %v", name, cost, least, whole-clients)
		}
		if cost.Clients < clients.Seconds() || cost.Clients > whole.Seconds()-3*takes.Seconds() {
			t.Errorf("%s: clients took %v s, want at least %v", name, cost.Clients, clients)
		}
		if n := int64(3 * s.Clients * r.Parameters * fl.BytesPerNumber); cost.Uploaded != n ||
			cost.Downloaded != n || cost.Preprocess != 0 {
			t.Errorf("%s: %+v, want %d bytes in each direction", name, cost, n)
		}
		c, err := engine.Start(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
		kept := c.Checkpoint()
		c.Close()
		if c, err = engine.Resume(s, engine.Options{}, kept); err != nil {
			t.Fatal(err)
		}
		if got := c.Result().Cost.Server; got != kept.Serving || got < takes.Seconds() {
			t.Errorf("%s: resumed after %v s of the server, with %v", name, kept.Serving, got)
		}
		if got := c.Result().Cost.Clients; got != kept.Training || got < takes.Seconds()/10 {
			t.Errorf("%s: resumed after %v s of clients, with %v", name, kept.Training, got)
		}
		c.Close()
	}
	long := toy()
	long.Rounds, long.Every = 1001, 1001
	if cost := run(t, long, engine.Options{}).Cost; cost.Timed || cost.Server != 0 ||
		cost.Clients != 0 || cost.Uploaded == 0 {
		t.Errorf("of many rounds: %+v", cost)
	}
}

// slowMaker is a preprocessor whose server makes something that takes a while.
type slowMaker struct{ mover }

func (m slowMaker) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	return c.Once("slow", func() (fl.Tensors, error) {
		time.Sleep(takes)
		return fl.Tensors{}, nil
	})
}

// Preprocessing takes what it takes where all of it is computed, for every cell that shares it and
// for a later run that finds a part of it on disk.
func TestPreprocessingSharedCostsTheSame(t *testing.T) {
	disk := &diskInMemory{items: map[string][]byte{}}
	for range 2 {
		o := engine.Options{Memo: engine.NewMemo(9), DiskCache: disk}
		for cell := range 2 {
			s := hall(true, slowMaker{})
			s.DataKey = string(rune('a' + cell))
			began := time.Now()
			r := run(t, s, o)
			most := time.Since(began) + takes + time.Second // where another cell made it
			if got := r.Cost.Preprocess; got < takes.Seconds() || got > most.Seconds() {
				t.Errorf("preprocessing took %v s, want %v to %v", got, takes, most)
			}
		}
	}
}
