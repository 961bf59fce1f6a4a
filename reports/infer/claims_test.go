package infer

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A claimCases holds what testdata/scipy_claim_cases.py computed.
type claimCases struct {
	Pages, Normal []struct {
		X           [][]float64
		L, Up, Down float64
	}
	Correlations []struct {
		X   [][]float64
		Rho float64
	}
	OneSample []struct {
		X            []float64
		Above, Below float64
	}
	Ratios []struct {
		A, B                []float64
		Share, Above, Below float64
	}
	Slopes []struct {
		X, Y  []float64
		Slope float64
	}
	Seeds []struct {
		Effect, Alpha, Power float64
		N                    int
	}
}

func TestClaimTestsAgreeWithSciPy(t *testing.T) {
	text, err := os.ReadFile("testdata/scipy_claims.json")
	if err != nil {
		t.Fatal(err)
	}
	var s claimCases
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Pages) < 24 || len(s.Normal) < 9 || len(s.Correlations) < 8 || len(s.OneSample) < 20 ||
		len(s.Ratios) < 24 || len(s.Slopes) < 9 || len(s.Seeds) < 16 {
		t.Fatal("testdata/scipy_claims.json is not whole")
	}
	for _, c := range append(s.Pages, s.Normal...) {
		l, up, down := PageTrend(c.X, 0)
		near(t, "Page's L", l, c.L)
		near(t, "p of growth", up, c.Up)
		near(t, "p of decline", down, c.Down)
	}
	for _, c := range s.Correlations {
		l, _, _ := PageTrend(c.X, 0)
		if got := RankCorrelation(l, len(c.X), len(c.X[0])); math.Abs(got-c.Rho) > 1e-12 {
			t.Errorf("rank correlation %v, want %v", got, c.Rho)
		}
	}
	for _, c := range s.OneSample {
		mean, sd := MeanSD(c.X)
		above, below := OneSided(mean, sd, len(c.X))
		near(t, "p of a mean above 0", above, c.Above)
		near(t, "p of a mean below 0", below, c.Below)
	}
	for _, c := range s.Ratios {
		low, high := make([]float64, len(c.A)), make([]float64, len(c.A))
		for i := range c.A {
			low[i], high[i] = c.A[i]-(1-c.Share)*c.B[i], (1+c.Share)*c.B[i]-c.A[i]
		}
		for _, side := range []struct {
			d    []float64
			want float64
		}{{low, c.Above}, {high, c.Below}} {
			mean, sd := MeanSD(side.d)
			above, _ := OneSided(mean, sd, len(side.d))
			near(t, "p of a side of a ratio", above, side.want)
		}
	}
	for _, c := range s.Slopes {
		near(t, "slope", LogLogSlope(c.X, c.Y), c.Slope)
	}
	for _, c := range s.Seeds {
		if got := SeedsOneSided(c.Effect, 1, c.Alpha, c.Power); got != c.N {
			t.Errorf("%+v: %d seeds", c, got)
		}
	}
}

// With ties, the distribution of Page's L is that over all orders within blocks.
func TestPageTrendEnumerates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 40 {
		blocks := make([][]float64, 1+rng.IntN(3))
		for i := range blocks {
			blocks[i] = make([]float64, 3+len(blocks)%2)
			for j := range blocks[i] {
				blocks[i][j] = float64(rng.IntN(3))
			}
		}
		l, up, down := PageTrend(blocks, 0)
		count, atLeast, atMost := 0.0, 0.0, 0.0
		var visit func(i int, sum float64)
		visit = func(i int, sum float64) {
			if i == len(blocks) {
				count++
				if sum >= l-1e-9 {
					atLeast++
				}
				if sum <= l+1e-9 {
					atMost++
				}
				return
			}
			permute(Ranks(blocks[i], false), 0, func(order []float64) {
				part := 0.0
				for j, r := range order {
					part += float64(j+1) * r
				}
				visit(i+1, sum+part)
			})
		}
		visit(0, 0)
		near(t, "p of growth", up, atLeast/count)
		near(t, "p of decline", down, atMost/count)
	}
}

// permute visits all orders of the values from the k-th on.
func permute(x []float64, k int, visit func(order []float64)) {
	if k == len(x) {
		visit(x)
		return
	}
	for i := k; i < len(x); i++ {
		x[k], x[i] = x[i], x[k]
		permute(x, k+1, visit)
		x[k], x[i] = x[i], x[k]
	}
}

// What has no answer is NaN, or none.
func TestClaimTestsWithoutAnswer(t *testing.T) {
	if above, below := OneSided(1, 0, 5); !math.IsNaN(above) || !math.IsNaN(below) {
		t.Error("a test without spread")
	}
	for _, c := range [][2][]float64{{{1}, {1}}, {{2, 2}, {1, 3}}, {{1, 2}, {1, 0}}, {{-1, 2}, {1, 1}}} {
		if s := LogLogSlope(c[0], c[1]); !math.IsNaN(s) {
			t.Errorf("%v has slope %v", c, s)
		}
	}
	if n := SeedsOneSided(-1, 1, 0.05, 0.8) + SeedsOneSided(1e-6, 1, 0.05, 0.8); n != 0 {
		t.Errorf("%d seeds", n)
	}
	if low, high := MeanInterval([]float64{2, 2, 2}); low != 2 || high != 2 {
		t.Errorf("the interval of 2, 2, 2 is %v–%v", low, high)
	}
}
