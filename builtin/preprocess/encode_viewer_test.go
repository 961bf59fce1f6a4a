package preprocess

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Images are brought to the size of a network, and cut out of the middle, as PyTorch does it.
func TestViewsArePyTorchs(t *testing.T) {
	var want struct {
		Cases []struct {
			Bicubic           bool
			H, W, Short, Side int
			X, Y              []float64
		}
	}
	text, err := os.ReadFile("testdata/views.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for _, c := range want.Cases {
		input := publishedInput{short: c.Short, bicubic: c.Bicubic, scale: 1, root: [3]float64{1, 1, 1}}
		v := newViewer(fl.Image{C: 3, H: c.H, W: c.W}, c.Side, input, true)
		got := make([]float32, 3*c.Side*c.Side)
		v.view(got, c.X)
		for i, y := range c.Y {
			if off := math.Abs(float64(got[i]) - y); !(off < 1e-6) {
				t.Fatalf("%d×%d to %d, bicubic %t: number %d is %v, PyTorch has %v", c.H, c.W, c.Side,
					c.Bicubic, i, got[i], y)
			}
		}
	}
	if len(want.Cases) < 7 {
		t.Errorf("%d cases", len(want.Cases))
	}
}
