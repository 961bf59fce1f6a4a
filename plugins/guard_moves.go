package plugins

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// importance guards an fl.Importance.
type importance guarding[fl.Importance]

func guardImportance(g guarded, i fl.Importance) (fl.Importance, error) {
	return &importance{g, i}, nil
}

// Weights implements fl.Importance.
func (i *importance) Weights(pop *fl.Roster) (p fl.Vector) {
	n := pop.N
	i.must("Weights", func() error {
		p = i.of.Weights(pop)
		return returned(fl.CheckDistribution("weights", p, n, slack))
	}, input{"pop", pop})
	return p
}

// returned says that a component returned what is not valid.
func returned(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("returned %w", err)
}

// slack is how far a sum of probabilities may be from 1.
const slack = 1e-9

// enrollment guards an fl.Enrollment.
type enrollment guarding[fl.Enrollment]

func guardEnrollment(g guarded, e fl.Enrollment) (fl.Enrollment, error) {
	return &enrollment{g, e}, nil
}

// Enroll implements fl.Enrollment.
func (e *enrollment) Enroll(in *fl.EnrollmentInput) (enrolled []bool) {
	n := in.Roster.N
	e.must("Enroll", func() error {
		enrolled = e.of.Enroll(in)
		return checkEnrolment(enrolled, in.Probability, n)
	}, input{"in", in})
	return enrolled
}

// checkEnrolment refuses what does not say of each of n clients whether it is enrolled, and
// probabilities that are none, of the wrong number, or of what did not happen.
func checkEnrolment(enrolled []bool, chance fl.Vector, n int) error {
	if len(enrolled) != n {
		return fmt.Errorf("returned %d answers, want %d", len(enrolled), n)
	}
	if len(chance) != n {
		return fmt.Errorf("left %d elements of Probability, want %d", len(chance), n)
	}
	for i, e := range chance {
		switch {
		case math.IsNaN(e):
		case e < 0 || e > 1:
			return fmt.Errorf("set Probability[%d] to %v, outside [0, 1]; leave NaN where it is "+
				"not known", i, e)
		case e == 0 && enrolled[i] || e == 1 && !enrolled[i]:
			return fmt.Errorf("set Probability[%d] to %v, and returned %t for that client", i, e,
				enrolled[i])
		}
	}
	return nil
}

// availability guards an fl.Availability.
type availability guarding[fl.Availability]

func guardAvailability(g guarded, a fl.Availability) (fl.Availability, error) {
	return &availability{g, a}, nil
}

// Available implements fl.Availability.
func (a *availability) Available(r *fl.AvailabilityInput) (ids []int) {
	n, everyone := r.Roster.N, r.Everyone()
	a.must("Available", func() error {
		ids = a.of.Available(r)
		if err := fl.CheckClients(ids, n); err != nil {
			return returned(err)
		}
		return checkSaid(r)
	}, input{"r", r}, input{"r.Everyone()", &everyone})
	return ids
}

// Law implements fl.Availability.
func (a *availability) Law(pop *fl.Roster) (law fl.Law, known bool) {
	n := pop.N
	a.must("Law", func() error {
		law, known = a.of.Law(pop)
		return checkLaw(law, known, n)
	}, input{"pop", pop})
	return law, known
}

// checkSaid refuses what else a model says of a round, where it is of the wrong size or, of a
// client that is enrolled, no number or no probability.
func checkSaid(r *fl.AvailabilityInput) error {
	n, z := r.Roster.N, r.Context
	if z.Cols != 0 && (z.Rows != n || len(z.Data) != n*z.Cols) {
		return fmt.Errorf("set Context to %d×%d, %d numbers; want a row for each of %d clients",
			z.Rows, z.Cols, len(z.Data), n)
	}
	for k, x := range z.Data {
		if i := k / z.Cols; r.Roster.Reaches(i) && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return fmt.Errorf("set the Context of client %d to %v", i, x)
		}
	}
	if r.Inclusion != nil && len(r.Inclusion) != n {
		return fmt.Errorf("set %d elements of Inclusion, want %d", len(r.Inclusion), n)
	}
	for i, x := range r.Inclusion {
		if r.Roster.Reaches(i) && !(x >= 0 && x <= 1) {
			return fmt.Errorf("set Inclusion[%d] to %v, outside [0, 1]", i, x)
		}
	}
	return nil
}

// checkLaw refuses laws that no cohorts of n clients have.
func checkLaw(law fl.Law, known bool, n int) error {
	if !known {
		return nil
	}
	if law.Sets != nil {
		if err := returned(fl.CheckDistribution("law.Q", law.Q, len(law.Sets), slack)); err != nil {
			return err
		}
	}
	for j, set := range law.Sets {
		if err := fl.CheckClients(set, n); err != nil {
			return fmt.Errorf("law.Sets[%d]: %w", j, returned(err))
		}
	}
	if law.Inclusion == nil && law.Sets == nil && law.Chance == nil && !law.Everyone {
		return fmt.Errorf("returned a law that says nothing; return false when there is none")
	}
	for _, v := range []struct {
		name string
		v    fl.Vector
	}{{"Inclusion", law.Inclusion}, {"Chance", law.Chance}} {
		if v.v != nil && len(v.v) != n {
			return fmt.Errorf("law.%s has %d elements, want %d", v.name, len(v.v), n)
		}
		for i, x := range v.v {
			if !(x >= 0 && x <= 1+1e-9) {
				return fmt.Errorf("law.%s[%d] is %v, outside [0, 1]", v.name, i, x)
			}
		}
	}
	if !(law.Empty >= 0 && law.Empty <= 1) || law.Size < 0 || law.Size > n {
		return fmt.Errorf("law.Empty is %v and law.Size %d of %d", law.Empty, law.Size, n)
	}
	return nil
}

// selection guards an fl.Selection.
type selection struct {
	guarding[fl.Selection]
	updates toldUpdates
}

func guardSelection(g guarded, s fl.Selection) (fl.Selection, error) {
	return &selection{guarding: guarding[fl.Selection]{g, s}}, nil
}

// Select implements fl.Selection.
func (s *selection) Select(d *fl.SelectionInput) (ids []int) {
	if loss := d.Loss; loss != nil {
		// The client computes in there: that is not the selection's time.
		d.Loss = func(client int) float64 {
			defer s.calls.pause(s.machine)()
			return loss(client)
		}
		defer func() { d.Loss = loss }()
	}
	if norms := d.Norms; norms != nil {
		d.Norms = func(dst fl.Vector, clients []int) {
			defer s.calls.pause(s.machine)()
			norms(dst, clients)
		}
		defer func() { d.Norms = norms }()
	}
	available, told := d.Available, s.watch(d)
	defer func() { d.Told = told.told }()
	s.must("Select", func() error {
		ids = s.of.Select(d)
		return cmp.Or(returned(fl.CheckSubset(ids, available)), told.changed())
	}, input{"d", d})
	return ids
}

// Law implements fl.Selection.
func (s *selection) Law(pop *fl.Roster, available []int) (law fl.Law, known bool) {
	n := pop.N
	s.must("Law", func() error {
		law, known = s.of.Law(pop, available)
		return checkLaw(law, known, n)
	}, input{"pop", pop}, input{"available", &available})
	return law, known
}

// partitioner guards an fl.Partitioner.
type partitioner guarding[fl.Partitioner]

func guardPartitioner(g guarded, p fl.Partitioner) (fl.Partitioner, error) {
	return &partitioner{g, p}, nil
}

// Split implements fl.Partitioner.
func (p *partitioner) Split(d *fl.Dataset, n int, rng *rand.Rand) (parts [][]int, err error) {
	rows := d.Len()
	err = p.try("Split", func() (err error) {
		if parts, err = p.of.Split(d, n, rng); err != nil {
			return err
		}
		return checkParts(parts, rows, n)
	}, input{"d", d})
	return parts, err
}

// checkParts refuses parts that are empty or overlap. Whether they may leave rows out says the
// entry, which the engine asks.
func checkParts(parts [][]int, rows, n int) error {
	if len(parts) != n {
		return fmt.Errorf("returned %d parts for %d clients", len(parts), n)
	}
	owner := make([]int, rows) // counted from 1
	for i, part := range parts {
		if len(part) == 0 {
			return fmt.Errorf("gives client %d no rows", i)
		}
		for _, r := range part {
			if r < 0 || r >= rows {
				return fmt.Errorf("gives client %d row %d of %d", i, r, rows)
			}
			if owner[r] != 0 {
				return fmt.Errorf("gives row %d to clients %d and %d", r, owner[r]-1, i)
			}
			owner[r] = i + 1
		}
	}
	return nil
}
