package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// long is the length of the sequences of which testdata/numpy.json holds digests.
const long = 20_000

type stream struct {
	Seed              uint32
	Uniform           []float64 // the first five and the last five
	UniformSHA256     string    `json:"uniform_sha256"`
	Normal            []float64 // the first ones
	UniformAfter      float64   `json:"uniform_after_normal"`
	Permutation       []int     // the first five and the last five
	PermutationSHA256 string    `json:"permutation_sha256"`
	ShuffledSHA256    string    `json:"shuffled_sha256"`
	Mixed             []float64
}

func TestRandomState(t *testing.T) {
	for _, want := range golden[[]stream](t, "numpy.json") {
		t.Run(fmt.Sprint("seed ", want.Seed), func(t *testing.T) {
			checkUniform(t, want)
			checkNormal(t, want)
			checkShuffle(t, want)
			checkMixed(t, want)
		})
	}
}

func checkUniform(t *testing.T, want stream) {
	r := NewRandomState(want.Seed)
	u := make([]float64, long)
	for i := range u {
		u[i] = r.Float64()
	}
	if got := ends(u); !slices.Equal(got, want.Uniform) {
		t.Errorf("uniform begins and ends with %v, want %v", got, want.Uniform)
	}
	if digest(t, u) != want.UniformSHA256 {
		t.Errorf("uniform differs somewhere in %d values", long)
	}
}

// checkNormal allows what the logarithm of another library does to the last bits of a few
// numbers. What cannot differ is how many words the sequence consumes.
func checkNormal(t *testing.T, want stream) {
	r := NewRandomState(want.Seed)
	other := 0
	for i := range long {
		got := r.StandardNormal()
		if i >= len(want.Normal) || got == want.Normal[i] {
			continue
		}
		if other++; !asClose(got, want.Normal[i]) {
			t.Fatalf("normal number %d is %v, want %v", i, got, want.Normal[i])
		}
	}
	if share := float64(other) / float64(len(want.Normal)); share > 0.05 {
		t.Errorf("%.1f %% of normal numbers differ in the last bits", 100*share)
	}
	if got := r.Float64(); got != want.UniformAfter {
		t.Errorf("after %d normal numbers: %v, want %v", long, got, want.UniformAfter)
	}
}

func checkShuffle(t *testing.T, want stream) {
	p := NewRandomState(want.Seed).Permutation(long)
	if got := ends(p); !slices.Equal(got, want.Permutation) {
		t.Errorf("permutation begins and ends with %v, want %v", got, want.Permutation)
	}
	same, squares := make([]int64, long), make([]int64, long)
	for i := range squares {
		same[i], squares[i] = int64(p[i]), int64(i*i)
	}
	NewRandomState(want.Seed).Shuffle(long, func(i, j int) {
		squares[i], squares[j] = squares[j], squares[i]
	})
	if digest(t, same) != want.PermutationSHA256 || digest(t, squares) != want.ShuffledSHA256 {
		t.Errorf("permutation or shuffle differs somewhere in %d elements", long)
	}
}

func checkMixed(t *testing.T, want stream) {
	r := NewRandomState(want.Seed)
	for n := 1; n <= len(want.Mixed)/6; n++ {
		got := []float64{r.StandardNormal(), r.Float64(), r.Uniform(-3, 2.5), r.Normal(0, 0.1),
			r.Normal(5, 2), float64(r.Permutation(n)[n-1])}
		for k, x := range want.Mixed[6*(n-1) : 6*n] {
			drawn := k == 1 || k == 2 || k == 5
			if drawn && got[k] != x || math.Abs(got[k]-x) > 4e-15 {
				t.Fatalf("turn %d, call %d: %v, want %v", n, k, got[k], x)
			}
		}
	}
}

// TestRandomStateOfNothing shows that trivial shuffles draw nothing, as NumPy's.
func TestRandomStateOfNothing(t *testing.T) {
	r := NewRandomState(1)
	if p := r.Permutation(0); len(p) != 0 {
		t.Errorf("permutation(0) = %v", p)
	}
	if p := r.Permutation(1); !slices.Equal(p, []int{0}) {
		t.Errorf("permutation(1) = %v", p)
	}
	if got, want := r.Float64(), NewRandomState(1).Float64(); got != want {
		t.Errorf("the stream moved on to %v from %v", got, want)
	}
}

// asClose reports whether two results of the polar method differ by no more than one unit
// in the last place of the logarithm in it explains: that is 2⁻⁵² at most, halved by the
// root, and the quotient, the root and the product may each be rounded the other way.
func asClose(a, b float64) bool { return math.Abs(a-b) <= 3*0x1p-52*math.Abs(b) }

// ends returns the first five and the last five elements.
func ends[T any](x []T) []T { return append(slices.Clone(x[:5]), x[len(x)-5:]...) }

// digest returns the SHA-256 of the values, eight bytes each, little-endian.
func digest[T int64 | float64](t *testing.T, x []T) string {
	t.Helper()
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, x); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// golden reads a file that testdata/golden.py wrote.
func golden[T any](t *testing.T, name string) (v T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
