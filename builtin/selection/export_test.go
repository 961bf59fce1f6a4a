package selection

import "github.com/hansa-fl/hansa/framework/fl"

// DistributionsOf returns from what clustered-similarity draws in a round.
func DistributionsOf(c fl.Selection, d *fl.SelectionInput) fl.Matrix {
	s, q := c.(*clusteredSimilarity), d.Scratch(len(d.Available))
	s.fill(q, d.Roster, d.Available)
	return s.distributions(d, q)
}

// A Utility is what Oort draws by in a round.
type Utility struct {
	Known               []int // available clients that took part before
	Of, Admitted        fl.Vector
	Exploited, Explored int
	Preferred           float64
}

// UtilityOf returns it.
func UtilityOf(c fl.Selection, d *fl.SelectionInput) (u Utility) {
	s := c.(*oort)
	if s.pacer != nil {
		u.Preferred = s.pacer.preferred(d)
	}
	fresh := 0
	for _, i := range d.Available {
		if d.Told(i).Round >= 0 {
			u.Known = append(u.Known, i)
		} else {
			fresh++
		}
	}
	u.Exploited, u.Explored = s.split(d.T, len(u.Known), fresh)
	u.Of = make(fl.Vector, len(u.Known))
	s.utilities(u.Of, d, u.Known, u.Preferred)
	u.Admitted = u.Of.Clone()
	s.admit(u.Admitted, d, u.Exploited)
	return u
}
