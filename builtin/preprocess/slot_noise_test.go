package preprocess

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// summary returns what a client sends, and what is noted.
func summary(t *testing.T, given map[string]any, d *fl.Dataset, seed uint64) (fl.Tensors, []string) {
	t.Helper()
	notes := new(fl.Notes)
	sent, err := made(t, SLOTAlign, given).Summarize(&fl.SummaryInput{Data: d, Notes: notes,
		RNG: rand.New(rand.NewPCG(seed, 1))})
	if err != nil {
		t.Fatal(err)
	}
	return sent, notes.List()
}

// Without noise, and with a radius beyond all rows, what is sent has the bits that it has without
// these parameters; rows are not changed.
//
//hansa:verifies equivalence preprocess/slot-align
func TestSlotAlignWithoutNoise(t *testing.T) {
	d := parts(rand.New(rand.NewPCG(2, 2)), 4, 50)[0]
	rows := fl.Vector(d.X.Data).Clone()
	want, _ := summary(t, nil, d, 1)
	got, notes := summary(t, map[string]any{"clip": 1e6, "noise": 0.0}, d, 1)
	for name := range want {
		if !slices.Equal(got[name].Data, want[name].Data) {
			t.Errorf("%s differs", name)
		}
	}
	if len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	if short, _ := summary(t, map[string]any{"clip": 1.0}, d, 1); slices.Equal(short["mean"].Data,
		want["mean"].Data) {
		t.Error("a short radius changes nothing")
	}
	if !slices.Equal(d.X.Data, rows) {
		t.Error("rows of the client are changed")
	}
}

// With noise, means have the variance (zΔR/n)² about the mean of clipped rows, within five standard
// deviations over 3,000 uploads; covariances have no negative eigenvalue, and tend to those of
// clipped rows as noise falls. A note says what the noise is worth.
//
//hansa:verifies theorem preprocess/slot-align
func TestSlotAlignNoise(t *testing.T) {
	const n, radius, z, draws = 200, 8.0, 0.5, 3000
	d := parts(rand.New(rand.NewPCG(2, 3)), 3, n)[0]
	clean, _ := summary(t, map[string]any{"clip": radius, "noise": 1e-9}, d, 1)
	square := 0.0
	for seed := range uint64(draws) {
		got, notes := summary(t, map[string]any{"clip": radius, "noise": z}, d, seed)
		for i, v := range got["mean"].Data {
			square += (v - clean["mean"].Data[i]) * (v - clean["mean"].Data[i]) / (3 * draws)
		}
		if seed > 20 {
			continue
		}
		if lift, err := stats.Floor(received(got).Cov); err != nil || lift > 1e-9 {
			t.Fatalf("a covariance is raised by %v (%v)", lift, err)
		}
		// z = ½ is μ = 2.
		if len(notes) != 1 || !strings.Contains(notes[0], "sample ε = 9.997 at δ = 1e-05") {
			t.Fatalf("notes %q", notes)
		}
	}
	want := math.Pow(z*3/math.Sqrt2*radius/n, 2)
	if math.Abs(square/want-1) > 5*math.Sqrt(2.0/(3*draws)) {
		t.Errorf("a variance of %v, want %v", square, want)
	}
	x := copied(d.X)
	for i := range x.Rows {
		if norm := math.Sqrt(x.Row(i).Dot(x.Row(i))); norm > radius {
			x.Row(i).Scale(radius / norm)
		}
	}
	m := stats.NewClassMoments(1, 3)
	m.Add(x, nil)
	fl.Vector(m.Within.Data).Scale(1.0 / n)
	if off := fl.Vector(received(clean).Cov.Data).Distance(m.Within.Data); off > 1e-5 {
		t.Errorf("a covariance is %v from that of clipped rows", off)
	}
}
