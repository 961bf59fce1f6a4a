package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// curves returns a path of straight lines and cubic curves only.
func curves(p vg.Path) vg.Path {
	var q vg.Path
	var at vg.Point
	for _, s := range p {
		switch {
		case s.Type == vg.ArcComp:
			q = append(q, arc(s, len(q) == 0)...)
		case s.Type == vg.CurveComp && len(s.Control) == 1:
			third := func(from vg.Point) vg.Point {
				return from.Add(s.Control[0].Sub(from).Scale(2. / 3))
			}
			q.CubeTo(third(at), third(s.Pos), s.Pos)
		default:
			q = append(q, s)
		}
		if len(q) > 0 && s.Type != vg.CloseComp {
			at = q[len(q)-1].Pos
		}
	}
	return q
}

// arc returns a line to the beginning of an arc and cubic curves of at most a quarter of a
// circle along it; a path that begins with it moves there.
func arc(s vg.PathComp, first bool) vg.Path {
	n := math.Ceil(math.Abs(s.Angle)/(math.Pi/2) - 1e-9)
	d := s.Angle / n
	k := vg.Length(4. / 3 * math.Tan(d/4))
	at := func(a float64) (on, along vg.Point) {
		sin, cos := math.Sincos(a)
		x, y := s.Radius*vg.Length(cos), s.Radius*vg.Length(sin)
		return s.Pos.Add(vg.Point{X: x, Y: y}), vg.Point{X: -y, Y: x}.Scale(k)
	}
	var q vg.Path
	from, along := at(s.Start)
	if first {
		q.Move(from)
	} else {
		q.Line(from)
	}
	for i := range int(n) {
		to, next := at(s.Start + float64(i+1)*d)
		q.CubeTo(from.Add(along), to.Sub(next), to)
		from, along = to, next
	}
	return q
}
