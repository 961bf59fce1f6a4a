package engine_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// scenes are a source whose rows say nothing but their number, of the domains that are listed.
type scenes struct{ train, test []int }

func (s scenes) Shape() fl.Shape {
	return fl.Shape{Features: 3, Tested: true, Domains: []string{"ink", "neon"}}
}

func (s scenes) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	rows := func(domain []int) *fl.Dataset {
		d := &fl.Dataset{Shape: s.Shape(), X: fl.NewMatrix(len(domain), 3), Domain: domain}
		d.Target = make(fl.Vector, len(domain))
		for r := range domain {
			d.X.Row(r)[0] = float64(r)
		}
		return d
	}
	return rows(s.train), rows(s.test), nil
}

// dealt is a partition of the rows that are listed.
type dealt [][]int

func (p dealt) Split(*fl.Dataset, int, *rand.Rand) ([][]int, error) { return p, nil }

// staged is a setup of three clients that have given rows of scenes.
func staged(s scenes, parts ...[]int) *engine.Setup {
	setup := toy()
	setup.Clients, setup.Source, setup.Partition, setup.Drops = 3, s, dealt(parts), true
	return setup
}

// Test rows go in turn to the clients of their domain, where every client has one domain.
func TestTestRowsGoToTheirDomain(t *testing.T) {
	test := []int{1, 0, 0, 1, 0, 0, 0, 1}
	for _, c := range []struct {
		name  string
		train []int
		parts [][]int
		want  [][]float64 // test rows of every client; nil: they belong to no client
	}{
		{"a client each, and two", []int{0, 0, 1, 0}, [][]int{{0, 1}, {2}, {3}},
			[][]float64{{1, 4, 6}, {0, 3, 7}, {2, 5}}},
		{"rows are left out", []int{0, 0, 1, 1}, [][]int{{0}, {1}, {3}},
			[][]float64{{1, 4, 6}, {2, 5}, {0, 3, 7}}},
		{"two domains at a client", []int{0, 0, 1, 1}, [][]int{{0}, {1, 2}, {3}}, nil},
		{"a domain without clients", []int{0, 0, 0, 1}, [][]int{{0}, {1}, {2}}, nil},
	} {
		pop := prepared(t, staged(scenes{c.train, test}, c.parts...)).Population
		if c.want == nil {
			if pop.TestStart != nil || pop.Test.Len() != len(test) {
				t.Errorf("%s: test rows begin at %v", c.name, pop.TestStart)
			}
			continue
		}
		for i, want := range c.want {
			var got []float64
			own := pop.ClientTest(i)
			for r := range own.Len() {
				got = append(got, own.X.Row(r)[0])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: client %d has test rows %v, want %v", c.name, i, got, want)
			}
		}
	}
}

// Few test rows are few: some clients of a domain then have none.
func TestFewTestRows(t *testing.T) {
	s := staged(scenes{[]int{0, 1, 0}, []int{0}}, []int{0}, []int{1}, []int{2})
	if got := prepared(t, s).Population.TestStart; !slices.Equal(got, []int{0, 1, 1, 1}) {
		t.Errorf("test rows begin at %v", got)
	}
}

// What a partition leaves out is counted and said, and refused of one that may not.
func TestRowsThatNobodyHas(t *testing.T) {
	s := staged(scenes{[]int{0, 0, 0, 0, 1}, []int{0}}, []int{3}, []int{0}, []int{1})
	r, err := engine.Run(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "the partition leaves out 2 of 5 training samples"
	if r.Data.LeftOut != 2 || r.Data.Samples != 3 || !slices.Contains(r.Notes, want) {
		t.Errorf("%+v, %q", r.Data, r.Notes)
	}
	pop := prepared(t, s).Population
	if got := []float64{pop.Train.X.Row(0)[0], pop.Train.X.Row(1)[0], pop.Train.X.Row(2)[0]}; !slices.Equal(got, []float64{3, 0, 1}) {
		t.Errorf("clients train on rows %v", got)
	}
	first := staged(scenes{[]int{0, 0, 0, 0, 1}, []int{0}}, []int{0}, []int{1}, []int{2})
	if pop := prepared(t, first).Population; pop.Train.Len() != 3 || pop.LeftOut != 2 {
		t.Errorf("of the first rows %d are there, %d left out", pop.Train.Len(), pop.LeftOut)
	}
	for parts, mistake := range map[*dealt]string{
		{{0}, {1}, {2}}:             "partition: 3 of 5 rows are assigned",
		{{0}, {1, 2}, {}}:           "partition: client 2 gets no rows",
		{{0}, {1}}:                  "partition: 2 parts for 3 clients",
		{{0, 1, 2, 3}, {1, 2}, {2}}: "partition: 7 of 5 rows are assigned",
	} {
		s.Partition, s.Drops = *parts, false
		if _, err := engine.Prepare(s, engine.Options{}); err == nil || err.Error() != mistake {
			t.Errorf("error %v, want %s", err, mistake)
		}
	}
	whole := staged(scenes{[]int{0, 0, 1}, []int{0}}, []int{0}, []int{1}, []int{2})
	if r := run(t, whole, engine.Options{}); strings.Contains(strings.Join(r.Notes, ""), "leaves out") {
		t.Errorf("nothing is left out, and it says %q", r.Notes)
	}
}
