package selection

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A pairing is a number for every two clients, of their last updates.
type pairing struct {
	name, rounds, squares string // in State: the numbers; of which round updates are; ‖a‖²

	of func(a, b fl.Vector, aa, bb float64) float64 // of two updates and their squared lengths
}

// angles are those between updates, in radians: arccos ⟨a, b⟩/(‖a‖‖b‖), and 0 where an update is.
var angles = pairing{"angles", "angle rounds", "angle squares",
	func(a, b fl.Vector, aa, bb float64) float64 {
		cos := a.Dot(b) / math.Sqrt(aa*bb)
		if math.IsNaN(cos) {
			return 0
		}
		return math.Acos(max(-1, min(1, cos)))
	}}

// lengths between updates: ‖a − b‖.
var distances = pairing{"distances", "distance rounds", "distance squares",
	func(a, b fl.Vector, _, _ float64) float64 { return a.Distance(b) }}

// renew returns the number of every two clients of the roster, 0 on the diagonal and where a client
// has no update. It computes those of the clients that took part since it was called last; State
// keeps the others.
func (p pairing) renew(d *fl.SelectionInput) fl.Matrix {
	n := d.Roster.N
	m := d.State.Matrix(p.name, n, n)
	rounds := d.State.Vector(p.rounds, n) // of the update, from 1; 0: there is none
	squares := d.State.Vector(p.squares, n)
	fresh := d.Room(n)
	for i := range n {
		if told := d.Told(i); len(told.Update) > 0 && rounds[i] != float64(told.Round+1) {
			rounds[i] = float64(told.Round + 1)
			squares[i] = told.Update.Dot(told.Update)
			fresh = append(fresh, i)
		}
	}
	for _, i := range fresh {
		update := d.Told(i).Update
		for j := range n {
			if j == i || rounds[j] == 0 {
				continue
			}
			a, b := update, d.Told(j).Update
			if j < i { // in one order, so that the bits do not depend on which of them is fresh
				a, b = b, a
			}
			x := p.of(a, b, squares[min(i, j)], squares[max(i, j)])
			m.Row(i)[j], m.Row(j)[i] = x, x
		}
	}
	return m
}
