// Diurnal — probabilities that rise and fall with the hours of a day.
//
//	K. Bonawitz et al. Towards Federated Learning at Scale: System Design. MLSys 2019,
//	Section 9: over 24 hours, four times as many devices take part at the peak as at the low.
//	M. Ribero, H. Vikalo, G. de Veciana. Federated Learning under Intermittent Client
//	Availability and Time-Varying Communication Constraints. IEEE J-STSP 17, 2023: probabilities
//	that follow 0.4·sin + 0.5.
//
// Notation: the probability of client i in round t is
//
//	sᵢᵗ = level + amplitude · cos(2π(t − aᵢ)/period),   cut off at 0 and 1,
//
// with a phase aᵢ, the round of its peak, drawn once and uniform over the period: by itself for
// every client, or one for all. Oracles read sᵢᵗ: the hour is known. The law states the probability
// with an unknown phase, the mean of s over the day; cohorts to plan with are those of simulated
// rounds, which have the same phases.
//
// Departures: round t + period is round t again; the authors' grid of T points from 0 to 2π has
// its first point twice. With a cut the mean over a day of whole rounds differs from that over
// phases by as little as a sum differs from its integral.

package availability

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Diurnal describes the availability model to the registry.
var Diurnal = fl.AvailabilityEntry{
	Name:       "diurnal",
	Summary:    "probabilities that rise and fall with the hours of a day",
	Paper:      "ribero2023",
	Deviations: "the day does not repeat its end point, and clients have phases",
	New:        newDiurnal,
}

// diurnal keeps in State, beside the members: phase, aᵢ of each of them; inclusion, length N, sᵢᵗ.
type diurnal struct {
	wave   stats.Diurnal
	shared bool // one phase for all
}

var _ fl.Availability = (*diurnal)(nil)

func newDiurnal(p *fl.Params) (fl.Availability, error) {
	return &diurnal{
		wave: stats.Diurnal{
			Base: p.Float("level", 0.5, fl.Closed(0, 1), "probability around which others lie"),
			Amplitude: p.Float("amplitude", 0.4, fl.Closed(0, 10),
				"how far they rise and fall; what is above 1 or below 0 is cut off"),
			Period: p.Float("period", 24, fl.AtLeast(2), "rounds in a day"),
		},
		shared: p.Choice("phase", "own", "whether every client has its peak at an hour of its "+
			"own, or all at one, drawn once", "own", "shared") == "shared",
	}, nil
}

// Available implements fl.Availability.
func (d *diurnal) Available(r *fl.AvailabilityInput) []int {
	ids, first := members(r)
	phase := r.State.Vector("phase", len(ids))
	r.Inclusion = r.State.Vector("inclusion", r.Roster.N)
	if first {
		d.begin(r, ids, phase)
	}
	chance := 0.0
	here := r.Room(len(ids))
	for k, id := range ids {
		i := int(id)
		if !d.shared || k == 0 {
			chance = d.wave.At(r.T, phase[k])
		}
		if r.Inclusion[i] = chance; r.RNG.Float64() < chance {
			here = append(here, i)
		}
	}
	return here
}

// begin draws the phases of all clients, so that none depends on the enrolment of others.
func (d *diurnal) begin(r *fl.AvailabilityInput, ids, phase fl.Vector) {
	r.Inclusion.Fill(d.mean()) // of those not enrolled it stays so
	rng, k := r.Fixed(), 0
	own := d.wave.Period * rng.Float64()
	for i := 0; k < len(ids); i++ {
		if ids[k] == float64(i) {
			phase[k] = own
			k++
		}
		if !d.shared {
			own = d.wave.Period * rng.Float64()
		}
	}
}

// Law implements fl.Availability.
func (d *diurnal) Law(pop *fl.Roster) (fl.Law, bool) {
	return fl.Law{Exact: true, Inclusion: constant(pop.N, d.mean())}, true
}

// mean returns the mean of s over phases: the level, less what is cut off above, and more for
// what is cut off below.
func (d *diurnal) mean() float64 {
	// Where the amplitude is huge, rounding may leave the interval.
	return min(1, max(0, d.wave.Base-d.above(1-d.wave.Base)+d.above(d.wave.Base)))
}

// above returns the mean of max(0, amplitude·cos − h) over a day.
func (d *diurnal) above(h float64) float64 {
	a := d.wave.Amplitude
	if a <= h {
		return 0
	}
	return (math.Sqrt(a*a-h*h) - h*math.Acos(h/a)) / math.Pi
}
