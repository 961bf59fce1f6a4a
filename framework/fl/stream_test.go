package fl_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

func ExampleNewStream() {
	availability := fl.NewStream(7, "availability")
	a := availability.At(3, 0).Rand()
	b := availability.At(3, 0).Rand()
	c := fl.NewStream(7, "selection").At(3, 0).Rand()
	x := a.Float64()
	fmt.Println(x == b.Float64(), x == c.Float64())
	// Output: true false
}

// frozen are the first numbers of stream 42/client/7/19, as they were when it was made.
var frozen = [3]uint64{0xbdceb1f2e9bc83ff, 0xaec01bc3b3ab4201, 0x350419388601af4}

// The bits of a stream are part of every result that was ever stored: they never change.
func TestStreamsAreFrozen(t *testing.T) {
	rng := fl.NewStream(42, "client").At(7, 19).Rand()
	if got := [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}; got != frozen {
		t.Errorf("stream 42/client/7/19 begins %#v", got)
	}
}

// No two addresses meet, and neighbouring ones are as unrelated as any.
func TestStreamsAreDistinct(t *testing.T) {
	seen := map[[2]uint64]string{}
	ones, bits := 0, 0
	for _, purpose := range []string{"data", "availability", "client", "server"} {
		for seed := range uint64(4) {
			s := fl.NewStream(seed, purpose)
			var last uint64
			for round := range 40 {
				for client := range 40 {
					rng := s.At(round, client).Rand()
					first := [2]uint64{rng.Uint64(), rng.Uint64()}
					name := fmt.Sprint(purpose, seed, round, client)
					if other, met := seen[first]; met {
						t.Fatalf("%s and %s are the same stream", name, other)
					}
					seen[first] = name
					for b := first[0] ^ last; b > 0; b &= b - 1 {
						ones++
					}
					bits += 64
					last = first[0]
				}
			}
		}
	}
	// Half the bits differ between neighbours, within five standard deviations.
	if share := float64(ones) / float64(bits); math.Abs(share-0.5) > 2.5/math.Sqrt(float64(bits)) {
		t.Errorf("neighbouring streams differ in %.4f of their first bits", share)
	}
}

func TestTapIsTheStream(t *testing.T) {
	rng, s := fl.NewReseedableRand(), fl.NewStream(1, "x")
	for round := range 5 {
		a, b := rng.Open(s.At(round, 0)), s.At(round, 0).Rand()
		for range 10 {
			if x, y := a.NormFloat64(), b.NormFloat64(); x != y {
				t.Fatalf("round %d: the rng gives %v, the stream %v", round, x, y)
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { rng.Open(s.At(9, 9)).Uint64() }); n != 0 {
		t.Errorf("opening a rng allocates %v times", n)
	}
}
