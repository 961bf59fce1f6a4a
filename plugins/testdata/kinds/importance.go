package kinds

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Root weighs clients by the root of their samples.
var Root = fl.ImportanceEntry{
	Name:    "root",
	Summary: "the root of the number of samples, times a trend",
	New: func(p *fl.Params) (fl.Importance, error) {
		return &root{slope: p.Float("slope", 0.1, fl.AtLeast(0), "growth from client to client")}, nil
	},
	Waives: map[string]string{"equivariant": "the trend is that of the clients' numbers"},
}

type root struct{ slope float64 }

// Weights returns pᵢ ∝ √nᵢ (1 + slope·i).
func (i *root) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for k, n := range pop.Samples {
		p[k] = math.Sqrt(float64(n)) * (1 + i.slope*float64(k))
	}
	p.Scale(1 / p.Sum())
	return p
}
