package kernel

import (
	"math/rand/v2"
	"testing"
)

func TestRowsOnAllPaths(t *testing.T) {
	samePaths(t, 2000, func(p path, m *maker[float32]) []float32 {
		n := m.length()
		x, y, z, dst := m.slice(n), m.slice(n), m.slice(n), m.slice(n)
		by := []float32{float32(m.NormFloat64()), float32(m.NormFloat64()), float32(m.NormFloat64())}
		blend32(p, dst, x, y, by)
		blend32(p, y, z, y, by)
		by[1] = 0
		blend32(p, z, z, x, by)
		return nil
	})
}

func TestRowMomentsOnAllPaths(t *testing.T) {
	for seed := range uint64(1000) {
		var want []float64
		for _, p := range usable() {
			m := &maker[float32]{Rand: rand.New(rand.NewPCG(seed, 4)), wild: seed%2 == 1}
			cols, rows := 1+m.length(), m.IntN(12)
			if m.IntN(2) == 0 {
				cols = (cols + 15) &^ 15
			}
			room := random(m.Rand, 2*rows+9) // with canaries between and behind
			x, y := m.slice(rows*cols), m.slice(rows*cols)
			sumRows(p, room[:rows], room[rows+4:][:rows], x, y)
			if p == generic {
				want = room
			}
			if err := sameBits(room, want); err != nil {
				t.Fatalf("seed %d: %v and generic differ: %v", seed, p, err)
			}
			if m.wild {
				continue
			}
			for r := range rows {
				sum, dot := 0.0, 0.0
				for i := range cols {
					sum += float64(x[r*cols+i])
					dot += float64(x[r*cols+i]) * float64(y[r*cols+i])
				}
				near(t, "RowMoments32", []float64{room[r], room[rows+4+r]}, []float64{sum, dot})
			}
		}
	}
}
