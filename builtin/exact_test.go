package builtin

import (
	"maps"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// pick returns a component by its name, and parameters of it in pairs.
func pick(name string, params ...any) study.Pick {
	p := study.Pick{Name: name, Params: map[string]any{}}
	for i := 0; i < len(params); i += 2 {
		p.Params[params[i].(string)] = params[i+1]
	}
	return p
}

// settings are small cells. Every component can be put into one of them, or into several.
func settings() []study.Cell {
	surveys := setting() // of clients with covariates
	surveys.Picks["dataset"] = pick(surveyed.Name)
	surveys.Oracle, surveys.Disclose = true, "full"

	classes := setting() // of vectors
	classes.Rounds, classes.Every, classes.Held = 3, 1, 0.1
	classes.Picks["dataset"] = pick("gaussian-domains", "classes", int64(3), "features", int64(4),
		"train", int64(30), "test", int64(12))
	classes.Picks["partition"] = pick("iid")
	classes.Picks["model"] = pick("softmax")
	classes.Measures = []study.Measure{{Pick: pick("accuracy"), Key: "accuracy"}}

	layers := classes // of networks
	layers.Picks = maps.Clone(classes.Picks)
	layers.Picks["model"] = pick("mlp", "widths", []any{int64(4)})
	drawn := layers // to prototypes
	drawn.Picks = maps.Clone(layers.Picks)
	drawn.Picks["local"], drawn.Picks["aggregator"] = pick("fedproto"), pick("fedproto")

	once := classes // of networks that are trained once
	once.Rounds, once.Picks = 1, maps.Clone(classes.Picks)
	once.Picks["model"] = pick("mlp", "widths", []any{int64(4)})
	once.Picks["availability"] = pick("always")

	moments, mixtures := classes, classes
	moments.Rounds, moments.Picks = 1, maps.Clone(classes.Picks)
	moments.Picks["local"], moments.Picks["aggregator"] = pick("class-moments"), pick("fedcgs")
	moments.Picks["availability"] = pick("always")
	mixtures.Rounds, mixtures.Picks = 1, maps.Clone(moments.Picks)
	mixtures.Picks["local"], mixtures.Picks["aggregator"] = pick("class-mixture"), pick("fedpft")
	validated := moments
	validated.Picks = maps.Clone(moments.Picks)
	validated.Picks["local"] = pick("validated-sgd", "epochs", int64(2))
	validated.Picks["aggregator"] = pick("validated-average")

	images := classes
	images.Rounds, images.Picks = 2, maps.Clone(classes.Picks)
	images.Picks["dataset"] = pick("glyphs", "train", int64(12), "test", int64(4), "image", "colour")

	owned := images // all of which have a client
	owned.Held, owned.Picks = 0, maps.Clone(images.Picks)
	owned.Picks["dataset"] = pick("glyphs", "train", int64(40), "test", int64(24), "image", "colour",
		"domains", int64(2))
	owned.Picks["partition"] = pick("domains")

	normed := images // of batch norms
	normed.Picks = maps.Clone(images.Picks)
	normed.Picks["model"] = batchNormed()

	two := setting() // classes
	two.Picks["dataset"] = pick("population-logistic")
	two.Picks["model"] = pick("logistic")
	hidden := setting() // law, for selections that depend on the model
	hidden.Law = false
	hidden.Picks["aggregator"] = pick("fedavg")
	three := hidden // of a method of three parts
	three.Picks = maps.Clone(hidden.Picks)
	three.Picks["local"], three.Picks["aggregator"] = pick("drfa", "lr", 0.01), pick("drfa")
	three.Picks["selection"] = pick("drfa", "k", int64(3))
	rated := setting() // of a method whose selection keeps rates
	rated.Picks["aggregator"], rated.Picks["selection"] = pick("f3ast"), pick("f3ast", "k", int64(3))
	noisy := setting() // of an aggregator that adds noise, for what is said of it
	noisy.Picks["aggregator"] = pick("dp-ftrl", "momentum", 0.5)
	noisy.Picks["availability"] = pick("bernoulli", "rate", 0.3)
	list := []study.Cell{setting(), noisy, hidden, three, rated, surveys, classes, layers, drawn, once, moments,
		mixtures, validated, images, normed, two, spelling(4), owned}
	for _, name := range []string{"scaffold", "feddyn", "fednova", "fedcm", "mimelite",
		"scaffnew", "ifca", "fedlaavg", "fedawe"} { // whose halves have one name
		halves := setting()
		halves.Picks["local"], halves.Picks["aggregator"] = pick(name, "lr", 0.01), pick(name)
		list = append(list, halves)
	}
	return append(list, taught(layers)...)
}

// batchNormed is a small model with batch norms.
func batchNormed() study.Pick {
	return pick("resnet20", "width", int64(2), "depth", int64(8), "norm", "batch")
}

// taught are cells of methods that learn from public data or from features.
func taught(layers study.Cell) (list []study.Cell) {
	for _, local := range []string{"fedmd", "fedkt", "ccvr", "regmean", "fisher", "fedma", "sgd"} {
		c := layers
		c.Picks = maps.Clone(layers.Picks)
		c.Picks["public"] = pick("gaussian-domains", "classes", int64(3), "features", int64(4),
			"train", int64(20))
		c.Picks["local"], c.Picks["aggregator"] = pick(local), pick(local)
		switch local {
		case "fisher":
			c.Picks["aggregator"] = pick("fisher-merging")
		case "fedma":
			c.Picks["aggregator"] = pick("fedma-layerwise")
		case "sgd":
			c.Picks["aggregator"] = pick("feddf")
		}
		list = append(list, c)
	}
	return list
}

// Whatever stands in a cell, it gives the same bits with any number of workers, twice, and stopped
// after any round: there is a setting for every component on the menu.
func TestCellsAreExact(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(surveyed, tokens); err != nil {
		t.Fatal(err)
	}
	folder, there := datatest.Find(t)
	// Data are there before the first round: those that are read or drawn at length are left out.
	data := map[string]bool{"gaussian-domains": true, "make-regression": true,
		"population-logistic": true, "quadratics": true, "regression": true}
	hajek := map[string]any{"normalisation": "hajek"}
	required := map[string]map[string]any{"calibrated": hajek, "fedipw": hajek, "oracle-ipw": hajek,
		"round-ipw": hajek, "doubly-robust": hajek, "dirichlet": {"kind": "per-client"},
		"make-regression": {"samples": int64(60), "features": int64(3), "informative": int64(2)}}
	for _, k := range r.Kinds() {
		for _, e := range k.Entries {
			if k.Name == "availability" && e.Name == "trace" && !there ||
				k.Name == "dataset" && !data[e.Name] {
				continue
			}
			p := pick(e.Name)
			maps.Copy(p.Params, e.Example)
			maps.Copy(p.Params, required[e.Name])
			s, problems := fitting(r, k.Name, p)
			if s == nil {
				t.Errorf("there is no setting for %s %s: %v", k.Name, e.Name, problems)
				continue
			}
			for _, v := range contract.Cell(s, engine.Options{Folders: []string{folder, seconds}}) {
				t.Errorf("%s %s: %v", k.Name, e.Name, v)
			}
		}
	}
}

// fitting returns the first of the settings into which a component fits, with it, or what stands
// against each.
func fitting(r *registry.Registry, kind string, p study.Pick) (*engine.Setup, []study.Problems) {
	var all []study.Problems
	for _, c := range settings() {
		switch kind {
		case "metrics":
			c.Measures = []study.Measure{{Pick: p, Key: "m"}, {Pick: p, Key: "mean", Average: true}}
		case "optimizer":
			p.Params["name"] = p.Name
			c.Picks["local"] = pick("sgd", "lr", 0.01, "optimizer", p.Params)
		case "preprocess":
			c.Preprocess = []study.Pick{p}
		default:
			c.Picks[kind] = p
		}
		s, _, problems := r.Compose(c)
		if len(problems) == 0 {
			return &s, nil
		}
		all = append(all, problems)
	}
	return nil, all
}
