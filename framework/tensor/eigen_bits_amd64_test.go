package tensor

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
)

var rewrite = flag.Bool("update", false, "rewrite the hash of decompositions")

// TestTheBitsOfDecompositions holds on every path of the kernels: run it with HANSA_ISA set to
// avx512, avx2 and generic. On other machines, such as arm64, the compiler makes one operation of a
// product and a sum outside of kernels, and the last bits differ. The workspace is used again, which must not show either.
func TestTheBitsOfDecompositions(t *testing.T) {
	h := sha256.New()
	var e Eigen
	for _, n := range []int{150, 97, 64, 33, 8, 3, 1, 0} {
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		g := Matrix{Rows: n, Cols: n, Data: normal(rng, n*n)}
		for _, a := range []Matrix{kinds["random"](rng, n), times(g, g), kinds["rank one"](rng, n),
			kinds["Wilkinson"](rng, n), kinds["identity"](rng, n)} {
			_, err := e.FactorPositive(a, 1e-9)
			root, inverse := NewMatrix(n, n), NewMatrix(n, n)
			if err == nil {
				e.Sqrt(root)
				e.InvSqrt(inverse)
			} else if err != ErrNotPositive {
				t.Fatal(err)
			}
			for _, v := range [][]float64{e.values, e.vectors.Data, root.Data, inverse.Data} {
				if err := binary.Write(h, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	path, got := filepath.Join("testdata", "eigen.sha256"), hex.EncodeToString(h.Sum(nil))
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
