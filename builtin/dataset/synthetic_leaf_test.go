package dataset

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Features have the published variances around the centre of their client, whose deviation and
// that of models are β and α around what is N(·, 1); rows are 50 and log-normally many more.
//
//hansa:verifies theorem dataset/synthetic-leaf
func TestSyntheticLEAF(t *testing.T) {
	const n = 300
	given := map[string]any{"alpha": 2.0, "beta": 3.0, "most": int64(400)}
	train, test := load(t, build(t, SyntheticLEAF, given, n), n, 1)
	rows := make([]int, n)
	sum := fl.NewMatrix(n, leafFeatures)
	for r, i := range train.Owner {
		rows[i]++
		sum.Row(i).AddScaled(1, train.X.Row(r))
	}
	var centres []float64
	more := make([]float64, 0, n)
	for i := range n {
		if rows[i] < 45 || rows[i] > 360 {
			t.Errorf("client %d has %d rows", i, rows[i])
		}
		if rows[i] < 360 {
			more = append(more, float64(rows[i])/0.9-leafLeast)
		}
		sum.Row(i).Scale(1 / float64(rows[i]))
		centres = append(centres, stat.Mean(sum.Row(i), nil))
	}
	// The median of the log-normal is e⁴ = 54.6; 28 % are above the bound.
	slices.Sort(more)
	within(t, "rows beyond 50 of the median client", more[n/2], math.Exp(4), 14)
	within(t, "deviation of centres", stat.StdDev(centres, nil), 3, 0.4)
	for _, j := range []int{0, 9, 59} {
		var off []float64
		for r, i := range train.Owner {
			off = append(off, (train.X.Row(r)[j]-sum.Row(i)[j])*math.Pow(float64(j+1), 0.6))
		}
		within(t, "scaled deviation of a feature", stat.StdDev(off, nil), 1, 0.03)
	}
	if test.Len() < train.Len()/10 || slices.Max(test.Owner) != n-1 {
		t.Errorf("%d test rows for %d", test.Len(), train.Len())
	}
}

// Labels are the largest score of the model of the client of a row; with iid they are those of one
// model, and a client has the same rows however many there are.
func TestLabelsOfSyntheticLEAF(t *testing.T) {
	for _, iid := range []bool{false, true} {
		given := map[string]any{"alpha": 0.5, "beta": 0.5, "most": int64(55), "iid": iid}
		s := build(t, SyntheticLEAF, given, 4).(*syntheticLEAF)
		train, _ := load(t, s, 4, 3)
		few, _ := load(t, s, 2, 3)
		if !slices.Equal(few.X.Data, train.X.Data[:len(few.X.Data)]) {
			t.Error("rows of a client depend on how many clients there are")
		}
		rng := fl.NewStream(3, "data").Rand()
		common := make(fl.Vector, leafClasses*(leafFeatures+1))
		common.AddNoise(1, rng)
		streams := fl.NewStream(rng.Uint64(), "client")
		for r, i := range train.Owner {
			d := s.device(streams.At(0, i).Rand(), common)
			if iid && !slices.Equal(d.model.Data, common) {
				t.Fatal("models differ")
			}
			if got := d.class(train.X.Row(r)); got != train.Y[r] {
				t.Fatalf("row %d has class %d, its model says %d", r, train.Y[r], got)
			}
		}
	}
}
