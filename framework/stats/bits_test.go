package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

var rewrite = flag.Bool("update", false, "rewrite the hash of moments and mixtures")

// TestTheBitsOfMomentsAndMixtures holds on every path of the kernels: run it with HANSA_ISA set
// to avx512, avx2 and generic.
func TestTheBitsOfMomentsAndMixtures(t *testing.T) {
	h := sha256.New()
	write := func(vectors ...[]float64) {
		for _, v := range vectors {
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, d := range []int{1, 6, 37} {
		rng := rand.New(rand.NewPCG(38, uint64(d)))
		x, class := samples(rng, 300, d, 3, 10)
		m := NewClassMoments(3, d)
		m.Add(x, class)
		s, err := LedoitWolf(x)
		if err != nil {
			t.Fatal(err)
		}
		write(m.Mean.Data, m.Within.Data, s.Cov.Data, tensor.Vector{s.Shrinkage})
		for spread := Spherical; spread <= Tied; spread++ {
			em := EM{Spread: spread, Components: 4, Regular: 1e-6, MaxIterations: 5}
			fit, err := em.Fit(x, rng)
			if err != nil {
				t.Fatal(err)
			}
			drawn := tensor.NewMatrix(20, d)
			if err := fit.Sample(drawn, rng); err != nil {
				t.Fatal(err)
			}
			write(fit.Weights, fit.Means.Data, fit.Cov.Data, drawn.Data)
		}
	}
	path, got := filepath.Join("testdata", "moments.sha256"), hex.EncodeToString(h.Sum(nil))
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
