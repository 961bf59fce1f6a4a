package preprocess

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// TestTheoremCORALColours: the estimated moments of every client become those of the reference,
// which are the means of the clients' own, by samples or all the same.
//
//hansa:verifies theorem preprocess/coral
func TestTheoremCORALColours(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(11, 12)), 5, 40, 90, 17)
	for _, weights := range []string{"samples", "equal"} {
		p := made(t, CORAL, map[string]any{"weights": weights})
		_, broadcast, _ := aligned(t, p, clients)
		to := received(broadcast)
		want := ot.Gaussian{Mean: make(fl.Vector, 5), Cov: fl.NewMatrix(5, 5)}
		for k, d := range clients {
			from, err := momentsOf(d.X)
			if err != nil {
				t.Fatal(err)
			}
			w := 1.0 / 3
			if weights == "samples" {
				w = float64(d.Len()) / 147
			}
			want.Mean.AddScaled(w, from.Mean)
			fl.Vector(want.Cov.Data).AddScaled(w, from.Cov.Data)
			sameLaw(t, k, pushed(t, p, d, broadcast), to, 1e-9)
		}
		sameLaw(t, -1, to, want, 1e-12)
	}
}

// sameLaw compares two laws.
func sameLaw(t *testing.T, client int, got, want ot.Gaussian, within float64) {
	t.Helper()
	size := fl.Vector(want.Cov.Data).Norm()
	if d := fl.Vector(got.Cov.Data).Distance(want.Cov.Data); !(d <= within*size) {
		t.Errorf("client %d: the covariance is off by %g of %g", client, d, size)
	}
	if d := got.Mean.Distance(want.Mean); !(d <= within*(1+want.Mean.Norm())) {
		t.Errorf("client %d: the mean is off by %g", client, d)
	}
}

// TestCORALIsNoTransport: rows, of which the covariance is not shrunk, have the same law as with
// transport to the same reference, are moved farther, and no farther where covariances are diagonal
// and so commute.
func TestCORALIsNoTransport(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(13, 14)), 4, 60, 80)
	for _, covariance := range []string{"full", "diagonal"} {
		given := map[string]any{"covariance": covariance, "tau": 1.0, "shrinkage": unshrunk}
		first, _, _ := aligned(t, made(t, CORAL, given), clients)
		given["reference"] = arithmetic
		second, _, _ := aligned(t, made(t, SLOTAlign, given), clients)
		for k, d := range clients {
			by, least := fl.Vector(first[k].Data).Distance(d.X.Data),
				fl.Vector(second[k].Data).Distance(d.X.Data)
			same := fl.Vector(first[k].Data).Distance(second[k].Data) < 1e-6*least
			if diagonal := covariance == "diagonal"; same != diagonal || !diagonal && by <= least {
				t.Errorf("%s, client %d: moved by %v, by transport %v", covariance, k, by, least)
			}
		}
	}
}

// TestCORALShare: τ is the share of the way, and 0 leaves rows to the bit.
func TestCORALShare(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(15, 16)), 3, 20, 30)
	whole, _, _ := aligned(t, made(t, CORAL, nil), clients)
	none, _, _ := aligned(t, made(t, CORAL, map[string]any{"tau": 0.0}), clients)
	part, _, _ := aligned(t, made(t, CORAL, map[string]any{"tau": 0.3}), clients)
	for k, d := range clients {
		if !slices.Equal(none[k].Data, d.X.Data) {
			t.Errorf("client %d was moved", k)
		}
		for i, x := range d.X.Data {
			if want := 0.7*x + 0.3*whole[k].Data[i]; math.Abs(part[k].Data[i]-want) > 1e-9 {
				t.Fatalf("client %d: %v, want %v", k, part[k].Data[i], want)
			}
		}
	}
}

// TestTheoremWhite: the estimated moments of every client become 0 and I, and the map is
// symmetric: of all whitenings the one that moves rows least.
//
//hansa:verifies theorem preprocess/whiten
func TestTheoremWhite(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(17, 18)), 5, 40, 90, 17)
	p := made(t, Whiten, nil)
	unit := ot.Gaussian{Mean: make(fl.Vector, 5), Cov: fl.NewMatrix(5, 5)}
	for i := range 5 {
		unit.Cov.Row(i)[i] = 1
	}
	for k, d := range clients {
		sameLaw(t, k, pushed(t, p, d, nil), unit, 1e-9)
		payload, err := p.Summarize(&fl.SummaryInput{Data: d})
		if err != nil || payload.Floats() != 0 {
			t.Errorf("client %d sends %v, %v", k, payload, err)
		}
		from, err := momentsOf(d.X)
		if err != nil {
			t.Fatal(err)
		}
		m := &fl.TransformInput{Own: d, Rows: d.X, Notes: new(fl.Notes)}
		got, err := p.Transform(m)
		if err != nil {
			t.Fatal(err)
		}
		want, err := way{tau: 1}.move(m, from, unit)
		if err != nil || fl.Vector(got.Data).Distance(want.Data) > 1e-6 {
			t.Errorf("client %d: not the transport to N(0, I), %v", k, err)
		}
	}
}
