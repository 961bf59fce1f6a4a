package session

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// timed is of how many cells of a method at most the times are read to guess those of others, and
// tried how many may have none.
const (
	timed = 16
	tried = 64
)

// paces returns how many seconds a unit of work takes, by method, of cells that are done: of the
// first ones of each method.
func (x *Experiment) paces(run store.Run) map[string]float64 {
	type pace struct {
		seconds, work float64
		timed, tried  int
	}
	of := map[string]*pace{}
	for i, id := range x.IDs {
		method := x.Cells[i].Method
		p := of[method]
		if p == nil {
			p = new(pace)
			of[method] = p
		}
		if p.timed == timed || p.tried == tried || !(x.work[i] > 0) {
			continue
		}
		p.tried++
		a, err := run.LoadAttempt(id)
		if err != nil || a == nil || a.Resumed > 0 {
			continue
		}
		p.timed++
		p.seconds, p.work = p.seconds+a.Seconds, p.work+x.work[i]
	}
	paces := map[string]float64{}
	for method, p := range of {
		if p.seconds > 0 {
			paces[method] = p.seconds / p.work
		}
	}
	return paces
}

// weights guesses how many seconds every cell takes: its work, at the pace of cells of its method
// that are done; 0 where there are none.
func (x *Experiment) weights(run store.Run) []float64 {
	paces := x.paces(run)
	weights := make([]float64, len(x.IDs))
	for i := range x.Cells {
		weights[i] = x.work[i] * paces[x.Cells[i].Method]
	}
	return weights
}

// A schedule is in which order cells are begun, and how long they are expected to take.
type schedule struct {
	batches [][]int
	seconds float64 // of all cells one after another; 0 where too little is known, or to do
}

// schedule puts cells into order: long ones before short ones, so that no core waits at the end for
// a long one that began late. Of cells whose times differ by less than a factor of two those come
// together that have the same data, which are prepared once and kept while they are asked for.
// A method without a time goes at the median pace of the others. Where all that is left takes
// little, as where nothing was timed, work stands for time: the order is the same each time then.
func (j *Job) schedule(missing []int) schedule {
	paces := j.Experiment.paces(j.Run)
	var usual float64
	if len(paces) > 0 {
		all := slices.Sorted(maps.Values(paces))
		usual = all[len(all)/2]
		timed := j.order(missing, func(method string) float64 {
			if pace, known := paces[method]; known {
				return pace
			}
			return usual
		})
		if timed.seconds >= worthTelling {
			return timed
		}
	}
	s := j.order(missing, func(string) float64 { return 1 })
	s.seconds = 0
	return s
}

// order is schedule with a pace for each method.
func (j *Job) order(missing []int, pace func(method string) float64) schedule {
	x := j.Experiment
	type entry struct {
		cells []int
		class float64 // the logarithm of the time, rounded down
		data  int     // which of the populations, in the order in which they are met
	}
	var s schedule
	var list []entry
	populations := map[population]int{}
	for _, cells := range j.batches(missing) {
		e := entry{cells: cells}
		seconds := 0.0
		for _, i := range cells {
			seconds += x.work[i] * pace(x.Cells[i].Method)
		}
		s.seconds += seconds
		e.class = math.Floor(math.Log2(max(seconds, math.SmallestNonzeroFloat64)))
		at := x.populationOf(cells[0])
		if _, met := populations[at]; !met {
			populations[at] = len(populations)
		}
		e.data = populations[at]
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.class, a.class), a.data-b.data)
	})
	for _, e := range list {
		s.batches = append(s.batches, e.cells)
	}
	return s
}

// tell says how long cells are expected to take, where that is known and long enough to matter.
func (s *schedule) tell(to *Session, atOnce int) {
	if seconds := s.seconds / float64(max(1, atOnce)); seconds >= worthTelling {
		to.Sayf("about %s with %s, at the pace of training runs that are done",
			phrase.Time(seconds), phrase.Count(atOnce, "worker", "workers"))
	}
}

// A population is the data of clients, by what makes them.
type population struct {
	seed uint64 // of the data
	key  string
}

func (x *Experiment) populationOf(i int) population {
	return population{x.setups[i].DataSeed, x.setups[i].DealtKey}
}
