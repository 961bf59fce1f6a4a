package builtin

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// onParabolas returns a cell of six clients, each with one sample and a loss ½(θ − cᵢ)².
func onParabolas(rounds int, completion, aggregator, selection study.Pick) study.Cell {
	c := finishingBy(rounds, completion, aggregator, selection)
	c.Picks["dataset"] = pick("quadratics", "minima", anyFloats(minima))
	c.Picks["partition"] = pick("natural")
	c.Picks["model"] = pick("linear", "intercept", false)
	c.Picks["local"] = pick("sgd", "steps", int64(1), "lr", 0.1)
	return c
}

func anyFloats(v []float64) (list []any) {
	for _, x := range v {
		list = append(list, x)
	}
	return list
}

// A replayed run is what testdata/asynchronous.py computes of one server.
type replayed struct {
	Rule        string
	Given       map[string]any
	Take, Tiers int64
	Models      fl.Vector
	Staleness   [][]int
	Seconds     []float64
}

func (r *replayed) completion(seconds []any) study.Pick {
	if r.Tiers > 0 {
		return pick("durations", "seconds", seconds, "tiers", r.Tiers)
	}
	return pick("durations", "seconds", seconds, "concurrency", int64(6), "take", r.Take)
}

// Models, staleness and virtual time of 40 rounds are those of a loop in NumPy that knows nothing
// of hansa, to 1e-12: of FedAsync, FedBuff with several buffers and discounts, and FedAT.
//
//hansa:verifies golden aggregator/fedasync aggregator/fedbuff aggregator/fedat
func TestGoldenAsynchronous(t *testing.T) {
	text, err := os.ReadFile("aggregator/testdata/asynchronous.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Seconds []any
		Rounds  int
		Runs    []replayed
	}
	if err := json.Unmarshal(text, &v); err != nil || len(v.Runs) != 9 {
		t.Fatal(err, len(v.Runs))
	}
	for _, want := range v.Runs {
		c := onParabolas(v.Rounds, want.completion(v.Seconds), study.Pick{Name: want.Rule,
			Params: want.Given}, pick("all"))
		follows(t, c, &want)
	}
}

// follows checks models, staleness and virtual time after every round of a cell.
func follows(t *testing.T, c study.Cell, want *replayed) {
	t.Helper()
	s := composed(t, c)
	var stale []int
	record := func(r *engine.RoundRecord) error {
		stale = slices.Clone(r.Seen.Staleness)
		return nil
	}
	cell, err := engine.Start(s, engine.Options{Record: record})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for k := range want.Models {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
		p := cell.Checkpoint()
		if x := p.Global[0]; math.Abs(x-want.Models[k]) > 1e-12 ||
			math.Abs(p.Time-want.Seconds[k]) > 1e-9 || !slices.Equal(stale, want.Staleness[k]) {
			t.Fatalf("%s %v, round %d: model %v at %v with staleness %v, want %v at %v with %v",
				want.Rule, want.Given, k+1, x, p.Time, stale, want.Models[k], want.Seconds[k],
				want.Staleness[k])
		}
	}
}

// Clients that are equally fast, as many as an update takes, train as for a synchronous server, to
// the bit and the byte: models that are summed and models that are kept, state at clients, methods
// with memory of clients, and tiers of one. FedBuff is FedAvg then, FedAT too.
//
//hansa:verifies equivalence aggregator/fedbuff aggregator/fedat completion/immediate
func TestEquallyFastClientsAreSynchronous(t *testing.T) {
	some := pick("uniform-k", "k", int64(3))
	sync := pick("durations", "seconds", []any{2.0, 2.0, 2.0, 2.0, 2.0, 2.0})
	three := []any{"concurrency", int64(3), "take", int64(3)}
	for _, c := range []struct{ rule, as study.Pick }{
		{uniformMean(), uniformMean()},
		{pick("coordinate-median"), pick("coordinate-median")},
		{pick("scaffold"), pick("scaffold")},
		{pick("mifa"), pick("mifa")},
		{pick("fedbuff"), uniformMean()},
	} {
		for _, model := range []study.Pick{pick("immediate", three...),
			pick("durations", append([]any{"seconds", sync.Params["seconds"]}, three...)...),
			pick("immediate", "tiers", int64(1)), pick("speeds", "tiers", int64(1))} {
			cell := finishingBy(6, model, c.rule, some)
			plain := finishingBy(6, sync, c.as, some)
			if c.rule.Name == "scaffold" {
				cell.Picks["local"] = pick("scaffold", "steps", int64(3), "lr", 0.02)
				plain.Picks["local"] = cell.Picks["local"]
			}
			got, _, m := ends(t, cell)
			want, _, n := ends(t, plain)
			if !slices.Equal(got.Global, want.Global) || m[1] != n[1] || m[2] != n[2] ||
				model.Name == "durations" && m[0] != n[0] {
				t.Errorf("%s, %v: %v and %v, want %v and %v", c.rule.Name, model, got.Global, m,
					want.Global, n)
			}
		}
	}
	one, _, _ := ends(t, finishingBy(6, pick("speeds", "tiers", int64(1)), pick("fedat"), some))
	mean, _, _ := ends(t, finishingBy(6, pick("speeds"), pick("fedavg", "of", "params"), some))
	for j, x := range one.Global {
		if math.Abs(x-mean.Global[j]) > 1e-12 {
			t.Errorf("FedAT with one tier ends at %v, FedAvg at %v", one.Global, mean.Global)
			break
		}
	}
}

// settled returns the mean of the models of the second half of a run.
func settled(t *testing.T, c study.Cell) float64 {
	t.Helper()
	s := composed(t, c)
	cell, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	sum := 0.0
	for k := range c.Rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
		if k >= c.Rounds/2 {
			sum += cell.Checkpoint().Global[0]
		}
	}
	return sum / float64(c.Rounds-c.Rounds/2)
}

// Where speed and data go together FedBuff ends beside the minimum of the mean of all losses: at
// Σ fᵢcᵢ, with fᵢ the share of client i in all updates, ∝ 1/dᵢ where all clients train at once and
// each needs dᵢ seconds. With weights by inverse inclusion probabilities it ends at the minimum.
//
//hansa:verifies theorem aggregator/fedbuff
func TestFedBuffIsBiasedToFastClients(t *testing.T) {
	d := []float64{30, 10, 20, 10, 45, 5}
	var rates, sum float64
	for i, x := range d {
		rates += 1 / x
		sum += minima[i] / x
	}
	model := pick("durations", "seconds", anyFloats(d), "concurrency", int64(6), "take", int64(1))
	c := onParabolas(24000, model, pick("fedbuff", "discount", "constant"), pick("all"))
	c.Picks["local"] = pick("sgd", "steps", int64(1), "lr", 0.002)
	if x := settled(t, c); math.Abs(x-sum/rates) > 0.02 {
		t.Errorf("FedBuff ends at %v, want %v", x, sum/rates)
	}
	c.Law, c.Picks["aggregator"] = true, pick("fedbuff", "discount", "constant", "weights", "ht")
	if x := settled(t, c); math.Abs(x-2.0/3) > 0.02 {
		t.Errorf("with weights by inverse inclusion probabilities it ends at %v, want 2/3", x)
	}
	s, w := prepared(t, c)
	law, err := engine.CohortLaw(s, w)
	if err != nil || law.Exact {
		t.Fatal(err, law.Exact)
	}
	for i, x := range d {
		if f := 1 / x / rates; math.Abs(law.Inclusion[i]-f) > 0.005 {
			t.Errorf("client %d is in a share %v of the rounds, want %v", i, law.Inclusion[i], f)
		}
	}
}

// late is an asynchronous server of clients with state that drop out and are given up.
func late(local, aggregator study.Pick, more ...any) study.Cell {
	c := finishingBy(12, pick("speeds", append([]any{"deadline", 20.0, "dropout", 0.2, "step", 2.0},
		more...)...), aggregator, pick("uniform-k", "k", int64(2)))
	c.Picks["local"], c.Every = local, 1
	return c
}

// A cell that stops while clients train and goes on from the bytes of its checkpoint, with other
// workers, has the bits, bytes and virtual time of one that does not stop.
//
//hansa:verifies invariance aggregator/fedasync aggregator/fedbuff aggregator/fedat
func TestAsynchronousServersGoOn(t *testing.T) {
	three := []any{"steps", int64(3), "lr", 0.02}
	buffer := []any{"concurrency", int64(4), "take", int64(2)}
	for _, c := range []study.Cell{
		late(pick("sgd", three...), pick("fedbuff"), buffer...),
		late(pick("sgd", three...), pick("fedasync"), "concurrency", int64(4), "take", int64(1)),
		late(pick("sgd", three...), pick("coordinate-median"), buffer...),
		late(pick("scaffold", three...), pick("scaffold"), buffer...),
		late(pick("sgd", three...), pick("fedat"), "tiers", int64(3)),
	} {
		s := composed(t, c)
		want, err := engine.Run(t.Context(), s, engine.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		cell, err := engine.Start(s, engine.Options{Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.Rounds {
			if err := cell.Step(); err != nil {
				t.Fatal(err)
			}
			if k%4 != 1 {
				continue
			}
			got := goneOn(t, s, cell)
			*got.Cost, *want.Cost = got.Cost.Counted(), want.Cost.Counted()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("resumed after %d rounds\n%+v\nwant\n%+v", k+1, got, want)
			}
		}
		cell.Close()
	}
}

// A checkpoint of an asynchronous server is none of a synchronous one, nor the reverse; one that
// lacks a model on which a client works is refused.
func TestAsynchronousCheckpointsOfOthers(t *testing.T) {
	c := late(oneStep(0.02), pick("fedbuff"), "concurrency", int64(4), "take", int64(2))
	of := func(c study.Cell) (*engine.Setup, *engine.Progress) {
		s, _ := prepared(t, c)
		cell, err := engine.Start(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cell.Close()
		for range 3 {
			if err := cell.Step(); err != nil {
				t.Fatal(err)
			}
		}
		return s, cell.Checkpoint()
	}
	asynchronous, p := of(c)
	synchronous, q := of(late(oneStep(0.02), pick("fedbuff")))
	for _, k := range []struct {
		s *engine.Setup
		p *engine.Progress
	}{{asynchronous, q}, {synchronous, p}} {
		if cell, err := engine.Resume(k.s, engine.Options{}, k.p); err == nil {
			cell.Close()
			t.Error("a checkpoint of another kind of server is accepted")
		}
	}
	p.Pending.Models = p.Pending.Models[:0]
	if cell, err := engine.Resume(asynchronous, engine.Options{}, p); err == nil {
		cell.Close()
		t.Error("a checkpoint without a model is accepted")
	}
}

// By hand: clients that need longer than the deadline are given up, asked again, and send updates in
// vain; those that drop out send nothing.
func TestAsynchronousServersGiveClientsUp(t *testing.T) {
	const model = 3 * 4
	places := []any{"concurrency", int64(6), "take", int64(1)}
	// Client 5 arrives at 5, 10, 15 and 20, clients 1 and 3 at 10 and 20; the others end at 15.
	p, _, m := ends(t, finishingBy(6, listed(append(places, "deadline", 15.0)...), pick("fedbuff"),
		pick("all")))
	if p.Came != 6 || math.Abs(3600*m[0]-20) > 1e-9 || m[1] != (6+3)*model ||
		m[2] != (6+5+3)*model {
		t.Errorf("%d updates in %v seconds, %v bytes up and %v down", p.Came, 3600*m[0], m[1], m[2])
	}
	p, _, m = ends(t, finishingBy(400, listed(append(places, "dropout", 0.25)...), pick("fedbuff"),
		pick("all")))
	if p.Came != 400 || m[1] != 400*model {
		t.Errorf("%d updates, %v bytes up", p.Came, m[1])
	}
	share := 400 * model / m[2]
	if math.Abs(share-0.75) > 0.05 {
		t.Errorf("%v of all that are asked are heard", share)
	}
	none := finishingBy(5, pick("immediate", append(places, "dropout", 0.999999)...), pick("fedbuff"),
		pick("all"))
	if p, _, _ := ends(t, none); p.Skipped != 5 {
		t.Errorf("all clients drop out, and %d rounds are skipped", p.Skipped)
	}
}

// What an asynchronous server cannot be is said before anything runs.
func TestWhatAsynchronousServersRefuse(t *testing.T) {
	for what, c := range map[string]struct {
		completion, selection study.Pick
		says                  string
	}{
		"no buffer":         {pick("speeds", "concurrency", int64(3)), pick("all"), "aggregates after"},
		"tiers and buffers": {pick("speeds", "tiers", int64(2), "take", int64(2)), pick("all"), "leave take"},
		"tiers and places": {pick("speeds", "tiers", int64(2), "concurrency", int64(2)), pick("all"),
			"no concurrency"},
		"too many tiers": {pick("speeds", "tiers", int64(7)), pick("all"), "7 tiers of 6 clients"},
		"repeats": {pick("speeds", "concurrency", int64(3), "take", int64(1)),
			pick("md", "k", int64(3)), "several times"},
	} {
		cell := finishingBy(3, c.completion, uniformMean(), c.selection)
		_, _, problems := menu(t).Compose(cell)
		if len(problems) == 0 || !strings.Contains(problems.Error(), c.says) {
			t.Errorf("%s: %v", what, problems)
		}
	}
	layers := finishingBy(3, pick("speeds", "concurrency", int64(3), "take", int64(1)),
		pick("fedma-layerwise"), pick("all"))
	_, _, problems := menu(t).Compose(layers)
	if !strings.Contains(problems.Error(), "gets some of earlier ones") {
		t.Errorf("layers that are matched one a round: %v", problems)
	}
}

// A round of an asynchronous server allocates nothing once its models and places are there.
func TestAsynchronousServersAllocateNothing(t *testing.T) {
	for _, aggregator := range []study.Pick{pick("fedbuff"), pick("fedasync"), pick("mifa")} {
		c := late(oneStep(0.02), aggregator, "concurrency", int64(4), "take", int64(2))
		c.Rounds, c.Every = 3000, 3000
		s, _ := prepared(t, c)
		cell, err := engine.Start(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			if err := cell.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(1000, func() {
			if err := cell.Step(); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations in a round", aggregator.Name, n)
		}
		cell.Close()
	}
}
