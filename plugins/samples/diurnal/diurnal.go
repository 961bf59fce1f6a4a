// Diurnal availability — devices come at night, in the time zone that they are in.
//
//	K. Bonawitz et al. Towards Federated Learning at Scale: System Design. MLSys 2019,
//	Section 9: over 24 hours, four times as many devices take part at the peak as at the low.
//	H. Eichner, T. Koren, B. McMahan, N. Srebro, K. Talwar. Semi-Cyclic Stochastic Gradient
//	Descent. ICML 2019: who takes part depends on the time of day, in blocks.
//
// Notation: the chance that client i comes in round t is
//
//	rate · (1 + a cos(2π (t/day − z(i)/zones))),  a = (ratio − 1)/(ratio + 1),
//
// where ratio is that of the peak to the low, and z(i) = ⌊i·zones/N⌋ the time zone.
//
// Departures: the sources show curves and give no formula; the cosine is the simplest that
// returns every day, has the ratio that was seen, and a mean that can be named.

// Package diurnal is a strategy: an availability whose law changes with the hour.
package diurnal

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Diurnal describes the availability.
var Diurnal = fl.AvailabilityEntry{
	Name:    "diurnal",
	Summary: "chances that rise and fall with the hours of a day, zone by zone",
	Paper:   "K. Bonawitz et al., MLSys 2019, Section 9; H. Eichner et al., ICML 2019",
	New:     newDiurnal,
}

// diurnal keeps nothing in State.
type diurnal struct {
	rate  float64 // mean chance of a client, (0, 1]
	ratio float64 // of the chance at the peak to that at the low, ≥ 1
	day   int     // rounds
	zones int
}

func newDiurnal(p *fl.Params) (fl.Availability, error) {
	d := &diurnal{
		rate:  p.Float("rate", 0.4, fl.LeftOpen(0, 1), "mean chance of a client over a day"),
		ratio: p.Float("ratio", 4, fl.AtLeast(1), "chance at the peak over that at the low"),
		day:   p.Int("day", 24, fl.AtLeast(2), "rounds in a day"),
		zones: p.Int("zones", 1, fl.AtLeast(1), "time zones, in the order of clients"),
	}
	if peak := d.rate * (1 + d.swing()); peak > 1+1e-12 {
		p.Fail("rate", "%v, with a ratio of %v, makes a chance of %.3g at the peak", d.rate,
			d.ratio, peak)
	}
	return d, nil
}

// swing returns a.
func (d *diurnal) swing() float64 { return (d.ratio - 1) / (d.ratio + 1) }

// Available draws every client by the chance that it has in this round.
func (d *diurnal) Available(r *fl.Reach) []int {
	wave := stats.Diurnal{Base: d.rate, Amplitude: d.rate * d.swing(), Period: float64(d.day)}
	hour := make(fl.Vector, d.zones) // the chance in each time zone now
	for z := range hour {
		hour[z] = wave.At(r.T, float64(z*d.day)/float64(d.zones))
	}
	chance := make(fl.Vector, r.Roster.N)
	for i := range chance {
		chance[i] = hour[i*d.zones/r.Roster.N]
	}
	return stats.DrawBernoulli(r.Room(r.Roster.N), chance, r.RNG)
}

// Law says false: it is another one in every round. What methods need to know of it is then
// estimated from simulated rounds.
func (d *diurnal) Law(pop *fl.Roster) (fl.Law, bool) { return fl.Law{}, false }
