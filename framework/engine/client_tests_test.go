package engine_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// letters are a source of rows of classes that are listed; a row holds its number.
type letters struct{ train, test []int }

func (s letters) Shape() fl.Shape {
	return fl.Shape{Features: 1, Classes: 4, Tested: s.test != nil}
}

func (s letters) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	rows := func(y []int, from float64) *fl.Dataset {
		d := &fl.Dataset{Shape: s.Shape(), X: fl.NewMatrix(len(y), 1), Y: y}
		for r := range y {
			d.X.Data[r] = from + float64(r)
		}
		return d
	}
	if s.test != nil {
		test = rows(s.test, 1e6)
	}
	return rows(s.train, 0), test, nil
}

// lettered is a setup whose clients have given training rows of letters.
func lettered(s letters, parts ...[]int) *engine.Setup {
	setup := toy()
	setup.Clients, setup.Source, setup.Partition = len(parts), s, dealt(parts)
	return setup
}

// Test rows of a class are dealt in proportion to its training rows: a client gets its share,
// rounded up or down. No row is dealt twice, and the global test set is all of them.
func TestTestRowsFollowTheLawOfTrainingRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(30) {
		s := letters{train: make([]int, 400), test: make([]int, 150)}
		parts := make([][]int, 7)
		for r := range s.train {
			s.train[r] = rng.IntN(3)
			i := (s.train[r] + rng.IntN(3)) % 7 // clients have some classes
			if r < 140 {
				i = r % 7
			}
			parts[i] = append(parts[i], r)
		}
		for r := range s.test {
			s.test[r] = rng.IntN(4) // of class 3 there are no training rows
		}
		setup := lettered(s, parts...)
		setup.DataSeed, setup.TestByClient = seed, true
		w, err := engine.Prepare(setup, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pop := w.Population
		trained, tested, seen := counts(s.train), counts(s.test), map[float64]bool{}
		for i := range pop.N() {
			train, test := pop.Client(i).Data, pop.ClientTest(i)
			if test.Len() == 0 {
				t.Errorf("client %d has no test rows", i)
			}
			own, has := counts(train.Y), counts(test.Y)
			for c := range 3 {
				want := float64(own[c]*tested[c]) / float64(trained[c])
				if math.Abs(float64(has[c])-want) >= 1 {
					t.Errorf("client %d has %d test rows of class %d, want %v", i, has[c], c, want)
				}
			}
			for _, x := range test.X.Data {
				if seen[x] {
					t.Errorf("row %v is dealt twice", x)
				}
				seen[x] = true
			}
		}
		if len(seen) != len(s.test)-tested[3] || !slices.Equal(pop.Test.Y, s.test) {
			t.Errorf("%d rows are dealt, %d are the global test set", len(seen), pop.Test.Len())
		}
		if notes := strings.Join(w.Prepared.List(), "; "); !strings.Contains(notes,
			"belong to no client") {
			t.Errorf("notes %q", notes)
		}
	}
}

func counts(y []int) (n [4]int) {
	for _, c := range y {
		n[c]++
	}
	return n
}

// A share of a row is one with that probability: over many seeds clients have what they are due.
func TestSharesOfTestRowsAreUnbiased(t *testing.T) {
	s := letters{train: make([]int, 10), test: make([]int, 31)}
	var sum [3]float64
	const seeds = 3000
	for seed := range uint64(seeds) {
		setup := lettered(s, []int{0, 1, 2, 3, 4, 5}, []int{6, 7, 8}, []int{9})
		setup.DataSeed, setup.TestByClient = seed, true
		w, err := engine.Prepare(setup, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range sum {
			d := w.Population.ClientTest(i)
			sum[i] += float64(d.Len()) / seeds
		}
	}
	for i, want := range []float64{18.6, 9.3, 3.1} {
		if math.Abs(sum[i]-want) > 0.04 {
			t.Errorf("client %d has %.3f test rows on average, want %v", i, sum[i], want)
		}
	}
}

// What clients hold out is theirs, and beside the global test set; none of it is trained on.
func TestHeldOutSamplesStandBesideTheGlobalTestSet(t *testing.T) {
	s := letters{train: make([]int, 30), test: []int{1, 2, 3}}
	parts := [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 11, 12, 13, 14}, {15}, nil}
	for r := 16; r < 30; r++ {
		parts[3] = append(parts[3], r)
	}
	setup := lettered(s, parts...)
	setup.HeldOut = 0.2
	w, err := engine.Prepare(setup, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pop := w.Population
	for i, want := range []int{2, 1, 0, 3} {
		train, own := pop.Client(i).Data, pop.ClientTest(i)
		if own.Len() != want {
			t.Errorf("client %d holds %d rows out, want %d", i, own.Len(), want)
		}
		rows := slices.Sorted(slices.Values(slices.Concat(train.X.Data, own.X.Data)))
		if len(rows) != len(parts[i]) || int(rows[0]) != parts[i][0] {
			t.Errorf("client %d has rows %v of %v", i, rows, parts[i])
		}
	}
	if !slices.Equal(pop.Test.Y, s.test) || pop.TestStart != nil {
		t.Errorf("the global test set is %v, by client %v", pop.Test.Y, pop.TestStart)
	}
	setup.Validated = 0.5 // of a trial of [tune]: only what it validates on is left
	if w, err = engine.Prepare(setup, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	pop = w.Population
	first := pop.ClientTest(0)
	if pop.Own != nil || first.Len() != 4 || pop.Start[1] != 4 {
		t.Errorf("a trial has %d rows of its own, of 8", first.Len())
	}
}

// Test rows cannot be dealt where there are fewer than clients, or none.
func TestTestRowsMustSuffice(t *testing.T) {
	for want, test := range map[string][]int{
		"there is no test sample for client": {0}, "needs test samples": nil,
	} {
		setup := lettered(letters{train: []int{0, 0}, test: test}, []int{0}, []int{1})
		setup.TestByClient = true
		_, err := engine.Prepare(setup, engine.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
