package audit

import (
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Enrolment says which clients can ever participate, and which of them no weights can compensate
// for.
type Enrolment struct {
	Clients int     `json:"clients"` // that are enrolled
	Share   float64 `json:"share"`   // of p that they hold
	Stated  int     `json:"stated"`  // clients, enrolled or not, whose probability eᵢ is known
	Lowest  float64 `json:"lowest"`  // of these probabilities
	Mean    float64 `json:"mean"`    //

	// Positivity is violated by clients with p > 0 that cannot enrol, or are enrolled and never
	// participate under an exact law.
	Violations int     `json:"violations"`
	Violated   float64 `json:"violated"` // share of p that they hold
	Violators  []int   `json:"violators,omitempty"`
}

// mostNamed is how many clients are named that violate positivity.
const mostNamed = 100

func enrolment(law *fl.Law, w *engine.World) Enrolment {
	e := Enrolment{Lowest: 1}
	for i, p := range w.Roster.Importance {
		in, chance := w.Roster.Reaches(i), w.EnrollmentProbability[i]
		if in {
			e.Clients++
			e.Share += p
		}
		if !math.IsNaN(chance) {
			e.Stated++
			e.Mean += (chance - e.Mean) / float64(e.Stated)
			e.Lowest = min(e.Lowest, chance)
		}
		never := chance == 0 || in && law.Exact && law.Inclusion[i] == 0
		if p > 0 && never {
			e.Violations++
			e.Violated += p
			if len(e.Violators) < mostNamed {
				e.Violators = append(e.Violators, i)
			}
		}
	}
	if e.Stated == 0 {
		e.Lowest = 0
	}
	return e
}
