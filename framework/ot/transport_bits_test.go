package ot_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/ot"
)

// TestTheBitsOfTransport holds on every path of the kernels: run it with HANSA_ISA set to
// avx512, avx2 and generic. That the memory is used again must not show either.
func TestTheBitsOfTransport(t *testing.T) {
	h := sha256.New()
	list := []solver{blurred(0.3, 1e-9), blurred(0.001, 1e-4), new(ot.Exact)}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(64, seed))
		p := haul(rng, 1+rng.IntN(60), 1+rng.IntN(60))
		for _, s := range list {
			c := s.Solve(p)
			plan := planOf(s, p)
			numbers := []float64{c.Cost, c.Residual, c.Lambda, float64(c.Sweeps)}
			for _, v := range [][]float64{numbers, c.F, c.G, plan.Data} {
				if err := binary.Write(h, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	unchanged(t, "transport.sha256", h)
}

// unchanged compares a hash of results with the one in a file, or with -update rewrites that.
func unchanged(t *testing.T, file string, h hash.Hash) {
	t.Helper()
	path, got := filepath.Join("testdata", file), hex.EncodeToString(h.Sum(nil))
	if *rewrite {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(want)) != got {
		t.Errorf("the bits are %s, want %s", got, want)
	}
}

// FuzzTransport shows that what passes Check has an answer whose residual is correct, for any costs
// and masses.
func FuzzTransport(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(4), 0.0, -1.0)
	f.Add(uint64(2), uint8(1), uint8(1), 300.0, -300.0)
	f.Add(uint64(3), uint8(9), uint8(2), -300.0, -320.0)
	f.Add(uint64(4), uint8(5), uint8(5), 299.0, 3.0)
	f.Add(uint64(5), uint8(8), uint8(8), 2.0, -9.0)
	f.Add(uint64(6), uint8(3), uint8(9), -318.0, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, n, m uint8, scale, lambda float64) {
		rng := rand.New(rand.NewPCG(seed, 64))
		p := haul(rng, 1+int(n%12), 1+int(m%12))
		for k, c := range p.Cost.Data {
			switch size := math.Pow(10, scale); rng.IntN(4) {
			case 0:
				p.Cost.Data[k] = size * math.Floor(3*c)
			case 1:
				p.Cost.Data[k] = -size * c
			default:
				p.Cost.Data[k] = size * c
			}
		}
		e := &ot.Entropic{Lambda: math.Pow(10, lambda), Epsilon: 1e-6, MaxSweeps: 300}
		if p.Check() != nil || e.Lambda == 0 || e.Lambda > 1e300 {
			isUndefined(t, "entropic", e, p)
			return
		}
		for name, s := range map[string]solver{"exact": new(ot.Exact), "entropic": e} {
			truthful(t, name, s, p)
		}
	})
}

// truthful fails unless the answer of a solver is that of its plan.
func truthful(t *testing.T, name string, s solver, p ot.Transport) {
	t.Helper()
	c := s.Solve(p)
	plan := planOf(s, p)
	rows, _ := marginals(plan)
	largest := floats.Norm(p.Cost.Data, math.Inf(1))
	tolerance{1e-13*largest + 1e-300, 0}.one(t, name+": cost", c.Cost, price(plan, p))
	if !(least(plan) >= 0) || gap(rows, p.A) > 1e-12 {
		t.Fatalf("%s: least %g, rows wrong by %g", name, least(plan), gap(rows, p.A))
	}
	if name == "exact" {
		if !c.Converged || off(plan, p) > 1e-12 {
			t.Fatalf("%s: %+v", name, c)
		}
		return
	}
	tolerance{1e-12, 1e-12}.one(t, "residual", c.Residual, off(plan, p))
	if c.Converged && c.Residual > 1e-6 {
		t.Fatalf("residual %g", c.Residual)
	}
}
