package local_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// sameTensors compares to the bit.
func sameTensors(a, b fl.Tensors) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if !slices.Equal(a[name].Data, b[name].Data) {
			return false
		}
	}
	return true
}

// Without noise (an infinite ε) and with no radius, or one beyond all rows, what is sent has the
// bits that it has without these parameters.
//
//hansa:verifies equivalence local/class-moments local/class-mixture
func TestNoNoiseChangesNothing(t *testing.T) {
	for _, c := range []struct {
		entry fl.LocalRuleEntry
		given map[string]any
	}{{local.ClassMoments, map[string]any{}},
		{local.ClassMixture, map[string]any{"components": int64(1)}},
		{local.ClassMixture, map[string]any{"components": int64(3)}}} {
		send := func() fl.Tensors {
			return sends(t, c.entry, c.given, classified(rand.New(rand.NewPCG(2, 1)), 60, 3, 4,
				1)).Payload
		}
		want := send()
		for _, radius := range []float64{0, 1e6} {
			c.given["noise"], c.given["clip"] = 0.0, radius
			if !sameTensors(send(), want) {
				t.Errorf("%s: a radius of %v changes what is sent", c.entry.Name, radius)
			}
		}
		c.given["clip"] = 0.5
		if sameTensors(send(), want) {
			t.Errorf("%s: a short radius changes nothing", c.entry.Name)
		}
	}
}

// With little noise the moments are those of clipped rows: counts are right, and the rest tends to
// them with the noise. Of one component, EM finds the same Gaussian.
//
//hansa:verifies theorem local/class-moments local/class-mixture
func TestNoisyMomentsTendToTheMoments(t *testing.T) {
	task := func() *fl.Task { return classified(rand.New(rand.NewPCG(5, 1)), 400, 3, 4, 0.5) }
	for _, e := range []fl.LocalRuleEntry{local.ClassMoments, local.ClassMixture} {
		for _, spread := range []string{"spherical", "diagonal", "full"} {
			given := map[string]any{"clip": 1.5}
			if e.Name == "class-mixture" {
				given["components"], given["covariance"] = int64(1), spread
			}
			want, last := sends(t, e, given, task()).Payload, math.Inf(1)
			for _, noise := range []float64{1e-2, 1e-4, 1e-6} {
				given["noise"] = noise
				got, worst := sends(t, e, given, task()).Payload, 0.0
				for name := range want {
					if len(got[name].Data) != len(want[name].Data) {
						t.Fatalf("%s: %s has another size", e.Name, name)
					}
					worst = max(worst, fl.Vector(got[name].Data).Distance(want[name].Data))
				}
				if worst > last/20 || worst == 0 {
					t.Errorf("%s, %s: noise %v moves what is sent by %v, after %v", e.Name, spread,
						noise, worst, last)
				}
				last = worst
			}
		}
	}
}

// With much noise what is sent can still be read: counts are no less than 0, means no longer than
// the radius, and squares have no negative eigenvalue; classes without samples have noise, too.
//
//hansa:verifies theorem local/class-moments local/class-mixture
func TestNoisyMomentsAreMoments(t *testing.T) {
	absent := 0
	for seed := range uint64(40) {
		task := classified(rand.New(rand.NewPCG(3, 3)), 30, 4, 4, 1)
		task.RNG = rand.New(rand.NewPCG(seed, 1))
		given := map[string]any{"clip": 1.0, "noise": 1.0}
		m, err := stats.ReadClassMoments(sends(t, local.ClassMoments, given, task).Payload)
		if err != nil {
			t.Fatal(err)
		}
		if m.Count[3] > 0 { // which has no sample
			absent++
		}
		for c := range m.Count {
			if norm := math.Sqrt(m.Mean.Row(c).Dot(m.Mean.Row(c))); norm > 1+1e-12 {
				t.Errorf("a mean of length %v", norm)
			}
		}
		if lift, err := stats.Floor(m.Within); err != nil || lift > 1e-6 {
			t.Errorf("squares are raised by %v (%v)", lift, err)
		}
		given["components"], given["covariance"] = int64(1), "full"
		mix, err := stats.ReadClassMixtures(sends(t, local.ClassMixture, given, task).Payload)
		if err != nil {
			t.Fatal(err)
		}
		for c, n := range mix.Count {
			if (n > 0) != (len(mix.Mixtures[c].Weights) == 1) {
				t.Errorf("class %d has %d samples and %+v", c, n, mix.Mixtures[c])
			}
			if n > 0 {
				if err := mix.Mixtures[c].Sample(fl.NewMatrix(2, 4), task.RNG); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if absent < 8 || absent > 32 {
		t.Errorf("a class without samples has some in %d of 40 uploads", absent)
	}
}

// Noise needs a radius, and one Gaussian of each class.
func TestNoiseIsRefused(t *testing.T) {
	for param, given := range map[string]map[string]any{
		"noise": {"noise": 1.0, "components": int64(1)},
		"clip":  {"noise": 1.0, "clip": 1.0},
	} {
		p := fl.NewParams(given, fl.Setting{}, nil)
		if _, err := local.ClassMixture.New(p); err != nil {
			t.Fatal(err)
		}
		if problems := p.Finish(); len(problems) != 1 || problems[0].Param != "noise" {
			t.Errorf("%s: %v", param, problems)
		}
	}
}
