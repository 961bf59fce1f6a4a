package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// enroll draws which clients are enrolled, and sets Enrolled of the environment's roster and
// EnrollmentProbability.
func enroll(s *Setup, w *World) error {
	pop := w.Environment
	w.EnrollmentProbability = make(fl.Vector, pop.N)
	if s.Enrollment == nil {
		w.EnrollmentProbability.Fill(1)
		return nil
	}
	w.EnrollmentProbability.Fill(math.NaN())
	enrolled := s.Enrollment.Enroll(&fl.EnrollmentInput{
		Roster: pop, RNG: fl.NewStream(s.Seed, "enrollment").Rand(),
		Probability: w.EnrollmentProbability,
	})
	if len(enrolled) != pop.N {
		return fmt.Errorf("enrollment: %d answers for %d clients", len(enrolled), pop.N)
	}
	for i, e := range w.EnrollmentProbability {
		if e < 0 || e > 1 || (e == 0 && enrolled[i]) || (e == 1 && !enrolled[i]) {
			return fmt.Errorf("enrollment: client %d is enrolled: %t, its probability is %v",
				i, enrolled[i], e)
		}
	}
	if !slices.Contains(enrolled, true) {
		return errors.New("enrollment: no client is enrolled")
	}
	if slices.Contains(enrolled, false) {
		pop.Enrolled = enrolled
	}
	return nil
}

// covariates returns Xᵢ, the mean of its rows' covariates for every client.
func covariates(pop *fl.Population) fl.Matrix {
	rows := pop.Train.Covariates
	if rows.Cols == 0 {
		return fl.Matrix{}
	}
	x := fl.NewMatrix(pop.N(), rows.Cols)
	for i := range x.Rows {
		lo, hi := pop.Start[i], pop.Start[i+1]
		first, mean := rows.Row(lo), x.Row(i)
		// Rows that all say the same have exactly that as their mean.
		for r := lo; r < hi; r++ {
			for j, v := range rows.Row(r) {
				mean[j] += (v - first[j]) / float64(hi-lo)
			}
		}
		mean.Add(first)
	}
	return x
}

// disclosed returns what the server knows of a population.
func disclosed(nature *fl.Roster, d fl.Disclosure) *fl.Roster {
	known := *nature
	x := nature.Covariates
	if x.Cols == 0 {
		return &known
	}
	if d == fl.DiscloseAggregate || d == fl.DiscloseFull {
		known.SetMoments(x)
	}
	if nature.Enrolled == nil || d == fl.DiscloseFull {
		return &known
	}
	known.Covariates = fl.NewMatrix(x.Rows, x.Cols)
	for i, in := range nature.Enrolled {
		if in {
			copy(known.Covariates.Row(i), x.Row(i))
		} else {
			known.Covariates.Row(i).Fill(math.NaN())
		}
	}
	return &known
}

// mostNamed is how many clients a note names.
const mostNamed = 5

// beyond says which clients can never come though they count, if that is known: no weights
// can make up for them.
func beyond(w *World, absent []bool) string {
	var ids []int
	share := 0.0
	for i, p := range w.Roster.Importance {
		if p > 0 && (absent[i] || w.EnrollmentProbability[i] == 0) {
			ids, share = append(ids, i), share+p
		}
	}
	if len(ids) == 0 {
		return ""
	}
	names := strings.Fields(strings.Trim(fmt.Sprint(ids[:min(len(ids), mostNamed)]), "[]"))
	if len(ids) > mostNamed {
		names = append(names, "…")
	}
	word := "clients"
	if len(ids) == 1 {
		word = "client"
	}
	return fmt.Sprintf("%d %s (%s) cannot participate, with a share %.3g of p: no weights "+
		"can make up for that", len(ids), word, strings.Join(names, ", "), share)
}
