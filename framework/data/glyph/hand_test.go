package glyph

import (
	"math"
	"testing"
)

// TestHands: over hands and images of them every habit has the variance that it has without hands,
// and the share of it that is asked for lies between hands. As often images have their hand's
// typeface, and every fifth of the others by chance.
func TestHands(t *testing.T) {
	const hands, images = 3000, 8
	variance := [...]float64{1.0 / 3, 1, 1, 1, 1.0 / 12} // of uniform and normal numbers
	for _, share := range []float64{0, 0.3, 1} {
		rng := stream(7)
		var within, between [len(variance)]float64 // products of images of one hand
		same := 0
		for range hands {
			h := NewHand(share, rng)
			var all [images][len(variance)]float64
			for k := range all {
				own := habits{rng.IntN(5), 2*rng.Float64() - 1, rng.NormFloat64(),
					rng.NormFloat64(), rng.NormFloat64(), rng.Float64()}
				h.blend(&own, rng)
				all[k] = [...]float64{own.turn, own.shear, own.wide, own.high, own.bold - 0.5}
				if own.face == h.mean.face {
					same++
				}
			}
			for k, of := range all {
				for j, v := range of {
					within[j] += v * v / (hands * images)
					between[j] += v * all[(k+1)%images][j] / (hands * images)
				}
			}
		}
		for j, v := range variance {
			if math.Abs(within[j]/v-1) > 0.1 || math.Abs(between[j]/v-share) > 0.1 {
				t.Errorf("share %g, habit %d: variance %.3f, of hands %.3f; want %.3f, %.3f",
					share, j, within[j], between[j], v, share*v)
			}
		}
		if got, want := float64(same)/(hands*images), share+(1-share)/5; math.Abs(got-want) > 0.02 {
			t.Errorf("share %g: the hand's typeface in %.3f of images, want %.3f", share, got, want)
		}
	}
}
