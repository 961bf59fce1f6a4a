package builtin

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// tokens are rows of six clients, of which each has its own step from a token to the next.
var tokens = fl.SourceEntry{Name: "toy-tokens", New: func(p *fl.Params) (fl.Source, error) {
	return counting(p.Int("labels", 4, fl.Closed(1, 4), "of a row")), nil
}}

type counting int

func (c counting) Shape() fl.Shape {
	return fl.Shape{Features: 4, Classes: 7, Tokens: 7, Labels: int(c), Owned: true, Tested: true,
		Stored: 4}
}

func (c counting) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	draw := func(each int) *fl.Dataset {
		d := &fl.Dataset{Shape: c.Shape(), X: fl.NewMatrix(6*each, 4)}
		for r := range d.Len() {
			owner := r % 6
			token, step := l.RNG.IntN(7), 1+owner/3
			for k := range 4 {
				d.X.Row(r)[k] = float64(token)
				if token = (token + step) % 7; k >= 4-int(c) {
					d.Y = append(d.Y, token)
				}
			}
			d.Owner = append(d.Owner, owner)
		}
		if l.Packed {
			d.Packed = fl.Packed{Cols: 4}
			for _, v := range d.X.Data {
				d.Packed.Ints = append(d.Packed.Ints, int32(v))
			}
			d.X.Data = nil
		}
		return d
	}
	return draw(20), draw(10), nil
}

// spelling is a cell of an LSTM on tokens.
func spelling(labels int) study.Cell {
	c := setting()
	pick := func(name string, params map[string]any) study.Pick {
		return study.Pick{Name: name, Params: params}
	}
	c.Rounds, c.Every = 6, 6
	c.Picks["availability"] = pick("always", nil)
	c.Picks["dataset"] = pick("toy-tokens", map[string]any{"labels": int64(labels)})
	c.Picks["model"] = pick("lstm", map[string]any{"embedding": int64(4), "units": int64(6),
		"layers": int64(1)})
	c.Picks["local"] = pick("sgd", map[string]any{"lr": 0.5, "batch": int64(7), "steps": int64(3)})
	c.Picks["importance"] = pick("samples", nil)
	c.Measures = []study.Measure{{Pick: pick("loss", nil), Key: "loss"}}
	return c
}

// A trial is a cell on tokens with something else of the menu in it.
type trial struct {
	kind, name string
	cell       study.Cell
}

// trials are cells with each component of the menu that a cell can name.
func trials(r *registry.Registry, labels int) (all []trial) {
	for _, k := range r.Kinds() {
		for _, e := range k.Entries {
			c := spelling(labels)
			p := study.Pick{Name: e.Name, Params: e.Example}
			switch k.Name {
			case "dataset", "strategy":
				continue
			case "availability", "completion":
				if e.Name == "trace" { // which reads a file
					continue
				}
				c.Picks[k.Name] = p
			case "metrics":
				c.Measures = []study.Measure{{Pick: p, Key: "loss"}}
			case "preprocess":
				c.Preprocess = []study.Pick{p}
			case "optimizer":
				c.Picks["local"].Params["optimizer"] = e.Name
				c.Picks["local"].Params["lr"] = 0.01
			default:
				c.Picks[k.Name] = p
			}
			all = append(all, trial{k.Name, e.Name, c})
			if _, pair := r.LocalRules.Get(e.Name); pair && k.Name == "aggregator" {
				both := spelling(labels)
				both.Picks["aggregator"] = p
				own, _ := r.LocalRules.Get(e.Name)
				both.Picks["local"] = study.Pick{Name: e.Name, Params: own.Example}
				all = append(all, trial{"method", e.Name, both})
			}
		}
	}
	return all
}

// kinder is the cell with what some components need: samples that the server holds, and a cohort
// distribution that may be unknown.
func (c trial) kinder() study.Cell {
	cell := c.cell
	cell.Held, cell.Law = 0.2, false
	return cell
}

// Whatever the menu has runs on rows of tokens, and what it measures is a number; or it says why not
// before anything runs. What takes the label of a row refuses rows with several, and only these.
func TestTheMenuOnTokens(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(tokens); err != nil {
		t.Fatal(err)
	}
	const several = "takes the label of a row"
	for labels, want := range map[int]int{1: 150, 4: 140} {
		refused, ran := map[string]bool{}, 0
		for _, c := range trials(r, labels) {
			s, _, problems := r.Compose(c.cell)
			if len(problems) > 0 {
				s, _, problems = r.Compose(c.kinder())
			}
			if len(problems) > 0 {
				refused[c.kind+" "+c.name] = strings.Contains(problems.Error(), several)
				continue
			}
			result, err := engine.Run(t.Context(), &s, engine.Options{})
			if err != nil {
				t.Errorf("%d labels: %s %s: %v", labels, c.kind, c.name, err)
				continue
			}
			ran++
			for _, series := range slices.Concat(result.Series, result.Volatile) {
				if v := series.Values; math.IsNaN(v[len(v)-1]) && !series.Describes {
					t.Errorf("%d labels: %s %s: %v", labels, c.kind, c.name, v)
				}
			}
		}
		for _, name := range []string{"partition dirichlet", "partition shards", "partition labels",
			"partition domains", "adversary label-flip", "adversary backdoor", "metrics backdoor",
			"local moon", "method fedproto", "method ccvr", "method fedmd",
			"aggregator fedpft", "aggregator fedcgs", "aggregator ensemble"} {
			if refused[name] != (labels > 1) {
				t.Errorf("%d labels: %s is refused for its labels: %v", labels, name, refused[name])
			}
		}
		if ran < want {
			t.Errorf("%d labels: %d components ran only", labels, ran)
		}
	}
}

// The loss of a transformer and of an LSTM falls by each of some methods, with dropout, too, and to
// the same bits for any number of workers.
func TestMethodsOnTokens(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(tokens); err != nil {
		t.Fatal(err)
	}
	models := []study.Pick{
		{Name: "lstm", Params: map[string]any{"embedding": int64(4), "units": int64(8),
			"layers": int64(2), "dropout": 0.1}},
		{Name: "transformer", Params: map[string]any{"layers": int64(1), "width": int64(8),
			"heads": int64(2), "dropout": 0.1}},
	}
	for _, m := range models {
		for _, method := range [][2]string{{"sgd", "fedavg"}, {"fedprox", "fedavg"},
			{"scaffold", "scaffold"}, {"sgd", "fedavgm"}, {"fedsam", "fedavg"},
			{"sgd", "trimmed-mean"}, {"ditto", "fedavg"}} {
			c := spelling(4)
			c.Rounds, c.Every = 30, 30
			c.Picks["model"] = m
			local, _ := r.LocalRules.Get(method[0])
			params := map[string]any{}
			maps.Copy(params, local.Example)
			maps.Copy(params, map[string]any{"lr": 0.7, "batch": int64(7), "steps": int64(5)})
			c.Picks["local"] = study.Pick{Name: method[0], Params: params}
			aggregator, _ := r.Aggregators.Get(method[1])
			c.Picks["aggregator"] = study.Pick{Name: method[1], Params: aggregator.Example}
			s, _, problems := r.Compose(c)
			if len(problems) > 0 {
				t.Fatalf("%v: %v", method, problems)
			}
			one, err := engine.Run(t.Context(), &s, engine.Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if loss := one.Series[0].Values; !(loss[1] < 0.97*loss[0]) {
				t.Errorf("%s by %v: the loss goes from %v to %v", m.Name, method, loss[0], loss[1])
			}
			three, err := engine.Run(t.Context(), &s, engine.Options{Workers: 3})
			if err != nil || three.Series[0].Values[1] != one.Series[0].Values[1] {
				t.Errorf("%s by %v: three workers end elsewhere, %v", m.Name, method, err)
			}
		}
	}
}

// Networks of tokens read whole numbers of 32 bits to the bit, and characters of plays do so, too.
func TestNetworksReadPackedTokens(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(tokens); err != nil {
		t.Fatal(err)
	}
	folder, _ := datatest.Find(t)
	for _, c := range []struct{ model, dataset study.Pick }{
		{pick("lstm", "embedding", int64(4), "units", int64(6)), pick("toy-tokens")},
		{pick("lstm", "embedding", int64(4), "units", int64(6)), pick("toy-tokens", "labels", int64(1))},
		{pick("gru", "embedding", int64(4), "units", int64(6)), pick("toy-tokens")},
		{pick("transformer", "layers", int64(1), "width", int64(8), "heads", int64(2)),
			pick("toy-tokens")},
		{pick("gru", "embedding", int64(4), "units", int64(6)), pick("shakespeare", "owners",
			int64(6), "context", int64(50), "step", int64(2000))},
	} {
		if folder == "" && c.dataset.Name == "shakespeare" {
			continue
		}
		cell := spelling(4)
		cell.Rounds, cell.Every = 2, 2
		cell.Picks["dataset"], cell.Picks["model"] = c.dataset, c.model
		s, _, problems := r.Compose(cell)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		wide, o := s, engine.Options{Folders: []string{folder}}
		wide.Packed = false
		text, theta, packed := played(t, &s, o)
		want, params, not := played(t, &wide, o)
		if text != want || !slices.Equal(theta, params) || !packed || not {
			t.Errorf("%s on %s, packed: %t, %t:\n%s\n%s", c.model.Name, c.dataset.Name, packed, not,
				text, want)
		}
	}
}

// FedDF distils language models position by position: on public rows of tokens, of whose labels
// nothing is read, the loss falls, and to the same bits for any number of workers.
func TestFedDFOnTokens(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(tokens); err != nil {
		t.Fatal(err)
	}
	c := spelling(4)
	c.Rounds, c.Every = 20, 20
	c.Picks["public"] = pick("toy-tokens")
	c.Picks["local"] = pick("sgd", "lr", 0.7, "batch", int64(7), "steps", int64(5))
	c.Picks["aggregator"] = pick("feddf", "steps", int64(10), "lr", 0.01, "batch", int64(16))
	s, _, problems := r.Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	numbers := c
	numbers.Picks = maps.Clone(c.Picks)
	numbers.Picks["public"] = pick("gaussian-domains", "features", int64(4))
	if _, _, problems := r.Compose(numbers); !strings.Contains(problems.Error(),
		"rows are of a vocabulary of 0 tokens, those of toy-tokens of 7") {
		t.Errorf("numbers for tokens: %v", problems)
	}
	var last []float64
	for _, workers := range []int{1, 3} {
		result, err := engine.Run(t.Context(), &s, engine.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		loss := result.Series[0].Values
		if last = append(last, loss[1]); !(loss[1] < 0.97*loss[0]) || last[0] != loss[1] {
			t.Errorf("%d workers: the loss goes from %v to %v", workers, loss[0], loss[1])
		}
	}
}
