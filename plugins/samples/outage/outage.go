// Regional outages — whole regions go offline for a while, with all of their clients.
//
//	E. N. Gilbert. Capacity of a Burst-Noise Channel. Bell System Technical Journal 39, 1960:
//	a channel that is good or bad, and changes with probabilities that depend on nothing else.
//	A. Rodio, F. Faticanti, O. Marfoq, G. Neglia, E. Leonardi. Federated Learning under
//	Heterogeneous and Correlated Client Availability. INFOCOM 2023: why it matters that clients
//	stay away together.
//
// Notation: region z(i) = ⌊i·regions/N⌋ of client i; in every round a region that is up goes down
// with probability λ, and one that is down comes up again with probability μ. Regions start from
// stationarity, up with probability u = μ/(λ + μ). Where its region is up, client i is available
// with probability rate, independently of all others.
//
// Known to the server, as the context of a round, is whether a client's region is up. Given that,
// the probability of client i is rate or 0; in the long run it is u·rate.
//
// Departures: the channel of the source has one user; here it has a region.

// Package outage is a strategy: an availability in which clients stay away together, with the
// context that the server sees and the true probabilities.
package outage

import "github.com/hansa-fl/hansa/framework/fl"

// Outage describes the availability.
var Outage = fl.AvailabilityEntry{
	Name:    "outage",
	Summary: "regions go offline for a while, and everyone in them",
	Paper:   "E. N. Gilbert, Bell System Technical Journal 39, 1960; A. Rodio et al., INFOCOM 2023",
	New:     newOutage,
}

// outage keeps in State: up, one element per region, 1 where it is; context, N×1; inclusion,
// length N.
type outage struct {
	regions int
	fail    float64 // λ
	repair  float64 // μ
	rate    float64 // chance of a client whose region is up
}

func newOutage(p *fl.Params) (fl.Availability, error) {
	o := &outage{
		regions: p.Int("regions", 4, fl.AtLeast(1), "regions, in the order of clients"),
		fail:    p.Float("fail", 0.05, fl.Open(0, 1), "λ, chance that a region goes down"),
		repair:  p.Float("repair", 0.1, fl.Open(0, 1), "μ, chance that it comes up again"),
		rate:    p.Float("rate", 0.5, fl.LeftOpen(0, 1), "chance of a client whose region is up"),
	}
	if n := p.Setting().Clients; n > 0 && o.regions > n {
		p.Fail("regions", "%d of %d clients", o.regions, n)
	}
	return o, nil
}

// up returns u.
func (o *outage) up() float64 { return o.repair / (o.fail + o.repair) }

// Available moves every region on, then draws every client.
func (o *outage) Available(r *fl.AvailabilityInput) []int {
	n := r.Roster.N
	up := r.State.Vector("up", o.regions)
	for z := range up {
		chance := o.repair
		if r.T == 0 {
			chance = o.up()
		} else if up[z] == 1 {
			chance = 1 - o.fail
		}
		up[z] = 0
		if r.RNG.Float64() < chance {
			up[z] = 1
		}
	}
	r.Context = r.State.Matrix("context", n, 1)  // what the server sees
	r.Inclusion = r.State.Vector("inclusion", n) // the true probabilities, given that
	ids := r.Room(n)
	for i := range n {
		here := up[i*o.regions/n]
		r.Context.Data[i] = here
		r.Inclusion[i] = o.rate * here
		if r.RNG.Float64() < r.Inclusion[i] {
			ids = append(ids, i)
		}
	}
	return ids
}

// Law states how often clients come; which come together is left to simulated rounds.
func (o *outage) Law(pop *fl.Roster) (fl.Law, bool) {
	pi := make(fl.Vector, pop.N)
	pi.Fill(o.up() * o.rate)
	return fl.Law{Inclusion: pi, Exact: true}, true
}
