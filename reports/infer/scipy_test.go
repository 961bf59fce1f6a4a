package infer

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// A comparing holds what testdata/scipy_compare_cases.py computed.
type comparing struct {
	Exact []struct {
		D                 []float64
		W, Wilcoxon, Flip float64
	}
	Effects []struct {
		A, B                                     []float64
		Margin, Hedges, Superiority, Equivalence float64
	}
	IQM []struct {
		X               []float64
		Mean, Low, High float64
	}
	Friedman []struct {
		Data      [][]float64
		Ranks     []float64
		Chi, F, P float64
	}
	Critical []struct {
		K, N              int
		Alpha, Difference float64
	}
	Areas []struct {
		Rounds []int
		Values []float64
		Area   float64
	}
}

func TestComparisonsAgreeWithSciPy(t *testing.T) {
	text, err := os.ReadFile("testdata/scipy_compare.json")
	if err != nil {
		t.Fatal(err)
	}
	var s comparing
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Exact) < 12 || len(s.Effects) < 17 || len(s.IQM) < 9 || len(s.Friedman) < 8 ||
		len(s.Critical) < 24 || len(s.Areas) < 4 {
		t.Fatal("testdata/scipy_compare.json is not whole")
	}
	for _, c := range s.Exact {
		w, p := Wilcoxon(c.D, 0)
		near(t, "Wilcoxon's W", w, c.W)
		near(t, "Wilcoxon's p", p, c.Wilcoxon)
		near(t, "p of sign flips", SignFlip(c.D, 1e-12), c.Flip)
	}
	for _, c := range s.Effects {
		both := samples(c.A, c.B)
		r := ComparePaired(both[0], both[1])
		near(t, "Hedges", EffectSize(r.Mean, r.SD, r.N), c.Hedges)
		near(t, "superiority", Superiority(c.A, c.B), c.Superiority)
		near(t, "equivalence", Equivalence(r.Mean, r.SD, r.N, c.Margin), c.Equivalence)
	}
	for _, c := range s.IQM {
		mean, low, high := InterquartileMean(c.X)
		near(t, "interquartile mean", mean, c.Mean)
		near(t, "its low end", low, c.Low)
		near(t, "its high end", high, c.High)
	}
	for _, c := range s.Friedman {
		ranks := make([][]float64, len(c.Data))
		for i, row := range c.Data {
			ranks[i] = Ranks(row, false)
		}
		for j, sum := range RankSums(ranks) {
			near(t, "mean rank", sum/float64(len(ranks)), c.Ranks[j])
		}
		chi, f, p := Friedman(ranks)
		near(t, "Friedman's χ²", chi, c.Chi)
		near(t, "Iman and Davenport's F", f, c.F)
		near(t, "p of it", p, c.P)
	}
	for _, c := range s.Critical {
		near(t, "critical difference", CriticalDifference(c.K, c.N, c.Alpha), c.Difference)
	}
	for _, c := range s.Areas {
		if got := CurveMean(c.Rounds, c.Values); math.Abs(got-c.Area) > 1e-12 {
			t.Errorf("area %v, want %v", got, c.Area)
		}
	}
}
