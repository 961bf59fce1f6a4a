package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
)

// files returns every experiment.
func files(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*.toml", "*/*.toml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	if len(list) < 8 {
		t.Fatalf("found %d experiments only", len(list))
	}
	return list
}

// composed are experiments that were resolved, by their files. No test changes them.
var composed = map[string]*wholeExperiment{}

type wholeExperiment struct {
	cells  []study.Cell
	setups []engine.Setup
}

// compose resolves an experiment, in which every label stands for one of its own: once for all
// tests.
func compose(t *testing.T, file string) ([]study.Cell, []engine.Setup) {
	t.Helper()
	x := composed[file]
	if x == nil {
		x = new(wholeExperiment)
		x.cells, x.setups = resolve(t, file, study.Overrides{})
		if problems := study.Duplicates(x.cells); len(problems) > 0 {
			t.Fatal(problems)
		}
		composed[file] = x
	}
	return x.cells, x.setups
}

// resolve resolves an experiment; of the larger files of the leaderboard, which have thousands of
// training runs for a seed, one seed.
func resolve(t *testing.T, file string, o study.Overrides) ([]study.Cell, []engine.Setup) {
	t.Helper()
	if strings.HasPrefix(file, "leaderboard/board-") {
		o.Seeds = "1"
	}
	spec, err := study.Read(file, o)
	if err != nil {
		t.Fatal(err)
	}
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		t.Fatal(err)
	}
	for _, p := range spec.Plugins {
		source, err := plugins.Read(p.Path)
		if err != nil {
			t.Fatal(err)
		}
		strategy, err := plugins.Load(t.Context(), source, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := strategy.Register(reg); err != nil {
			t.Fatal(err)
		}
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatal(err)
	}
	setups := make([]engine.Setup, len(cells))
	for i := range cells {
		var problems study.Problems
		if setups[i], cells[i], problems = reg.Compose(cells[i]); len(problems) > 0 {
			t.Fatal(problems)
		}
	}
	return cells, setups
}

// fromFiles are the data sets that are read from files.
var fromFiles = map[string]bool{"mnist": true, "cifar10": true, "a9a": true, "adult": true,
	"office-caltech10": true, "digits-domains": true}

// small are settings that take less time, by the files that they are for.
var small = []struct {
	files string
	set   []string
}{
	{"code-fusion/printed*", []string{"local.epochs=2"}},
	{"code-fusion/[^p]*", []string{"dataset.train=400", "dataset.test=100", "model.widths=[40, 20, 10]",
		"LMF: aggregator.max_sweeps=50", "CODE: aggregator.max_sweeps=50"}},
	{"code-fusion/fig[1-79]*", []string{"clients=5"}}, // fig8 goes through numbers of clients
	{"code-fusion/fig10*", []string{"local.epochs=2", "model.width=2"}},
	{"code-fusion/ordering*", []string{"clients=5"}},
	{"training/*", []string{"dataset.train=100", "dataset.test=50"}},
	{"training/cifar*", []string{"model.channels=4"}},
	{"training/mnist*", []string{"model.widths=[40, 20, 10]"}},
	{"fedavot/million*", []string{"clients=50000"}},
	{"channel/samples*", []string{"dataset.train=400", "dataset.test=100",
		"partition.min_size=4", "preprocess.encode.features=16",
		"FedPFT (full): aggregator.epochs=3"}},
	{"slotalign/main*", []string{"local.epochs=1", "FedPFT: aggregator.epochs=3"}},
	{"slotalign/pictures*", []string{"dataset.train=10", "dataset.test=4",
		"preprocess.pca.components=8", "local.epochs=1"}},
	{"tasks/lm*", []string{"dataset.context=16", "model.layers=1", "model.width=16"}},
	{"tasks/shakespeare*", []string{"dataset.context=16", "model.units=16"}},
	{"baselines/personal*", []string{"dataset.train=1000", "dataset.test=200"}},
	{"baselines/fairness*", []string{"dataset.train=1000", "dataset.test=400"}},
	{"baselines/heterogeneity*", []string{"dataset.train=1000", "dataset.test=200"}},
	{"tasks/domains*", []string{"dataset.train=40", "dataset.test=20"}},
	{"tasks/cifar100*", []string{"dataset.train=400", "dataset.test=50"}},
	{"slotalign/geometry*", []string{"local.epochs=1"}},
	{"slotalign/main-glyphs*", []string{"dataset.train=400", "dataset.test=100",
		"preprocess.encode.channels=[8, 16]"}},
	{"slotalign/encoders*", []string{"dataset.train=100", "dataset.test=50",
		"preprocess.pca.components=32", "preprocess.encode.features=64"}},
	{"barycenter/table*", []string{"dataset.train=40", "dataset.test=20"}},
	{"barycenter/table[13]*", []string{"clients=20", "model.channels=2",
		"cloud: preprocess.channel-barycenter.samples=50",
		"published, code's λ: preprocess.channel-barycenter.samples=50"}},
	{"barycenter/table2.*", []string{"dataset={name='glyphs', image='colour', train=40, test=20}",
		"CNN: model.channels=4", "CNN, published: model.channels=4",
		"CNN, histogram: model.channels=4",
		"ResNet9: model={name='resnet9', width=8, groups=4}",
		"ResNet9, published: model={name='resnet9', width=8, groups=4}",
		"ResNet9, histogram: model={name='resnet9', width=8, groups=4}"}},
	{"slotalign/communication*", []string{"dataset.train=400", "dataset.test=100",
		"local.epochs=1", "FedPFT: aggregator.epochs=3"}},
	{"leaderboard/board-fashion*", []string{"dataset={name='mnist', train=400, test=50}"}}, // not all have it
	{"leaderboard/board-shakespeare*", []string{"dataset.context=16", "model.units=16"}},
	{"barycenter/labels*", []string{"dataset.of.train=100", "dataset.of.test=50",
		"model.channels=2", "published: preprocess.channel-barycenter.samples=50"}},
	{"barycenter/cast*", []string{"dataset.of.train=100", "dataset.of.test=50",
		"model.channels=2", "cloud, by client: preprocess.channel-barycenter.samples=50",
		"published: preprocess.channel-barycenter.samples=50"}},
}

// smaller returns what is set otherwise in a file for it to take less time.
func smaller(t *testing.T, file string) (o study.Overrides) {
	t.Helper()
	for _, s := range small {
		if match, err := filepath.Match(s.files, file); err != nil {
			t.Fatal(err)
		} else if match {
			o.Set = append(o.Set, s.set...)
		}
	}
	return o
}

// Every experiment resolves, and cells of its first seed play a round.
func TestEveryExperimentPlaysARound(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(2 << 30)) // where garbage is collected rarely
	data, found := datatest.Find(t)
	o := engine.Options{Folders: []string{data}, Memo: engine.NewMemo(20),
		Trained: engine.NewMemo(4), Workers: 2}
	for _, file := range files(t) {
		t.Run(file, func(t *testing.T) {
			compose(t, file)
			cells, setups := resolve(t, file, smaller(t, file))
			if testing.Short() {
				return
			}
			for _, i := range played(file, cells) {
				c := cells[i]
				if !found && fromFiles[c.Picks["dataset"].Name] {
					continue
				}
				setups[i].Rounds = 1
				if _, err := engine.Run(context.Background(), &setups[i], o); err != nil {
					t.Fatalf("%s: %v", c.Method, err)
				}
			}
		})
	}
}

// played returns which cells are to be run: those of the first seed; of the many in code-fusion each
// method at both ends of the sweep, in slotalign, tasks and leaderboard at the first, but of the
// larger files of the leaderboard, whose methods are the same, the first method alone, and in
// barycenter at the last, which is the smallest; in baselines and frontier each method at the first
// point, and the first method at all but those of CIFAR-10, of which training has a smaller one.
func played(file string, cells []study.Cell) []int {
	var list []int
	ends := make(map[string][2]int)
	for i, c := range cells {
		if c.Seed != cells[0].Seed {
			continue
		}
		list = append(list, i)
		if e, seen := ends[c.Method]; seen {
			ends[c.Method] = [2]int{e[0], i}
		} else {
			ends[c.Method] = [2]int{i, i}
		}
	}
	dir := filepath.Dir(file)
	return slices.DeleteFunc(list, func(i int) bool {
		first, last := i == ends[cells[i].Method][0], i == ends[cells[i].Method][1]
		switch dir {
		case "code-fusion":
			return !first && !last
		case "leaderboard":
			larger := strings.HasPrefix(filepath.Base(file), "board")
			return !first || larger && cells[i].Method != cells[0].Method
		case "slotalign", "tasks": // the larger tasks are of data that are not here
			return !first
		case "baselines", "frontier":
			c := &cells[i]
			return !first && (c.Method != cells[0].Method || c.Picks["dataset"].Name == "cifar10")
		case "barycenter":
			return !last
		}
		return false
	})
}

// The published settings are infeasible by Theorem 1, each by its own deficiency.
func TestPublishedSettingsAreInfeasible(t *testing.T) {
	for file, want := range map[string]string{
		"fedavot/fig1a.toml": "0.340", "fedavot/fig1a-code.toml": "0.252",
		"fedavot/fig1b.toml": "0.506", "fedavot/fig1b-code.toml": "0.322",
		"fedavot/feasible.toml": "0.000",
	} {
		cells, setups := compose(t, file)
		s := &setups[len(setups)-1]
		if last := cells[len(cells)-1]; last.Method != "FedAVOT" {
			t.Fatalf("%s ends with %s", file, last.Method)
		}
		pop := &fl.Roster{N: s.Clients}
		law, err := engine.CohortLaw(s, engine.Open(pop))
		if err != nil {
			t.Fatal(err)
		}
		problem := ot.Masked{P: s.Importance.Weights(pop), Q: law.Q, Sets: law.Sets}
		if c := problem.Feasibility(); fmt.Sprintf("%.3f", c.Deficiency) != want || !law.Exact {
			t.Errorf("%s: deficiency %.4f, want %s; exact law: %t", file, c.Deficiency, want, law.Exact)
		}
	}
}
