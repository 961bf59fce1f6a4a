package local_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// classified is a client with n samples of so many classes, of which the last has none.
func classified(rng *rand.Rand, n, d, classes int, mean float64) *fl.Task {
	data := fl.Dataset{Shape: fl.Shape{Features: d, Classes: classes}, X: fl.NewMatrix(n, d)}
	copy(data.X.Data, normals(n*d, rng))
	for i := range n {
		c := rng.IntN(classes - 1)
		data.Y = append(data.Y, c)
		data.X.Row(i).AddConst(mean * float64(1+c))
	}
	return &fl.Task{Client: &fl.Client{Data: data}, RNG: rand.New(rand.NewPCG(1, 2))}
}

// sends runs a local rule that sends statistics.
func sends(t *testing.T, e fl.LocalRuleEntry, given map[string]any, task *fl.Task) fl.Update {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	r, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	task.Recycle()
	u, err := r.Run(task)
	if err != nil {
		t.Fatal(err)
	}
	if u.Params != nil || u.Steps != 0 {
		t.Errorf("%s trains: %d steps", e.Name, u.Steps)
	}
	return u
}

// What is sent are counts, means and squares, and nothing is lost where means are large: squares
// about 0 would have no digit of it.
//
//hansa:verifies theorem local/class-moments
func TestClassMomentsAreThose(t *testing.T) {
	const d, classes = 3, 4
	task := classified(rand.New(rand.NewPCG(2, 1)), 50, d, classes, 1e9)
	u := sends(t, local.ClassMoments, nil, task)
	if n := u.Floats(); n != classes+classes*d+d*(d+1)/2 {
		t.Errorf("%d floats", n)
	}
	got, err := stats.ReadClassMoments(u.Payload)
	if err != nil {
		t.Fatal(err)
	}
	data, within := &task.Client.Data, fl.NewMatrix(d, d)
	for c := range classes {
		var rows []fl.Vector
		mean := make(fl.Vector, d) // about the first row, exactly
		for i, y := range data.Y {
			if y == c {
				rows = append(rows, data.X.Row(i))
			}
		}
		if got.Count[c] != len(rows) {
			t.Fatalf("class %d has %d samples, not %d", c, len(rows), got.Count[c])
		}
		if len(rows) == 0 {
			continue
		}
		for _, x := range rows {
			for k := range d {
				mean[k] += (x[k] - rows[0][k]) / float64(len(rows))
			}
		}
		for k := range d {
			if off := got.Mean.Row(c)[k] - rows[0][k] - mean[k]; math.Abs(off) > 1e-5 {
				t.Errorf("class %d: mean %d is %v off", c, k, off)
			}
			for j := range d {
				for _, x := range rows {
					within.Row(k)[j] += (x[k] - rows[0][k] - mean[k]) * (x[j] - rows[0][j] - mean[j])
				}
			}
		}
	}
	if off := fl.Vector(within.Data).Distance(got.Within.Data); off > 1e-5 {
		t.Errorf("squares are %v off", off)
	}
}

// likelihood is the mean log-density of samples under the mixtures of their classes.
func likelihood(t *testing.T, u fl.Update, data *fl.Dataset) float64 {
	t.Helper()
	sent, err := stats.ReadClassMixtures(u.Payload)
	if err != nil {
		t.Fatal(err)
	}
	sum, one := 0.0, make(fl.Vector, 1)
	for i, y := range data.Y {
		if err := sent.Mixtures[y].LogDensity(one, data.X.Slice(i, i+1)); err != nil {
			t.Fatal(err)
		}
		sum += one[0]
	}
	return sum / float64(data.Len())
}

// Theorem: no iteration of EM makes what is sent less likely.
//
//hansa:verifies theorem local/class-mixture
func TestMixturesOnlyGainLikelihood(t *testing.T) {
	for _, covariance := range []string{"spherical", "diagonal", "full"} {
		task := classified(rand.New(rand.NewPCG(2, 3)), 300, 3, 3, 1)
		last, gained := math.Inf(-1), 0
		for iterations := range 15 {
			task.RNG = rand.New(rand.NewPCG(4, 4))
			u := sends(t, local.ClassMixture, map[string]any{"components": int64(4), "regular": 0.0,
				"tolerance": 0.0, "max_iterations": int64(1 + iterations), "covariance": covariance}, task)
			now := likelihood(t, u, &task.Client.Data)
			if now < last-1e-12 {
				t.Errorf("%s: from %v to %v in iteration %d", covariance, last, now, 1+iterations)
			}
			if now > last+1e-6 {
				gained++
			}
			last = now
			if !slices.Contains(u.Remarks, "some mixtures did not converge in "+
				string(rune('1'+iterations))+" iterations: raise max_iterations or tolerance, or "+
				"lower components") && iterations < 3 {
				t.Errorf("%s: remarks %q after %d iterations", covariance, u.Remarks, 1+iterations)
			}
		}
		if gained < 5 {
			t.Errorf("%s: %d iterations gained: the example is too easy", covariance, gained)
		}
	}
}

// A class of n ≤ G samples gets max(1, n/2) components, or is left out.
func TestMixturesOfFewSamples(t *testing.T) {
	task := classified(rand.New(rand.NewPCG(2, 5)), 17, 2, 5, 0)
	task.Client.Data.Y = []int{0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3} // 1, 2, 5, 9, 0
	for few, want := range map[string][]int{"reduce": {1, 1, 2, 5, 0}, "drop": {0, 0, 0, 5, 0}} {
		given := map[string]any{"components": int64(5), "few": few}
		u := sends(t, local.ClassMixture, given, task)
		sent, err := stats.ReadClassMixtures(u.Payload)
		if err != nil {
			t.Fatal(err)
		}
		for c, g := range want {
			if got := len(sent.Mixtures[c].Weights); got != g {
				t.Errorf("%s: class %d has %d components, want %d", few, c, got, g)
			}
		}
		if !slices.Equal(sent.Count, []int{1, 2, 5, 9, 0}) {
			t.Errorf("%s: counts %v", few, sent.Count)
		}
		if left := "classes with too few samples for a mixture are left out"; slices.Contains(
			u.Remarks, left) != (few == "drop") {
			t.Errorf("%s: remarks %q", few, u.Remarks)
		}
	}
}

// As float16 a mixture costs half, is rounded, and stays finite; counts are exact.
func TestMixturesAsHalves(t *testing.T) {
	const classes = 3
	task := classified(rand.New(rand.NewPCG(2, 7)), 4097, 2, classes, 1)
	given := map[string]any{"components": int64(3), "covariance": "full", "max_iterations": int64(9)}
	whole := sends(t, local.ClassMixture, given, task)
	given["float16"] = true
	task.RNG = rand.New(rand.NewPCG(1, 2))
	half := sends(t, local.ClassMixture, given, task)
	mixtures := whole.Floats() - 2*classes
	if half.Floats() != 2*classes+mixtures-mixtures/2 {
		t.Errorf("%d floats as halves, %d as floats", half.Floats(), whole.Floats())
	}
	was, err := stats.ReadClassMixtures(whole.Payload)
	if err != nil {
		t.Fatal(err)
	}
	is, err := stats.ReadClassMixtures(half.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(was.Count, is.Count) {
		t.Errorf("counts %v, want %v", is.Count, was.Count)
	}
	for c, m := range was.Mixtures {
		arrived, _ := m.Half()
		if !slices.Equal(is.Mixtures[c].Means.Data, arrived.Means.Data) ||
			!slices.Equal(is.Mixtures[c].Cov.Data, arrived.Cov.Data) {
			t.Errorf("class %d: %v arrived of %v", c, is.Mixtures[c], m)
		}
	}
	task.Client.Data.X.Data[0] = 1e6
	u := sends(t, local.ClassMixture, given, task)
	if !u.Payload.Finite() || !slices.ContainsFunc(u.Remarks, func(s string) bool {
		return strings.Contains(s, "clamped")
	}) {
		t.Errorf("remarks %q", u.Remarks)
	}
}

// Samples that are no numbers are an error, with the class.
func TestMixturesOfNaN(t *testing.T) {
	task := classified(rand.New(rand.NewPCG(2, 9)), 20, 2, 2, 0)
	task.Client.Data.X.Data[3] = math.NaN()
	r, err := local.ClassMixture.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(task); !errors.Is(err, stats.ErrNotFinite) || !strings.HasPrefix(err.Error(), "class 0: ") {
		t.Errorf("error %v", err)
	}
}
