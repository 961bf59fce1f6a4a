package study

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Names of ingredients of a quantity, in the order in which a Quantity lists them.
const (
	OfMetric     = "metric"        // the metric with all its parameters
	OfTest       = "test data"     // test rows
	OfTraining   = "training data" // training rows
	OfPopulation = "population"    // clients, and how rows are partitioned among them
	OfImportance = "p"             // how much a client counts
	OfEnrollment = "enrollment"    // which clients can ever take part
	OfLoss       = "loss"          // of a sample, and the penalty
	OfOptimum    = "model"         // θ* and F*: the model, and what its data go through before
	OfRounds     = "rounds"        // how many there are
)

// A Setting is a value of a cell, by the path under which an experiment writes it.
type Setting struct {
	Path  string `json:"path"`  // "dataset.test"; "dataset" is the name of the component
	Value string `json:"value"` // as TOML has it
}

// An Ingredient is one of the things that decide which quantity is measured.
type Ingredient struct {
	Name     string    `json:"name"`
	Settings []Setting `json:"settings"`
}

// A Quantity is what a metric of a cell measures: everything but the method. Numbers can be
// compared where their quantities are equal.
type Quantity []Ingredient

// Traits are what components of a cell say of themselves, as far as it decides what a metric
// of the cell measures.
type Traits struct {
	All      bool      // the metric reads everything; Reads says nothing
	Reads    []string  // names of ingredients that the metric reads
	Loss     []Setting // what names the loss and the penalty; nil: all of the model
	Untested []string  // parameters of the dataset, and "clients", without effect on test rows
}

// Quantity returns what a measure of a resolved cell measures. A metric that reads p reads
// training data and the population, too, as p may depend on how many samples clients have.
func (c *Cell) Quantity(m *Measure, t Traits) Quantity {
	reads := func(names ...string) bool {
		return t.All || slices.ContainsFunc(names, func(n string) bool {
			return slices.Contains(t.Reads, n)
		})
	}
	q := Quantity{{OfMetric, c.metric(m)}}
	add := func(name string, settings ...[]Setting) {
		q = append(q, Ingredient{name, slices.Concat(settings...)})
	}
	training := reads(OfTraining, OfImportance, OfEnrollment, OfOptimum)
	if reads(OfTest) {
		add(OfTest, c.tests(t.Untested), c.clientTests(reads(OfPopulation)), c.validated())
	}
	if training {
		add(OfTraining, c.pick("dataset"), c.seeded(), one("validation", c.Held),
			c.heldOut(), c.validated())
	}
	if training || reads(OfPopulation) {
		add(OfPopulation, one("clients", c.Clients), c.pick("partition"), c.seeded())
	}
	if reads(OfImportance, OfOptimum) {
		add(OfImportance, c.pick("importance"))
	}
	if reads(OfEnrollment) {
		add(OfEnrollment, c.pick("enrollment"))
	}
	if reads(OfLoss, OfOptimum) {
		loss := t.Loss
		if loss == nil {
			loss = slices.Concat(c.pick("model"), c.chain())
		}
		add(OfLoss, loss)
	}
	if reads(OfOptimum) {
		add(OfOptimum, c.pick("model"), c.chain())
	}
	add(OfRounds, one("rounds", c.Played()))
	return q
}

// Predictor returns the settings of a model and of what its data go through before: what a
// penalty on parameters is about.
func (c *Cell) Predictor() []Setting { return slices.Concat(c.pick("model"), c.chain()) }

// Digest returns the SHA-256 of the canonical form of a quantity, in hexadecimal. Labels are
// not in it.
func (q Quantity) Digest() string {
	var b []byte
	for _, in := range q {
		b = strconv.AppendQuoteToASCII(b, in.Name)
		for _, s := range in.Settings {
			b = strconv.AppendQuoteToASCII(append(b, ' '), s.Path)
			b = strconv.AppendQuoteToASCII(append(b, '='), s.Value)
		}
		b = append(b, '\n')
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// SameButSeed reports whether two cells differ in nothing but their seeds, and labels.
func (c *Cell) SameButSeed(o *Cell) bool {
	return c.Clients == o.Clients && c.Rounds == o.Rounds && c.Every == o.Every &&
		c.Held == o.Held && c.Validated == o.Validated && c.Stop == o.Stop &&
		c.TestByClient == o.TestByClient && c.HeldOut == o.HeldOut &&
		c.SameData == o.SameData &&
		(!c.SameData || c.DataSeed == o.DataSeed) && reflect.DeepEqual(c.Picks, o.Picks) &&
		reflect.DeepEqual(c.Preprocess, o.Preprocess) && reflect.DeepEqual(c.Measures, o.Measures)
}

// clientTests says which test samples are those of clients, for a metric that reads whose they are.
func (c *Cell) clientTests(reads bool) []Setting {
	if !reads {
		return nil
	}
	list := c.heldOut()
	if c.TestByClient {
		list = append(list, one("test", "client")...)
	}
	return list
}

// heldOut says what share of training samples clients test on.
func (c *Cell) heldOut() []Setting {
	if c.HeldOut == 0 {
		return nil
	}
	return one("held_out", c.HeldOut)
}

// validated says what share of training samples takes the place of test data.
func (c *Cell) validated() []Setting {
	if c.Validated == 0 {
		return nil
	}
	return one("tune.validation", c.Validated)
}

func one(path string, v any) []Setting { return []Setting{{path, valueText(v)}} }

// metric lists what a measure is, without what it is called.
func (c *Cell) metric(m *Measure) []Setting {
	list := flatten([]Setting{{"metrics", m.Name}}, "metrics", m.Params)
	iterate := "last"
	switch {
	case m.Average:
		iterate = "average"
	case m.Best:
		iterate = "best"
	}
	return append(list, one("metrics.iterate", iterate)...)
}

// tests lists what test rows depend on.
func (c *Cell) tests(without []string) []Setting {
	list := slices.DeleteFunc(c.pick("dataset"), func(s Setting) bool {
		return slices.ContainsFunc(without, func(name string) bool {
			return s.Path == "dataset."+name
		})
	})
	if !slices.Contains(without, "clients") {
		list = append(list, one("clients", c.Clients)...)
	}
	return append(list, c.seeded()...)
}

// seeded says of which seed the data are.
func (c *Cell) seeded() []Setting {
	if c.SameData {
		return one("data_seed", c.DataSeed)
	}
	return []Setting{{"data_seed", "that of the run"}}
}

// pick lists the component of a slot with its parameters.
func (c *Cell) pick(slot string) []Setting {
	p, ok := c.Picks[slot]
	if !ok {
		return nil
	}
	return flatten([]Setting{{slot, p.Name}}, slot, p.Params)
}

// chain lists the preprocessors.
func (c *Cell) chain() []Setting {
	var list []Setting
	for i, p := range c.Preprocess {
		path := chainKey
		if i > 0 {
			path += "[" + strconv.Itoa(i) + "]"
		}
		list = flatten(append(list, Setting{path, p.Name}), path, p.Params)
	}
	return list
}

// flatten adds the parameters under a path, by name.
func flatten(list []Setting, path string, params map[string]any) []Setting {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		below := path + "." + name
		nested, ok := params[name].(map[string]any)
		if !ok {
			list = append(list, Setting{below, valueText(params[name])})
			continue
		}
		if own, named := nested["name"].(string); named {
			list = append(list, Setting{below, own})
			nested = maps.Clone(nested)
			delete(nested, "name")
		}
		list = flatten(list, below, nested)
	}
	return list
}

// valueText writes a value as a file has it; equal values of any type have the same text.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return string(appendValue(nil, v))
}
