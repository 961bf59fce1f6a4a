package builtin

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// easy are rows of five clients on which the loss of any model falls within a few steps: images whose
// bright third is the class, vectors, tokens that count, and numbers.
var easy = fl.SourceEntry{Name: "easy", New: func(p *fl.Params) (fl.Source, error) {
	return easySource{p.Choice("of", "images", "rows", "images", "tokens", "two", "numbers"),
		p.Int("side", 8, fl.Closed(1, 64), "of images")}, nil
}}

// easyRows are in the order in which a model is tried on them.
var easyRows = []study.Pick{
	pick("easy", "side", int64(8)), pick("easy", "side", int64(16)), pick("easy", "side", int64(32)),
	pick("easy", "of", "tokens"), pick("easy", "of", "two"), pick("easy", "of", "numbers"),
}

type easySource struct {
	of   string
	side int
}

// Shape implements fl.Source.
func (e easySource) Shape() fl.Shape {
	s := fl.Shape{Features: 6, Owned: true, Tested: true}
	switch e.of {
	case "images":
		s.Image, s.Classes = fl.Image{C: 1, H: e.side, W: e.side}, 3
		s.Features = s.Image.Len()
	case "tokens":
		s.Features, s.Classes, s.Tokens, s.Labels = 8, 5, 5, 8
	case "two":
		s.Classes = 2
	}
	return s
}

// Load implements fl.Source.
func (e easySource) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	return e.draw(l, 60), e.draw(l, 30), nil
}

func (e easySource) draw(l *fl.LoadInput, n int) *fl.Dataset {
	d := &fl.Dataset{Shape: e.Shape(), X: fl.NewMatrix(n, e.Shape().Features)}
	for r := range n {
		row, label := d.X.Row(r), r/l.Clients
		for k := range row {
			row[k] = 0.5 * l.RNG.NormFloat64()
		}
		switch e.of {
		case "images":
			y, third := max(label%4-1, 0), len(row)/3 // half of them are of class 0
			for k := range third {
				row[y*third+k] += 2
			}
			d.Y = append(d.Y, y)
		case "tokens":
			for k := range row {
				row[k] = float64((label + k) % 3) // of five tokens
				d.Y = append(d.Y, (label+k+1)%3)
			}
		case "two":
			row[0] += 3*float64(label%2) - 1.5
			d.Y = append(d.Y, label%2)
		case "numbers":
			d.Target = append(d.Target, row[0]-row[1]/2)
		}
		d.Owner = append(d.Owner, r%l.Clients)
	}
	return d
}

// variants are models of the menu by parameters that change what they are made of.
func variants() []study.Pick {
	small := func(width int64) map[string]any {
		return map[string]any{"name": "mlp", "widths": []any{width}}
	}
	return []study.Pick{
		pick("resnet20", "width", int64(2), "depth", int64(8), "norm", "batch", "shortcut", "B"),
		pick("wide-resnet", "width", int64(4), "depth", int64(10), "widen", int64(1), "norm", "batch"),
		pick("resnet9", "width", int64(2), "norm", "batch"),
		pick("lstm", "embedding", int64(4), "units", int64(6), "layers", int64(2), "dropout", 0.1),
		pick("transformer", "layers", int64(2), "width", int64(4), "heads", int64(2), "dropout", 0.1),
		pick("mixed", "of", []any{small(4), small(6)}),
	}
}

// A family is a method of one family: what it puts into a cell, and why a model cannot be in it.
type family struct {
	name    string
	put     func(c *study.Cell)
	refuses func(s *engine.Setup) string // "": it fits
}

// fits is of methods for all models of one layout.
func fits(s *engine.Setup) string {
	if variants := s.Model.Facts().Variants; len(variants) > 1 {
		return "models with different layouts"
	}
	return ""
}

// fuses is of methods that align layers.
func fuses(s *engine.Setup) string {
	layers := s.Model.Layout().Layers
	if len(layers) == 0 {
		return "has no layers"
	}
	for _, l := range layers {
		if !fuse.Aligns(l.Kind) {
			return "cannot align a layer of kind " + string(l.Kind)
		}
	}
	return ""
}

// distils is of methods that distil scores of classes on rows of their own making.
func distils(s *engine.Setup) string {
	if why := fits(s); why != "" {
		return why
	}
	switch shape := s.Source.Shape(); {
	case shape.Tokens > 0:
		return "takes the label of a row"
	case shape.Classes == 0:
		return "needs classes"
	case s.Model.Layout().Len() == 0 || s.Model.Layout().Blocks[len(s.Model.Layout().Blocks)-1].Rows == 1:
		return "take no soft targets"
	}
	return ""
}

// put is a family whose components go into slots: slot, component, slot, component …
func put(name string, refuses func(*engine.Setup) string, parts ...any) family {
	return family{name, func(c *study.Cell) {
		for i := 0; i < len(parts); i += 2 {
			slot, p := parts[i].(string), parts[i+1].(study.Pick)
			if p.Params = maps.Clone(p.Params); slot == "local" {
				for key, v := range c.Picks["local"].Params {
					if _, own := p.Params[key]; !own {
						p.Params[key] = v
					}
				}
			}
			c.Picks[slot] = p
		}
	}, refuses}
}

// families are methods, at least one of each family.
func families() []family {
	return []family{
		put("FedAvg", fits),
		put("FedAdam", fits, "aggregator", pick("fedadam", "server_rate", 0.02)),
		put("FedProx", fits, "local", pick("fedprox", "mu", 0.1)),
		put("SCAFFOLD", fits, "local", pick("scaffold"), "aggregator", pick("scaffold")),
		put("FedDyn", fits, "local", pick("feddyn"), "aggregator", pick("feddyn")),
		put("FedSAM", fits, "local", pick("fedsam")),
		put("FedPer", fits, "local", pick("fedper", "layers", int64(1))),
		put("FedBN", fits, "local", pick("fedbn")),
		put("Ditto", fits, "local", pick("ditto")),
		put("trimmed mean, sign-flip", fits, "aggregator", pick("trimmed-mean", "f", int64(1)),
			"adversary", pick("sign-flip", "share", 0.2)),
		put("Krum, ALIE", fits, "aggregator", pick("krum", "f", int64(1)),
			"adversary", pick("alie", "share", 0.2)),
		put("top-k, feedback", fits, "compressor", pick("top-k", "share", 0.3, "feedback", "ef")),
		put("PowerSGD, feedback", fits, "compressor", pick("power-sgd", "feedback", "ef")),
		put("CODE", fuses, "aggregator", pick("code", "solver", "exact")),
		put("LMF", fuses, "aggregator", pick("lmf", "solver", "exact", "reference", "first")),
		put("DENSE", distils, "aggregator", pick("dense", "low", -2.0, "high", 4.0, "start", "mean",
			"epochs", int64(1), "generator_steps", int64(1), "samples", int64(6), "noise", int64(4),
			"channels", int64(2), "lr", 0.001)),
		put("FedBuff", fits, "aggregator", pick("fedbuff"),
			"completion", pick("speeds", "concurrency", int64(4), "take", int64(2))),
		put("deadline", fits,
			"completion", pick("speeds", "deadline", 5.0, "partial", true)),
	}
}

// onEasy is a cell of a model on some easy rows.
func onEasy(model, rows study.Pick) study.Cell {
	c := setting()
	c.Clients, c.Rounds, c.Every, c.TestByClient, c.Held = 5, 3, 3, true, 0.1
	c.Picks["availability"], c.Picks["importance"] = pick("always"), pick("uniform")
	c.Picks["dataset"], c.Picks["model"] = rows, model
	c.Picks["local"] = pick("sgd", "lr", 0.1, "batch", int64(6), "steps", int64(3))
	c.Measures = []study.Measure{
		{Pick: pick("loss", "model", "deployed"), Key: "loss"}}
	return c
}

// models are all of the menu, and variants.
func allModels(r *registry.Registry) (all []study.Pick) {
	for _, name := range r.Models.Names() {
		e, _ := r.Models.Get(name)
		params := maps.Clone(e.Example)
		if name == "resnet34" { // so thin a network learns little from single channels of mean 0
			params["groups"] = int64(1)
		}
		all = append(all, study.Pick{Name: name, Params: params})
	}
	return append(all, variants()...)
}

// Every model trains by a method of each family: its loss falls, and stays a number. Where a model
// and a method cannot be together, it is said before anything runs. Models that need larger images
// train by every fourth method: their layers are those of others.
func TestModelsByMethods(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(easy); err != nil {
		t.Fatal(err)
	}
	for n, m := range allModels(r) {
		t.Run(fmt.Sprintf("%d %s", n, m.Name), func(t *testing.T) {
			base, plain := plainly(t, r, m)
			side, _ := base.Picks["dataset"].Params["side"].(int64)
			for k, f := range families() {
				if side > 8 && (k+n)%4 > 0 {
					continue
				}
				c := base
				c.Picks = maps.Clone(base.Picks)
				f.put(&c)
				trains(t, r, c, f, f.refuses(plain))
			}
		})
	}
}

// plainly returns a cell of a model on the first rows that it fits, at a rate at which it learns, and
// what is composed of it.
func plainly(t *testing.T, r *registry.Registry, m study.Pick) (study.Cell, *engine.Setup) {
	t.Helper()
	var why study.Problems
	for _, rows := range easyRows {
		c := onEasy(m, rows)
		probe := c
		if m.Name == "mixed" { // of several layouts there is one round, and no sum
			c.Rounds, c.Every = 1, 1
			probe = c
			probe.Picks = maps.Clone(c.Picks)
			probe.Picks["aggregator"] = pick("code", "solver", "exact")
		}
		s, _, problems := r.Compose(probe)
		if why = problems; len(problems) > 0 {
			continue
		}
		switch {
		case m.Name == "mobilenet-v2": // its last layer has 1,280 inputs that are not negative
			c.Picks["local"].Params["lr"] = 0.01
		case m.Params["norm"] == "batch": // its statistics follow slowly
			c.Rounds, c.Every = 6, 6
		case len(s.Model.Layout().Norms()) == 0:
			c.Picks["local"].Params["lr"] = 0.2
		}
		return c, &s
	}
	t.Fatalf("%s fits no rows: %v", m.Name, why)
	panic("unreachable")
}

// trains checks a cell, or the message that refuses it.
func trains(t *testing.T, r *registry.Registry, c study.Cell, f family, refused string) {
	t.Helper()
	s, _, problems := r.Compose(c)
	if refused != "" {
		for _, p := range problems { // one of each component that is against it
			if !strings.Contains(p.Message, refused) {
				t.Errorf("%s: %v, want …%s…", f.name, p, refused)
			}
		}
		if len(problems) == 0 {
			t.Errorf("%s is not refused, want …%s…", f.name, refused)
		}
		return
	}
	if len(problems) > 0 {
		t.Errorf("%s: %v", f.name, problems)
		return
	}
	result, err := engine.Run(t.Context(), &s, engine.Options{Workers: 2})
	if err != nil {
		t.Errorf("%s: %v", f.name, err)
		return
	}
	loss := result.Series[0].Values
	if slices.ContainsFunc(loss, math.IsNaN) || !(loss[len(loss)-1] < 0.99*loss[0]) {
		t.Errorf("%s: the loss goes from %v to %v", f.name, loss[0], loss[len(loss)-1])
	}
}
