package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A headGolden is one case of testdata/one_shot_heads.json.
type headGolden struct {
	Name             string
	Inputs, Expected json.RawMessage
	Tol              tolerance
}

// into decodes what a case gives and what it wants.
func (g *headGolden) into(t *testing.T, inputs, expected any) {
	t.Helper()
	if err := json.Unmarshal(g.Inputs, inputs); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(g.Expected, expected); err != nil {
		t.Fatal(err)
	}
}

func TestClassMomentsGolden(t *testing.T) {
	for _, g := range readGolden[headGolden](t, "one_shot_heads", 13) {
		if g.Name != "fedcgs_head" {
			continue
		}
		var in struct {
			Features [][]tensor.Vector `json:"client_features"`
			Labels   [][]int           `json:"client_labels"`
			Classes  int               `json:"num_classes"`
		}
		var want struct {
			Mean   tensor.Vector   `json:"global_mean"`
			Means  []tensor.Vector `json:"class_means"`
			Counts []int           `json:"class_counts"`
			Total  []tensor.Vector `json:"total_covariance"`
			Within []tensor.Vector `json:"within_class_covariance"`
		}
		g.into(t, &in, &want)
		all := NewClassMoments(in.Classes, len(want.Mean))
		for i, x := range in.Features {
			m := NewClassMoments(in.Classes, len(want.Mean))
			m.Add(matrix(x), in.Labels[i])
			all.Merge(m)
		}
		total := all.Total()
		n := float64(total.Count[0])
		for c, count := range want.Counts {
			g.Tol.all(t, "mean of a class", all.Mean.Row(c), want.Means[c])
			if all.Count[c] != count {
				t.Errorf("class %d has %d samples, want %d", c, all.Count[c], count)
			}
		}
		g.Tol.all(t, "mean", total.Mean.Row(0), want.Mean)
		for i := range want.Total {
			total.Within.Row(i).Scale(1 / (n - 1))
			all.Within.Row(i).Scale(1 / n)
			g.Tol.all(t, "covariance", total.Within.Row(i), want.Total[i])
			g.Tol.all(t, "within classes", all.Within.Row(i), want.Within[i])
		}
	}
}

// samples returns n rows with random classes, −1 among them, and a mean far from 0.
func samples(rng *rand.Rand, n, d, classes int, mean float64) (tensor.Matrix, []int) {
	x, class := tensor.Matrix{Rows: n, Cols: d, Data: normals(rng, n*d, 1)}, make([]int, n)
	for i := range class {
		class[i] = rng.IntN(classes+1) - 1
		x.Row(i).AddConst(mean)
		if class[i] >= 0 {
			x.Row(i)[class[i]%d]++
		}
	}
	return x, class
}

// naiveMoments returns the moments of classes by their definition.
func naiveMoments(x tensor.Matrix, class []int, classes int) *ClassMoments {
	m := NewClassMoments(classes, x.Cols)
	for c := range classes {
		for pass := range 2 {
			for i, label := range class {
				switch {
				case label != c:
				case pass == 0:
					m.Count[c]++
					m.Mean.Row(c).Add(x.Row(i))
				default:
					z := x.Row(i).Clone()
					z.AddScaled(-1/float64(m.Count[c]), m.Mean.Row(c))
					for j := range z {
						m.Within.Row(j).AddScaled(z[j], z)
					}
				}
			}
		}
		m.Mean.Row(c).Scale(1 / float64(max(1, m.Count[c])))
	}
	return m
}

// agree fails unless moments are the same, but for rounding.
func (m *ClassMoments) agree(t *testing.T, what string, want *ClassMoments, tol tolerance) {
	t.Helper()
	for c, n := range want.Count {
		if m.Count[c] != n {
			t.Fatalf("%s: %d of class %d, want %d", what, m.Count[c], c, n)
		}
	}
	tol.all(t, what+": means", m.Mean.Data, want.Mean.Data)
	tol.all(t, what+": squares", m.Within.Data, want.Within.Data)
}

// Merged moments are pooled moments, whatever the split, also far from the origin, where
// Σ z·zᵀ − N·μ·μᵀ has no digit left.
func TestTheoremMergedMomentsArePooled(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, mean := range []float64{0, 1e7} {
		for _, d := range []int{1, 7, 150} {
			const classes = 4
			x, class := samples(rng, 600, d, classes, mean)
			want := naiveMoments(x, class, classes)
			tol := tolerance{Abs: 600 * (1e-13 + 1e-15*mean), Rel: 1e-12}
			for _, parts := range []int{1, 3, 50} {
				all := NewClassMoments(classes, d)
				part := NewClassMoments(classes, d)
				for k := range parts {
					lo, hi := 600*k/parts, 600*(k+1)/parts
					if k%2 == 0 {
						all.Add(x.Slice(lo, hi), class[lo:hi])
						continue
					}
					part.Reset()
					part.Add(x.Slice(lo, hi), class[lo:hi])
					all.Merge(part)
				}
				all.agree(t, "merged", want, tol)
			}
			for i, c := range class {
				class[i] = min(c, 0)
			}
			want.Total().agree(t, "total", naiveMoments(x, class, 1), tol)
		}
	}
}

// Where means have few digits, how the data are split does not show in a single bit of them, and
// in squares by no more than the rounding of the roots by which differences are scaled.
func TestTheoremSplitsOfExactData(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	const n, d = 256, 9
	x := tensor.NewMatrix(n, d)
	for i := range x.Data {
		x.Data[i] = float64(rng.IntN(64)) + 1<<20
	}
	pooled := NewClassMoments(1, d)
	pooled.Add(x, nil)
	for size := 1; size < n; size *= 2 {
		// Parts of the same size are merged in pairs, so that all means have few digits.
		var parts []*ClassMoments
		for lo := 0; lo < n; lo += size {
			m := NewClassMoments(1, d)
			m.Add(x.Slice(lo, lo+size), nil)
			parts = append(parts, m)
		}
		for ; len(parts) > 1; parts = parts[:len(parts)/2] {
			for k := range len(parts) / 2 {
				parts[k] = parts[2*k]
				parts[k].Merge(parts[2*k+1])
			}
		}
		parts[0].agree(t, "exact", pooled, tolerance{Rel: 1e-14, Abs: 1e-10})
		for i, v := range pooled.Mean.Data {
			if parts[0].Mean.Data[i] != v {
				t.Fatalf("parts of %d: mean %v, want %v", size, parts[0].Mean.Data[i], v)
			}
		}
	}
}

func TestMomentsOfFewSamples(t *testing.T) {
	m := NewClassMoments(3, 2)
	m.Add(tensor.NewMatrix(0, 2), nil)
	m.Merge(NewClassMoments(3, 2))
	total := m.Total()
	if total.Count[0] != 0 || total.Mean.Data[0] != 0 || total.Within.Data[3] != 0 {
		t.Errorf("of nothing: %+v", total)
	}
	m.Add(tensor.Matrix{Rows: 1, Cols: 2, Data: []float64{3, 4}}, []int{2})
	if m.Count[2] != 1 || m.Mean.Row(2)[1] != 4 || tensor.Vector(m.Within.Data).Norm() != 0 {
		t.Errorf("of one: %+v", m)
	}
	m.Add(tensor.Matrix{Rows: 1, Cols: 2, Data: []float64{5, 4}}, []int{0})
	total = m.Total()
	if total.Mean.Data[0] != 4 || math.Abs(total.Within.Data[0]-2) > 1e-15 {
		t.Errorf("total of two classes: %+v", total)
	}
}

func TestMomentsAllocateOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	x, class := samples(rng, 300, 20, 5, 0)
	m, other := NewClassMoments(5, 20), NewClassMoments(5, 20)
	work := func() {
		m.Add(x, class)
		m.Merge(other)
	}
	work()
	if n := testing.AllocsPerRun(5, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
