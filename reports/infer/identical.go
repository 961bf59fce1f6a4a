package infer

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
)

// identicalResults reports whether two results agree to the last bit in every metric that both
// have, in every round that both measured, up to the same last one.
func identicalResults(a, b *engine.Result) bool {
	if len(a.Rounds) == 0 || len(b.Rounds) == 0 ||
		a.Rounds[len(a.Rounds)-1] != b.Rounds[len(b.Rounds)-1] {
		return false
	}
	shared := false
	for _, s := range a.Series {
		k := slices.IndexFunc(b.Series, func(o engine.Series) bool { return o.Key == s.Key })
		if k < 0 {
			continue
		}
		shared = true
		if !identicalCurves(a.Rounds, b.Rounds, s.Values, b.Series[k].Values) {
			return false
		}
	}
	return shared
}

// identicalCurves compares two curves from their ends, where they differ first, if at all.
func identicalCurves(rounds, others []int, values, those []float64) bool {
	i, j := min(len(rounds), len(values))-1, min(len(others), len(those))-1
	if i < 0 || j < 0 {
		return false
	}
	for i >= 0 && j >= 0 {
		switch {
		case rounds[i] > others[j]:
			i--
		case rounds[i] < others[j]:
			j--
		case math.Float64bits(values[i]) != math.Float64bits(those[j]):
			return false
		default:
			i, j = i-1, j-1
		}
	}
	return true
}

// SameResults reports whether two lists of cells, which are different experiments, have the same
// results in every seed that both have a result of.
func (p *Plan) SameResults(a, b []int) bool {
	shared, others := false, false
	for _, i := range a {
		for _, j := range b {
			if p.In.Cells[i].Seed != p.In.Cells[j].Seed {
				continue
			}
			one, other := p.In.Results[p.In.IDs[i]], p.In.Results[p.In.IDs[j]]
			if one == nil || other == nil {
				continue
			}
			others = others || p.In.IDs[i] != p.In.IDs[j]
			if shared = true; p.In.IDs[i] != p.In.IDs[j] && !p.identical(i, j, one, other) {
				return false
			}
		}
	}
	return shared && others
}

// identical reports whether the results of two cells agree to the last bit. Of results that lack
// rounds their digests say so.
func (p *Plan) identical(i, j int, one, other *engine.Result) bool {
	if p.In.Curves != nil {
		a := p.In.Curves[p.In.IDs[i]]
		return a != "" && a == p.In.Curves[p.In.IDs[j]]
	}
	return identicalResults(one, other)
}

// ByPlace returns the cells by method and point of the whole sweep.
func (p *Plan) ByPlace() map[string][]int {
	by := map[string][]int{}
	for i := range p.In.Cells {
		c := &p.In.Cells[i]
		key := PlaceKey(c.Method, PointOf(c.Point))
		by[key] = append(by[key], i)
	}
	return by
}

// PlaceKey tells the places of ByPlace apart.
func PlaceKey(method string, at Point) string { return method + "\x01" + at.key() }
