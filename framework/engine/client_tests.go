package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// dealTests returns the test rows of every client by the law of its training rows: of the test rows
// of a class, and of a domain where rows have one, a client gets the share that it has of the
// training rows of that class and domain, rounded up or down at random. Test rows of a class
// without training rows belong to no client. A client that would have no test row gets one.
func dealTests(train, test *fl.Dataset, rows [][]int, rng *rand.Rand) ([][]int, error) {
	if test == nil || test.Len() == 0 {
		return nil, errors.New(`test = "client" needs test samples; this dataset has none`)
	}
	strata := max(1, train.Shape.Classes) * max(1, len(train.Shape.Domains))
	own := make([][]int, strata) // training rows of a stratum, by client
	for s := range own {
		own[s] = make([]int, len(rows))
	}
	for i, part := range rows {
		for _, r := range part {
			own[stratum(train, r)][i]++
		}
	}
	left := make([][]int, strata)
	for r := range test.Len() {
		s := stratum(test, r)
		left[s] = append(left[s], r)
	}
	dealt := make([][][]int, strata) // test rows of a stratum, by client
	for s := range dealt {
		dealt[s] = proportional(left[s], own[s], rng)
	}
	return gatherTests(dealt, own)
}

// stratum numbers the class and the domain of a row.
func stratum(d *fl.Dataset, r int) (s int) {
	if d.Y != nil {
		s = d.Y[r]
	}
	if d.Domain != nil {
		s = s*len(d.Shape.Domains) + d.Domain[r]
	}
	return s
}

// proportional deals shuffled rows to clients in proportion to their counts. A share that is no
// whole number is rounded up with the probability of its fraction, by systematic sampling from
// clients in random order.
func proportional(rows, counts []int, rng *rand.Rand) [][]int {
	dealt := make([][]int, len(counts))
	total := 0
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return dealt
	}
	rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
	start, upTo, from := rng.IntN(total), 0, 0
	for _, i := range rng.Perm(len(counts)) {
		upTo += counts[i]
		end := (upTo*len(rows) + start) / total
		dealt[i], from = rows[from:end:end], end
	}
	return dealt
}

// gatherTests puts together what clients have of every stratum. A client without a test row gets
// one of the stratum of which it has most training rows, and which another client can spare.
func gatherTests(dealt [][][]int, own [][]int) ([][]int, error) {
	tests := make([][]int, len(own[0]))
	for i := range tests {
		for s := range dealt {
			tests[i] = append(tests[i], dealt[s][i]...)
		}
	}
	for i := range tests {
		if len(tests[i]) > 0 {
			continue
		}
		from, s := spare(tests, dealt, own, i)
		if from < 0 {
			return nil, fmt.Errorf(`test = "client": there is no test sample for client %d; `+
				"held_out gives every client some of its own", i)
		}
		last := len(dealt[s][from]) - 1
		r := dealt[s][from][last]
		dealt[s][from] = dealt[s][from][:last]
		tests[from] = remove(tests[from], r)
		tests[i] = append(tests[i], r)
	}
	return tests, nil
}

// spare returns the client with the most test rows, and more than one, among those that have one of
// the stratum of which client i has most training rows; −1 where there is none for any stratum.
func spare(tests [][]int, dealt [][][]int, own [][]int, i int) (from, of int) {
	from = -1
	for s := range own {
		if own[s][i] == 0 || from >= 0 && own[s][i] <= own[of][i] {
			continue
		}
		for k := range tests {
			if len(dealt[s][k]) == 0 || len(tests[k]) < 2 {
				continue
			}
			if from < 0 || of != s || len(tests[k]) > len(tests[from]) {
				from, of = k, s
			}
		}
	}
	return from, of
}

func remove(rows []int, r int) []int {
	kept := rows[:0]
	for _, x := range rows {
		if x != r {
			kept = append(kept, x)
		}
	}
	return kept
}

// ownTests gives clients test samples of their own, beside the test data, where a setup says so:
// test rows by the law of their training rows, or training samples that they hold out. A trial of
// [tune] has nothing to test on but what it takes of training samples to validate.
func ownTests(pop *fl.Population, s *Setup, train *fl.Dataset, rows [][]int) (err error) {
	if s.TestByClient {
		rng := fl.NewStream(s.DataSeed, "client tests").Rand()
		own, err := dealTests(train, pop.Test, rows, rng)
		if err != nil {
			return err
		}
		_, pop.OwnStart = arrange(pop.Test, own)
		pop.Own = pop.Test.Pick(slices.Concat(own...))
		if none := pop.Test.Len() - pop.Own.Len(); none > 0 {
			pop.Remarks = append(pop.Remarks, fmt.Sprintf("%d of %d test samples are of "+
				"classes or domains without training samples, and belong to no client", none,
				pop.Test.Len()))
		}
	}
	if s.HeldOut > 0 {
		pop.Own, pop.OwnStart, err = takeShare(pop, s.HeldOut,
			fl.NewStream(s.DataSeed, "held out").Rand())
		if err != nil {
			return fmt.Errorf("held_out: %w", err)
		}
	}
	if s.Validated > 0 {
		pop.Own, pop.OwnStart = nil, nil
		pop.Test, pop.TestStart, err = takeShare(pop, s.Validated,
			fl.NewStream(s.DataSeed, "trial").Rand())
	}
	return err
}
