package builtin

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// personal returns a cell of six clients with images, of which three train in a round, and a
// network with 784·8 + 8 = 6280 parameters in its body and 8·10 + 10 = 90 in its head.
func personal(local study.Pick) study.Cell {
	c := setting()
	c.Rounds, c.Every, c.TestByClient = 6, 6, true
	c.Picks = maps.Clone(c.Picks)
	c.Picks["dataset"] = pick("glyphs", "train", int64(240), "test", int64(120))
	c.Picks["partition"] = pick("iid")
	c.Picks["model"] = pick("mlp", "widths", []any{int64(8)})
	c.Picks["importance"], c.Picks["availability"] = pick("uniform"), pick("always")
	c.Picks["selection"] = pick("uniform-k", "k", int64(3))
	c.Picks["aggregator"], c.Picks["local"] = pick("fedavg", "weights", "uniform"), local
	c.Measures = nil
	for _, m := range []study.Pick{
		pick("upload"), pick("download"), pick("accuracy", "model", "deployed", "weighting", "uniform"),
		pick("clients", "model", "deployed", "on", "test", "statistic", "mean"),
	} {
		c.Measures = append(c.Measures, study.Measure{Pick: m, Key: m.Name})
	}
	return c
}

// descends is a local rule in batches, so that all that is random in it counts.
func descends(name string, params ...any) study.Pick {
	return pick(name, append([]any{"lr", 0.1, "batch", int64(16)}, params...)...)
}

// Theorem: with nothing that stays, or no fine-tuning, methods are FedAvg, bit for bit.
//
//hansa:verifies equivalence local/fedper local/lg-fedavg local/fedbn local/fedrep local/silobn
//hansa:verifies equivalence local/fine-tuning local/per-fedavg local/ditto
func TestPersonalMethodsReduceToFedAvg(t *testing.T) {
	want, _, measured := ends(t, personal(descends("sgd")))
	for name, local := range map[string]study.Pick{
		"FedPer, no head":                 descends("fedper", "layers", int64(0)),
		"LG-FedAvg, all layers":           descends("lg-fedavg", "layers", int64(2)),
		"FedBN, no norms":                 descends("fedbn"),
		"SiloBN, no batch norms":          descends("silobn"),
		"FedRep, no head to train":        descends("fedrep", "layers", int64(0), "head_epochs", int64(0)),
		"fine-tuning of no epochs":        descends("fine-tuning", "tune_epochs", int64(0)),
		"Per-FedAvg, α = 0":               descends("per-fedavg", "alpha", 0.0, "tune_steps", int64(0)),
		"the global model of Ditto":       descends("ditto"),
		"the global model of fine-tuning": descends("fine-tuning"),
	} {
		got, _, m := ends(t, personal(local))
		if !slices.Equal(got.Global, want.Global) {
			t.Errorf("%s ends elsewhere than FedAvg", name)
		}
		if local.Params["tune_epochs"] != nil && !slices.Equal(m, measured) {
			t.Errorf("%s measures %v, FedAvg %v", name, m, measured)
		}
	}
}

// ownModel returns what a client predicts with at the end of a cell.
func ownModels(t *testing.T, c study.Cell) []fl.Vector {
	t.Helper()
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	models := make([]fl.Vector, s.Clients)
	s.Measures = append(s.Measures, engine.Measure{Key: "own", Metric: reader(func(shot *fl.Snapshot) {
		for i := range models {
			v, err := shot.Personal(i)
			if err != nil {
				t.Error(err)
			}
			models[i] = v.Clone()
		}
	})})
	if _, err := engine.Run(t.Context(), &s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	return models
}

// A reader is a metric that looks at a snapshot.
type reader func(*fl.Snapshot)

func (r reader) Measure(s *fl.Snapshot) (float64, error) { r(s); return 0, nil }
func (reader) Unit() string                              { return "" }
func (reader) Higher() bool                              { return false }

// Theorem: local training alone is what a client does when it is the only one: the model of every
// client is that of a cell in which it trains alone. So it is with all layers in the head of
// FedPer, and with λ = 0 in Ditto, bit for bit.
//
//hansa:verifies equivalence local/fedper local/lg-fedavg local/ditto local/local-only
func TestPersonalMethodsReduceToLocalTraining(t *testing.T) {
	cell := func(local study.Pick) study.Cell {
		c := personal(local)
		c.Picks["selection"] = pick("all")
		return c
	}
	full := []any{"lr", 0.1, "epochs", int64(3)}
	want := ownModels(t, cell(pick("local-only", full...)))
	for name, local := range map[string]study.Pick{
		"FedPer":    pick("fedper", append([]any{"layers", int64(2)}, full...)...),
		"LG-FedAvg": pick("lg-fedavg", append([]any{"layers", int64(0)}, full...)...),
		"Ditto":     pick("ditto", append([]any{"lambda", 0.0}, full...)...),
	} {
		for i, v := range ownModels(t, cell(local)) {
			if !slices.Equal(v, want[i]) {
				t.Errorf("%s: client %d ends %v from where it ends alone", name, i, v.Distance(want[i]))
			}
		}
	}
	for i := range want {
		alone := trainedAlone(t, cell(pick("local-only", full...)), i)
		if !slices.Equal(alone, want[i]) {
			t.Errorf("client %d ends %v from where it ends as the only one", i, alone.Distance(want[i]))
		}
	}
}

// trainedAlone returns where plain steps of the local rule on the samples of one client end,
// without an engine.
func trainedAlone(t *testing.T, c study.Cell, client int) fl.Vector {
	t.Helper()
	c.Picks = maps.Clone(c.Picks)
	c.Picks["local"] = study.Pick{Name: "sgd", Params: c.Picks["local"].Params}
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	world, err := engine.Prepare(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	theta := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	own := world.Population.Client(client)
	for round := range s.Rounds {
		task := &fl.Task{T: round, Client: &own, Global: theta.Clone(), Params: theta,
			Model: s.Model, Worker: s.Model.Worker(), State: fl.NewStore()}
		if _, err := s.Local.Run(task); err != nil {
			t.Fatal(err)
		}
	}
	return theta
}

// Theorem: the larger λ, the nearer are the personal models of Ditto to the global one: after steps
// of 1/λ, within the norm of a gradient over λ.
//
//hansa:verifies theorem local/ditto
func TestDittoNearsTheGlobalModel(t *testing.T) {
	far := func(lambda float64) (most float64) {
		c := personal(descends("ditto", "lambda", lambda, "personal_lr", min(0.1, 1/lambda)))
		c.Picks["selection"] = pick("all")
		c.Picks["local"].Params["lr"] = 0.0 // θᵗ stays where personal models are pulled to
		p, _, _ := ends(t, c)
		for _, v := range ownModels(t, c) {
			most = max(most, v.Distance(p.Global))
		}
		return most
	}
	last := far(1)
	if last < 1e-2 {
		t.Fatalf("at λ = 1 personal models are %v from the global one", last)
	}
	for _, lambda := range []float64{100, 1e4} {
		now := far(lambda)
		if !(now < last/10) || !(now < 100/lambda) {
			t.Errorf("at λ = %v they are %v away, before %v", lambda, now, last)
		}
		last = now
	}
}

// What is sent, by hand: three clients a round, six rounds, and 6280 + 90 parameters of four bytes.
func TestWhatStaysIsNotSent(t *testing.T) {
	const body, head = 6280, 90
	for name, floats := range map[string]int{
		"sgd": body + head, "local-only": 0, "fedper": body, "fedrep": body, "lg-fedavg": head,
		"fedbn": body + head, "ditto": body + head, "fine-tuning": body + head,
		"pfedme": body + head, "apfl": body + head, "per-fedavg": body + head,
	} {
		_, _, m := ends(t, personal(descends(name)))
		want := float64(4 * 6 * 3 * floats)
		if m[0] != want || m[1] != want {
			t.Errorf("%s sends %v and is sent %v bytes, want %v", name, m[0], m[1], want)
		}
	}
}

// What stays is that of the client alone: the global head never changes, the personal model is the
// global body and the client's head, and a client that has never trained has the global model.
func TestWhatStaysIsOfOneClient(t *testing.T) {
	c := personal(descends("fedper"))
	c.Rounds, c.Every = 1, 1
	p, s, _ := ends(t, c)
	first := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	if !slices.Equal(p.Global[6280:], first[6280:]) || slices.Equal(p.Global[:6280], first[:6280]) {
		t.Error("the global head changed, or the body did not")
	}
	trained := 0
	for i, v := range ownModels(t, c) {
		if !slices.Equal(v[:6280], p.Global[:6280]) {
			t.Errorf("client %d has a body of its own", i)
		}
		if !slices.Equal(v[6280:], first[6280:]) {
			trained++
		}
	}
	if trained != 3 {
		t.Errorf("%d clients have a head of their own after three trained", trained)
	}
}

// Metrics of personal models and of fine-tuned ones are the same bits for any number of workers and
// after a resume.
func TestPersonalModelsSurvive(t *testing.T) {
	for name, local := range map[string]study.Pick{
		"fedper": descends("fedper"), "fedrep": descends("fedrep"), "ditto": descends("ditto"),
		"fine-tuning": descends("fine-tuning"), "local-only": descends("local-only"),
		"pfedme": descends("pfedme", "lambda", 2.0), "apfl": descends("apfl", "adaptive", true),
		"per-fedavg, FO": descends("per-fedavg"),
		"per-fedavg, HF": descends("per-fedavg", "hessian", "differences"),
	} {
		s, _, problems := menu(t).Compose(personal(local))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s.Every = 1
		want, err := engine.Run(t.Context(), &s, engine.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := resumed(t, &s, 3)
		if fmt.Sprint(got.Series) != fmt.Sprint(want.Series) {
			t.Errorf("%s: resumed with two workers\n%v\nwant\n%v", name, got.Series, want.Series)
		}
	}
}

// A head is the last layers with weights, a body all before them, and norms are scales and offsets.
func TestPartsOfModels(t *testing.T) {
	for name, depth := range map[string]int{"softmax": 1, "mlp": 3, "cnn": 5, "resnet9": 9} {
		c := personal(descends("sgd"))
		c.Picks["dataset"] = pick("glyphs", "image", "colour", "train", int64(240), "test", int64(120))
		c.Picks["model"] = pick(name)
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		l := s.Model.Layout()
		if l.Depth() != depth {
			t.Errorf("%s has %d layers with weights, want %d", name, l.Depth(), depth)
		}
		for n := range depth + 2 {
			body, top := l.Body(n), l.Top(n)
			if !slices.Equal(slices.Concat(body, top), l.Blocks) ||
				(fl.Layout{Blocks: top}).Depth() != min(n, depth) {
				t.Errorf("%s: a head of %d layers has %d blocks", name, n, len(top))
			}
		}
		if norms := l.Norms(); (len(norms) > 0) != (name == "resnet9") {
			t.Errorf("%s has %d blocks of norms", name, len(norms))
		}
	}
}
