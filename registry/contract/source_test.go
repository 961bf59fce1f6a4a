package contract

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// raining is a source of classes, 20 training and 5 test rows for each client, to which
// something is done.
func raining(breaks, found string, do func(train, test *fl.Dataset)) citizen[fl.Source] {
	shape := fl.Shape{Features: 4, Classes: 4, Image: fl.Image{C: 1, H: 2, W: 2},
		Owned: true, Tested: true, Domains: []string{"ink", "neon"}}
	return sourcing(breaks, found, shape, func(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
		train, _ = newData(shape, slices.Repeat([]int{20}, l.Clients), l.RNG)
		test, _ = newData(shape, slices.Repeat([]int{5}, l.Clients), l.RNG)
		do(train, test)
		return train, test, nil
	})
}

func sourcing(breaks, found string, shape fl.Shape,
	load func(l *fl.LoadInput) (train, test *fl.Dataset, err error)) citizen[fl.Source] {
	return made(breaks, found, func() fl.Source { return source{shape, load} })
}

// lacks says that a file is missing where there are no folders.
func lacks(_ fl.Source, i *fl.Inspection) {
	if i.Folders == nil {
		i.Lack("name", "lost.gz")
	}
}

// inspecting is a source of a file that is there, which is inspected badly.
func inspecting(found string, inspect func(fl.Source, *fl.Inspection)) citizen[fl.Source] {
	shape := fl.Shape{Features: 4, Classes: 4}
	c := sourcing("inspects", found, shape,
		func(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
			if l.Folders == nil {
				return nil, nil, &data.MissingError{Set: "lost", Files: []data.File{{Name: "lost.gz"}}}
			}
			train, _ = newData(shape, slices.Repeat([]int{20}, l.Clients), l.RNG)
			train.Owner, train.Domain, train.Shape = nil, nil, shape
			return train, nil, nil
		})
	c.entry.Inspect = inspect
	return c
}

// failing loads nothing.
func failing(err error) func(*fl.LoadInput) (train, test *fl.Dataset, _ error) {
	return func(*fl.LoadInput) (_, _ *fl.Dataset, _ error) { return nil, nil, err }
}

func TestBadSources(t *testing.T) {
	calls := 0.0
	square := fl.Shape{Features: 4, Classes: 4, Image: fl.Image{C: 3, H: 2, W: 2}}
	catches(t, sources(), sources().checks, []citizen[fl.Source]{
		sourcing("loads", "error: no luck", square, failing(errors.New("no luck"))),
		sourcing("loads", "error: no file", square, failing(&data.MissingError{Set: "no file"})),
		sourcing("loads", "error: open", square,
			failing(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission})),
		sourcing("loads", "there are no training data", square, failing(nil)),

		inspecting("it reads files, and has no Inspect", nil),
		inspecting("Inspect misses no file where there are none", func(fl.Source, *fl.Inspection) {}),
		inspecting("the files can be read, and Inspect says: too wide",
			func(_ fl.Source, i *fl.Inspection) {
				if lacks(nil, i); i.Folders != nil {
					i.Fail("name", "too wide")
				}
			}),

		raining("shape", "test data: it says {Features:5", func(_, test *fl.Dataset) {
			test.Shape.Features++
		}),
		raining("shape", "training data: 120 rows of 3 columns", func(train, _ *fl.Dataset) {
			train.X.Cols = 3
		}),
		raining("shape", "119 labels for 120 rows", func(train, _ *fl.Dataset) {
			train.Y = train.Y[1:]
		}),
		raining("shape", "120 targets for 120 rows", func(train, _ *fl.Dataset) {
			train.Target = equal(120, 1)
		}),
		raining("shape", "0 owners for 120 rows", func(train, _ *fl.Dataset) { train.Owner = nil }),
		raining("shape", "0 domains for 120 rows", func(train, _ *fl.Dataset) { train.Domain = nil }),
		sourcing("shape", "images are 3×2×2, rows have 4 features", square,
			func(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
				d, _ := newData(square, []int{5}, l.RNG)
				d.Owner = nil
				return d, nil, nil
			}),
		sourcing("shape", "there are test data: false, announced is true",
			fl.Shape{Features: 4, Owned: true, Tested: true},
			func(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
				d, _ := newData(square, []int{5}, l.RNG)
				return d, nil, nil
			}),

		raining("labels", "training data: row 7 has class 4 of 4", func(train, _ *fl.Dataset) {
			train.Y[7] = 4
		}),
		raining("owners", "test data: row 3 has owner -1 of 6", func(_, test *fl.Dataset) {
			test.Owner[3] = -1
		}),
		raining("domains", "test data: row 3 has domain 2 of 2", func(_, test *fl.Dataset) {
			test.Domain[3] = 2
		}),
		raining("finite", "training data: NaN or Inf", func(train, _ *fl.Dataset) {
			train.X.Data[9] = math.NaN()
		}),
		raining("disjoint", "test row 2 is training row 1", func(train, test *fl.Dataset) {
			copy(test.X.Row(2), train.X.Row(1))
			test.Y[2] = train.Y[1]
		}),
		raining("repeatable", "two loads differ", func(train, _ *fl.Dataset) {
			calls++
			train.X.Data[0] = calls
		}),
	})
}

// TestMissingFiles examines sources whose files are not there, and that say so.
func TestMissingFiles(t *testing.T) {
	_, open := os.Open("nowhere.csv")
	lost := &data.MissingError{Set: "lost", Files: []data.File{{Name: "lost.gz"}}}
	for _, err := range []error{open, lost} {
		e := sourcing("", "", fl.Shape{}, failing(err)).entry
		e.Inspect = func(_ fl.Source, i *fl.Inspection) { i.Lack("name", err.Error()) }
		for _, v := range examined(t, sources(), e) {
			t.Error(v)
		}
	}
}
