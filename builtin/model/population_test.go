package model

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// build builds a model for data of a shape from what an experiment would say.
func build(t *testing.T, e fl.ModelEntry, given map[string]any, shape fl.Shape) fl.Model {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 1, Shape: shape}, nil)
	m, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s %v: %v, %v", e.Name, given, err, problems)
	}
	if m, err = m.For(shape); err != nil {
		t.Fatal(err)
	}
	return m
}

// population splits rows among clients of the given sizes. Every client's features and targets lie
// elsewhere, so that weights matter.
func population(shape fl.Shape, sizes ...int) *fl.Population {
	rng := rand.New(rand.NewPCG(4, uint64(len(sizes))))
	pop := &fl.Population{Start: []int{0}, Train: &fl.Dataset{Shape: shape}}
	for _, n := range sizes {
		pop.Start = append(pop.Start, pop.Start[len(pop.Start)-1]+n)
	}
	d := pop.Train
	d.X = fl.NewMatrix(pop.Start[len(sizes)], shape.Features)
	for i := range sizes {
		relation := normals(shape.Features, rng)
		for r := pop.Start[i]; r < pop.Start[i+1]; r++ {
			x := d.X.Row(r)
			copy(x, normals(len(x), rng))
			x.AddScaled(0.5*float64(i), relation)
			if shape.Classes == 0 {
				d.Target = append(d.Target, relation.Dot(x)+3+rng.NormFloat64())
			} else {
				d.Y = append(d.Y, (i+rng.IntN(2)+rng.IntN(2))%shape.Classes)
			}
		}
	}
	return pop
}

func normals(n int, rng *rand.Rand) fl.Vector {
	v := make(fl.Vector, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// objective returns Σ wᵢ fᵢ(θ), client by client and row by row.
func objective(m fl.Model, pop *fl.Population, w, theta fl.Vector) float64 {
	sum := 0.0
	for i, weight := range w {
		c := pop.Train.Rows(pop.Start[i], pop.Start[i+1])
		sum += weight * m.Worker().Loss(theta, &c)
	}
	return sum
}

// within reports whether two numbers differ by no more than tol, relative to the larger of
// the second and 1.
func within(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*max(1, math.Abs(want))
}

// optimum solves for the minimiser of Σ wᵢ fᵢ.
func optimum(t *testing.T, m fl.Model, pop *fl.Population, w fl.Vector) fl.Optimum {
	t.Helper()
	best, err := m.Facts().Solve(pop, w)
	if err != nil {
		t.Fatal(err)
	}
	return best
}

// golden reads the input and the output of a case of a file of testdata.
func golden(t *testing.T, file, name string, inputs, expected any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []struct {
			Name             string
			Inputs, Expected json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		if c.Name != name {
			continue
		}
		err := errors.Join(json.Unmarshal(c.Inputs, inputs), json.Unmarshal(c.Expected, expected))
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s has no case %q", file, name)
}
