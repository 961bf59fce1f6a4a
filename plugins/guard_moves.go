package plugins

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// importance guards an fl.Importance.
type importance struct {
	guarded
	importance fl.Importance
}

func guardImportance(g guarded, i fl.Importance) (fl.Importance, error) {
	return &importance{g, i}, nil
}

// Weights implements fl.Importance.
func (i *importance) Weights(pop *fl.Roster) (p fl.Vector) {
	n := pop.N
	i.must("Weights", func() error {
		p = i.importance.Weights(pop)
		return checkDistribution("weights", p, n)
	}, input{"pop", pop})
	return p
}

// checkDistribution refuses what is no probability distribution over n things.
func checkDistribution(what string, p fl.Vector, n int) error {
	if len(p) != n {
		return fmt.Errorf("returned %d %s, want %d", len(p), what, n)
	}
	sum := 0.0
	for i, x := range p {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("returned %s of which element %d is %v", what, i, x)
		}
		sum += x
	}
	if math.Abs(sum-1) > 1e-9 {
		return fmt.Errorf("returned %s that sum to %v, not 1", what, sum)
	}
	return nil
}

// enrollment guards an fl.Enrollment.
type enrollment struct {
	guarded
	model fl.Enrollment
}

func guardEnrollment(g guarded, e fl.Enrollment) (fl.Enrollment, error) {
	return &enrollment{g, e}, nil
}

// Enroll implements fl.Enrollment.
func (e *enrollment) Enroll(in *fl.EnrollmentInput) (enrolled []bool) {
	n := in.Roster.N
	e.must("Enroll", func() error {
		enrolled = e.model.Enroll(in)
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
type availability struct {
	guarded
	model fl.Availability
}

func guardAvailability(g guarded, a fl.Availability) (fl.Availability, error) {
	return &availability{g, a}, nil
}

// Available implements fl.Availability.
func (a *availability) Available(r *fl.AvailabilityInput) (ids []int) {
	n, everyone := r.Roster.N, r.Everyone()
	a.must("Available", func() error {
		ids = a.model.Available(r)
		if err := checkClients(ids, n); err != nil {
			return err
		}
		return checkSaid(r)
	}, input{"r", r}, input{"r.Everyone()", &everyone})
	return ids
}

// Law implements fl.Availability.
func (a *availability) Law(pop *fl.Roster) (law fl.Law, known bool) {
	n := pop.N
	a.must("Law", func() error {
		law, known = a.model.Law(pop)
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

// checkClients refuses clients that are out of range, out of order or named twice.
func checkClients(ids []int, n int) error {
	for k, i := range ids {
		if i < 0 || i >= n {
			return fmt.Errorf("returned client %d, there are clients 0 to %d", i, n-1)
		}
		if err := checkOrder(ids, k); err != nil {
			return err
		}
	}
	return nil
}

// checkOrder refuses a client that does not come after the one before it.
func checkOrder(ids []int, k int) error {
	switch {
	case k == 0 || ids[k] > ids[k-1]:
		return nil
	case ids[k] == ids[k-1]:
		return fmt.Errorf("returned client %d twice", ids[k])
	}
	return fmt.Errorf("returned client %d after client %d; want them ascending", ids[k], ids[k-1])
}

// checkLaw refuses laws that no cohorts of n clients have.
func checkLaw(law fl.Law, known bool, n int) error {
	if !known {
		return nil
	}
	if law.Sets != nil {
		if err := checkDistribution("law.Q", law.Q, len(law.Sets)); err != nil {
			return err
		}
	}
	for j, set := range law.Sets {
		if err := checkClients(set, n); err != nil {
			return fmt.Errorf("law.Sets[%d]: %w", j, err)
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
	guarded
	mechanism fl.Selection
}

func guardSelection(g guarded, s fl.Selection) (fl.Selection, error) {
	return &selection{g, s}, nil
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
	available := d.Available
	s.must("Select", func() error {
		ids = s.mechanism.Select(d)
		return checkSubset(ids, available)
	}, input{"d", d})
	return ids
}

// checkSubset refuses clients that are not among those available, out of order or named
// twice.
func checkSubset(ids, available []int) error {
	k := 0
	for j, i := range ids {
		if err := checkOrder(ids, j); err != nil {
			return err
		}
		for k < len(available) && available[k] < i {
			k++
		}
		if k == len(available) || available[k] != i {
			return fmt.Errorf("returned client %d, which is not available", i)
		}
	}
	return nil
}

// Law implements fl.Selection.
func (s *selection) Law(pop *fl.Roster, available []int) (law fl.Law, known bool) {
	n := pop.N
	s.must("Law", func() error {
		law, known = s.mechanism.Law(pop, available)
		return checkLaw(law, known, n)
	}, input{"pop", pop}, input{"available", &available})
	return law, known
}

// partitioner guards an fl.Partitioner.
type partitioner struct {
	guarded
	partitioner fl.Partitioner
}

func guardPartitioner(g guarded, p fl.Partitioner) (fl.Partitioner, error) {
	return &partitioner{g, p}, nil
}

// Split implements fl.Partitioner.
func (p *partitioner) Split(d *fl.Dataset, n int, rng *rand.Rand) (parts [][]int, err error) {
	rows := d.Len()
	err = p.try("Split", func() (err error) {
		if parts, err = p.partitioner.Split(d, n, rng); err != nil {
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
