package samples

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
	clippedfedavg "github.com/hansa-fl/hansa/plugins/samples/clipped-fedavg"
	controlvariates "github.com/hansa-fl/hansa/plugins/samples/control-variates"
	largestlosses "github.com/hansa-fl/hansa/plugins/samples/largest-losses"
	lossweights "github.com/hansa-fl/hansa/plugins/samples/loss-weights"
	medianrule "github.com/hansa-fl/hansa/plugins/samples/median-rule"
	nearesthalf "github.com/hansa-fl/hansa/plugins/samples/nearest-half"
	nearestmodel "github.com/hansa-fl/hansa/plugins/samples/nearest-model"
	noisysum "github.com/hansa-fl/hansa/plugins/samples/noisy-sum"
	"github.com/hansa-fl/hansa/plugins/samples/outage"
	personalproximal "github.com/hansa-fl/hansa/plugins/samples/personal-proximal"
	"github.com/hansa-fl/hansa/plugins/samples/recruited"
	sampleweightedmedian "github.com/hansa-fl/hansa/plugins/samples/sample-weighted-median"
	servermomentum "github.com/hansa-fl/hansa/plugins/samples/server-momentum"
	trimmedshare "github.com/hansa-fl/hansa/plugins/samples/trimmed-share"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// compiled adds what all samples describe, as the compiler makes it.
func compiled(r *registry.Registry) error {
	return errors.Join(
		r.Aggregators.Add(medianrule.CoordinateMedian, servermomentum.ServerMomentum,
			sampleweightedmedian.GeometricMedian, nearestmodel.Krum,
			nearestmodel.MultiKrum, clippedfedavg.NormClipping,
			lossweights.Server, trimmedshare.TrimmedMean, controlvariates.Server,
			nearesthalf.NearestHalf, noisysum.NoisySum),
		r.LocalRules.Add(lossweights.Client, controlvariates.Client,
			personalproximal.PersonalProximal),
		r.Availability.Add(outage.Outage),
		r.Enrollments.Add(recruited.Recruited),
		r.Selections.Add(largestlosses.LargestLosses),
	)
}

// samples returns the names of the samples.
func samples(t *testing.T) (names []string) {
	t.Helper()
	found, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if dir := filepath.Dir(path); filepath.Base(path) == dir+".go" {
			names = append(names, dir)
		}
	}
	if len(names) < 9 {
		t.Fatalf("found %v only", names)
	}
	return names
}

// load loads a sample: nothing in it is refused.
func load(t *testing.T, name string) *plugins.Strategy {
	t.Helper()
	source, err := plugins.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := plugins.Load(t.Context(), source, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// menu returns all that is built in, and more. No name is taken twice.
func menu(t *testing.T, more func(*registry.Registry) error) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := errors.Join(builtin.Register(r), more(r)); err != nil {
		t.Fatal(err)
	}
	return r
}

// cells returns the cells of the experiment of a sample.
func cells(t *testing.T, name string, o study.Overrides) []study.Cell {
	t.Helper()
	spec, err := study.Read(filepath.Join(name, name+".toml"), o)
	if err != nil {
		t.Fatal(err)
	}
	own := []string{name, filepath.Join(name, name+".go")} // the folder, or its file
	if len(spec.Plugins) != 1 || !slices.Contains(own, spec.Plugins[0].Path) {
		t.Errorf("%s: its experiment names the strategies %v", name, spec.Plugins)
	}
	list, err := spec.Expand()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Every sample keeps the contract, interpreted and compiled, and describes what its folder is
// named after; its experiment resolves, and names it.
func TestSamples(t *testing.T) {
	all := menu(t, compiled)
	for _, name := range samples(t) {
		s := load(t, name)
		one := menu(t, s.Register)
		own := map[string]bool{}
		for _, e := range s.Entries {
			own[e.Kind+" "+e.Name] = true
		}
		if !slices.ContainsFunc(s.Entries, func(e plugins.Entry) bool { return e.Name == name }) {
			t.Errorf("%s describes %v only", name, s.Entries)
		}
		only := func(kind, name string) bool { return own[kind+" "+name] }
		for _, r := range []*registry.Registry{one, all} {
			for _, v := range contract.Examine(r, contract.Options{Seed: 3, Only: only}) {
				t.Errorf("%v", v)
			}
		}
		for _, cell := range cells(t, name, study.Overrides{}) {
			_, resolved, problems := one.Compose(cell)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if len(resolved.Sources()) > 0 != uses(cell, s) {
				t.Errorf("%s: %s comes from %v", name, cell.Method, resolved.Sources())
			}
		}
	}
}

// uses reports whether a cell names what a strategy describes.
func uses(c study.Cell, s *plugins.Strategy) bool {
	return slices.ContainsFunc(s.Entries, func(e plugins.Entry) bool {
		return c.Picks[e.Kind].Name == e.Name
	})
}

// The flags of the comparison.
var (
	seeds = flag.Int("seeds", 20, "so many seeds of every cell are compared")
	full  = flag.Bool("full", false, "as many on other kernels, not two")
)

// The same holds on all kernels that there are.
func TestOnOtherKernels(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n := 2
	if *full {
		n = *seeds
	}
	for _, isa := range []string{"avx512", "avx2", "generic"} {
		if isa == kernel.ISA() {
			continue
		}
		cmd := exec.Command(program, "-test.run=^TestSamplesAreCompiled$",
			fmt.Sprint("-seeds=", n))
		cmd.Env = append(os.Environ(), "HANSA_ISA="+isa)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%s: %v\n%s", isa, err, out)
		}
	}
}

// Every sample, interpreted, makes the bits of the same file compiled, over 20 seeds of 8
// rounds, of which the objective shows every fourth. The cohort distribution is hidden, as it takes
// long to estimate.
func TestSamplesAreCompiled(t *testing.T) {
	native := menu(t, compiled)
	short := []string{"rounds=8", "law=unknown", "measure_every=4", `metrics=["objective"]`}
	memo := engine.NewMemo(40)
	for _, name := range samples(t) {
		s, compared := load(t, name), 0
		interpreted := menu(t, s.Register)
		o := study.Overrides{Seeds: strconv.Itoa(*seeds), Set: short}
		if cells(t, name, o)[0].Picks["dataset"].Name == "glyphs" {
			o.Set = append(short[:len(short):len(short)], "dataset.train=400", "dataset.test=20")
		}
		for _, cell := range cells(t, name, o) {
			if !uses(cell, s) {
				continue
			}
			compared++
			want, got := run(t, native, cell, memo), run(t, interpreted, cell, memo)
			if d := difference(got, want); d != "" {
				t.Errorf("%s, %s, seed %d: %s", name, cell.Method, cell.Seed, d)
			}
		}
		if compared < *seeds {
			t.Errorf("%s was compared in %d cells", name, compared)
		}
	}
}

func run(t *testing.T, r *registry.Registry, c study.Cell, p *engine.Memo) *engine.Result {
	t.Helper()
	setup, _, problems := r.Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	result, err := engine.Run(context.Background(), &setup, engine.Options{Workers: 2, Memo: p})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// difference says where the results of two runs differ in a bit.
func difference(a, b *engine.Result) string {
	for k, series := range a.Series {
		if !slices.EqualFunc(series.Values, b.Series[k].Values, func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y)
		}) {
			return fmt.Sprintf("%s is %v interpreted, %v compiled", series.Key, series.Values,
				b.Series[k].Values)
		}
	}
	if !slices.Equal(a.Notes, b.Notes) || a.Law != b.Law || len(a.Series) == 0 {
		return fmt.Sprintf("%+v interpreted, %+v compiled", a, b)
	}
	return ""
}

// header is how a file begins: what it is, and what it cites.
var header = regexp.MustCompile(`^// .+ — .+\.\n//\n//\t[A-Z]`)

// Every sample has a test of its own, and says what it cites before anything else, and
// in the registry.
func TestSamplesAreComplete(t *testing.T) {
	for _, name := range samples(t) {
		text, err := os.ReadFile(filepath.Join(name, name+".go"))
		if err != nil {
			t.Fatal(err)
		}
		if !header.Match(text) {
			t.Errorf("%s does not begin with what it is and cites", name)
		}
		if _, err := os.Stat(filepath.Join(name, name+"_test.go")); err != nil {
			t.Error(err)
		}
	}
	r := new(registry.Registry)
	if err := compiled(r); err != nil {
		t.Fatal(err)
	}
	for _, k := range r.Kinds() {
		for _, e := range k.Entries {
			if e.Paper == "" {
				t.Errorf("%s %s cites nothing", k.Name, e.Name)
			}
		}
	}
}
