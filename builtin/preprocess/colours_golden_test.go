package preprocess

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A colourCase is one of the reference vectors of colours.py.
type colourCase struct {
	Method   string
	Channels int
	Clients  []fl.Vector
	Want     []fl.Vector
	Given    struct {
		Lab, Equal            bool
		Bases, Levels, Sweeps int64
		Most                  int64
		Tau                   *float64
	}
}

// build returns the preprocessor of a case.
func (c *colourCase) build(t *testing.T) fl.Preprocessor {
	given := map[string]any{}
	if c.Given.Equal {
		given["weights"] = "equal"
	}
	if c.Given.Tau != nil {
		given["tau"] = *c.Given.Tau
	}
	if c.Method == "reinhard" {
		if c.Given.Lab {
			given["space"] = "lab"
		}
		return made(t, Reinhard, given)
	}
	given["bases"], given["levels"], given["sweeps"] = c.Given.Bases, c.Given.Levels, c.Given.Sweeps
	if c.Given.Most > 0 {
		given["pixels"] = c.Given.Most
	}
	return made(t, SlicedTransport, given)
}

// TestGoldenColours: images that Reinhard and sliced transport move are those of NumPy and SciPy, from
// the definitions, to 1e-10: cones by linear systems, bases by rotations of SciPy's, and transport
// along a direction by ranks where there are as many quantiles as pixels.
//
//hansa:verifies golden preprocess/reinhard preprocess/sliced-transport
func TestGoldenColours(t *testing.T) {
	text, err := os.ReadFile("testdata/colours.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []colourCase }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) != 15 {
		t.Fatalf("%d cases", len(all.Cases))
	}
	const side = 4
	for n, c := range all.Cases {
		clients := make([]*fl.Dataset, len(c.Clients))
		for k, x := range c.Clients {
			d := &fl.Dataset{Shape: fl.Shape{Features: c.Channels * side * side, Classes: 2,
				Image: fl.Image{C: c.Channels, H: side, W: side}}}
			d.X = fl.Matrix{Rows: len(x) / d.Shape.Features, Cols: d.Shape.Features, Data: x}
			d.Y = make([]int, d.X.Rows)
			clients[k] = d
		}
		moved, _, _ := aligned(t, c.build(t), clients)
		worst := 0.0
		for k, want := range c.Want {
			for i, x := range want {
				worst = max(worst, math.Abs(moved[k].Data[i]-x))
			}
		}
		if t.Logf("%s %d: %.1e away", c.Method, n, worst); !(worst < 1e-10) {
			t.Errorf("%s %d, %+v: %g away", c.Method, n, c.Given, worst)
		}
	}
}

// TestPrintedCones: the inverse that Reinhard et al. print, from LMS to RGB, is that of a matrix with
// 0.1228 where the matrix that they print has 0.1288.
func TestPrintedCones(t *testing.T) {
	printed := [3]colour{{4.4679, -3.5873, 0.1193}, {-1.2186, 2.3809, -0.1624},
		{0.0497, -0.2439, 1.2045}}
	apart := func(m [3]colour) (most float64) {
		for i, row := range inverted(m) {
			for j, x := range row {
				most = max(most, math.Abs(x-printed[i][j]))
			}
		}
		return most
	}
	other := lms
	if other[2][1] = 0.1228; apart(other) > 5e-4 || apart(lms) < 0.01 {
		t.Errorf("0.1228 is %v away, 0.1288 %v", apart(other), apart(lms))
	}
}
