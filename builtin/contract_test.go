package builtin

import (
	"errors"
	"testing"

	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/builtin/preprocess"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

func menu(t *testing.T) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := Register(r); err != nil {
		t.Fatal(err)
	}
	return r
}

// seconds is a folder with what completion models read.
const seconds = "completion/testdata"

// Every component meets every requirement of its kind. The race detector would make nothing of it
// but for the questions of TestContractAtOnce.
func TestContract(t *testing.T) {
	data, ok := datatest.Find(t)
	small := testing.Short() || !ok // reading all of MNIST takes a while
	keepsContract(t, contract.Options{Folders: []string{data, seconds}, Only: func(kind, name string) bool {
		return !(small && kind == "dataset" && name == "mnist")
	}})
}

// Every component that workers call at once meets the requirements that are about that: in a few
// calls, which are enough for the race detector. TestContract lets so many meet that results would
// show it.
func TestContractAtOnce(t *testing.T) {
	keepsContract(t, contract.Options{AtOnce: true, Calls: 3})
}

func keepsContract(t *testing.T, o contract.Options) {
	t.Helper()
	o.Seed, o.Papers = 1, map[string]bool{}
	for key := range Papers() {
		o.Papers[key] = true
	}
	for _, v := range contract.Examine(brief(t), o) {
		t.Error(v)
	}
}

// brief is the menu, on which what may iterate ten thousand times does so less often, but by
// its defaults.
func brief(t *testing.T) *registry.Registry {
	t.Helper()
	r := menu(t)
	all := r.Aggregators
	r.Aggregators = registry.Table[fl.Aggregator]{}
	for _, name := range all.Names() {
		e, _ := all.Get(name)
		if name == "code" || name == "lmf" || name == "fusion-barycenter" {
			e.Example = map[string]any{"max_sweeps": int64(100)}
		}
		if err := r.Aggregators.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// Parameters that only some variants of a component have meet every requirement there, too.
func TestContractOfVariants(t *testing.T) {
	for _, v := range []struct {
		of     fl.PreprocessorEntry
		params map[string]any
	}{
		{preprocess.ChannelBarycenter, map[string]any{
			"variant": "published", "samples": int64(20), "batch": int64(3)}},
		{preprocess.ChannelBarycenter, map[string]any{
			"variant": "published", "samples": int64(20), "weights": "equal"}},
		{preprocess.ChannelBarycenter, map[string]any{
			"variant": "cloud", "samples": int64(20), "source": "client"}},
		{preprocess.ChannelBarycenter, map[string]any{
			"variant": "cloud", "samples": int64(20), "source": "client", "weights": "equal"}},
		{preprocess.SLOTAlign, map[string]any{"covariance": "diagonal", "shrinkage": "oas"}},
		{preprocess.SLOTAlign, map[string]any{"tau_by": "shrinkage", "schedule": "cosine"}},
		{preprocess.CORAL, map[string]any{"covariance": "diagonal", "weights": "equal"}},
		{preprocess.MixtureAlign, map[string]any{"target": "pooled", "covariance": "diagonal",
			"components": int64(2)}},
		{preprocess.MixtureAlign, map[string]any{"components": int64(1), "weights": "equal"}},
		{preprocess.SLOTAlignPseudo, map[string]any{"labels": "own", "iterations": int64(1)}},
		{preprocess.SLOTAlignValidated, map[string]any{"grid": []any{1.0, 0.0}}},
		{preprocess.SlicedTransport, map[string]any{"bases": int64(1), "weights": "equal"}},
		{preprocess.Reinhard, map[string]any{"weights": "equal", "tau": 0.5}},
		{preprocess.Whiten, map[string]any{"covariance": "diagonal", "shrinkage": "none"}},
	} {
		r, e := menu(t), v.of
		e.Example, r.Preprocessors = nil, registry.Table[fl.Preprocessor]{}
		e.New = func(p *fl.Params) (fl.Preprocessor, error) { // other variants have their turn
			fixed := fl.NewParams(v.params, p.Setting(), nil)
			c, err := v.of.New(fixed)
			if problems := fixed.Finish(); len(problems) > 0 {
				err = errors.New(problems[0].Message)
			}
			return c, err
		}
		if err := r.Preprocessors.Add(e); err != nil {
			t.Fatal(err)
		}
		o := contract.Options{Papers: map[string]bool{e.Paper: true}, Seed: 1,
			Only: func(kind, _ string) bool { return kind == "preprocess" }}
		for _, found := range contract.Examine(r, o) {
			t.Errorf("%s, %v: %v", e.Name, v.params, found)
		}
	}
}

// Every reference is cited.
func TestPapersAreCited(t *testing.T) {
	cited := map[string]bool{}
	for _, k := range menu(t).Kinds() {
		for _, e := range k.Entries {
			cited[e.Paper] = true
		}
	}
	for key := range Papers() {
		if !cited[key] {
			t.Errorf("%s is not cited", key)
		}
	}
}

// A key stands for one paper: the later of two would take the place of the other one.
func TestPapersHaveKeysOfTheirOwn(t *testing.T) {
	seen := map[string]string{}
	for _, list := range paperLists() {
		for key, paper := range list {
			if other, taken := seen[key]; taken {
				t.Errorf("%s is\n%s and\n%s", key, other, paper)
			}
			seen[key] = paper
		}
	}
}

// setting is a small cell into which every component can be put.
func setting() study.Cell {
	pick := func(name string, params map[string]any) study.Pick {
		return study.Pick{Name: name, Params: params}
	}
	return study.Cell{
		Method: "x", Seed: 3, DataSeed: 3, Clients: 6, Rounds: 8, Every: 3, Law: true,
		Picks: map[string]study.Pick{
			"dataset":      pick("regression", map[string]any{"features": int64(3)}),
			"partition":    pick("natural", nil),
			"importance":   pick("linear", nil),
			"model":        pick("linear", nil),
			"local":        pick("sgd", map[string]any{"lr": 0.01, "batch": int64(7)}),
			"availability": pick("k-subset", nil),
			"selection":    pick("all", nil),
			"aggregator":   pick("fedavg", nil),
		},
		Measures: []study.Measure{{Pick: pick("objective", nil), Key: "objective"}},
	}
}

// surveyed are regression data of clients with two covariates.
var surveyed = fl.SourceEntry{Name: "surveyed", New: func(p *fl.Params) (fl.Source, error) {
	s, err := dataset.Regression.New(p)
	return survey{s}, err
}}

type survey struct{ fl.Source }

func (s survey) Shape() fl.Shape {
	shape := s.Source.Shape()
	shape.Covariates = []string{"age", "income"}
	return shape
}

func (s survey) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	train, test, err = s.Source.Load(l)
	for _, d := range []*fl.Dataset{train, test} {
		d.Shape = s.Shape()
		d.Covariates = fl.NewMatrix(d.Len(), 2)
		for r, owner := range d.Owner {
			copy(d.Covariates.Row(r), fl.Vector{float64(owner) - 2, float64(owner % 2)})
		}
	}
	return train, test, err
}

// Of digits that are read from files, too, cells have the same bits.
func TestAClassificationCellIsExact(t *testing.T) {
	folder := datatest.Folder(t)
	c := setting()
	c.Rounds = 3
	c.Picks["dataset"] = study.Pick{Name: "usps", Params: map[string]any{
		"train": int64(120), "test": int64(20)}}
	c.Picks["partition"] = study.Pick{Name: "dirichlet", Params: map[string]any{"kind": "per-client"}}
	c.Picks["model"] = study.Pick{Name: "softmax", Params: map[string]any{"l2": 0.1}}
	c.Measures = []study.Measure{
		{Pick: study.Pick{Name: "accuracy"}, Key: "accuracy"},
		{Pick: study.Pick{Name: "suboptimality"}, Key: "suboptimality"},
	}
	r := menu(t)
	s, _, problems := r.Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, v := range contract.Cell(&s, engine.Options{Folders: []string{folder}}) {
		t.Error(v)
	}
}
