package session

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/study"
)

// fits reports the cells that need more memory than there is: one of every method and point, with
// the number of the experiment that asks for most of it. A memory of 0 is not known.
func (x *Experiment) fits(memory uint64) study.Problems {
	var problems study.Problems
	for _, i := range x.Arms() {
		problems = append(problems, x.fit(i, memory)...)
	}
	return problems
}

// fit reports one cell that needs more memory than there is.
func (x *Experiment) fit(i int, memory uint64) study.Problems {
	if memory == 0 || x.foreign[i] {
		return nil // of strategies nothing is known here
	}
	need := engine.Estimate(&x.setups[i], 1)
	if need.Total() <= float64(memory) {
		return nil
	}
	key, value, at := largest(&x.Cells[i])
	return study.Problems{{Pos: at,
		Message: fmt.Sprintf("%s: %s needs about %s of memory, and there are %s", key, value,
			host.Bytes(need.Total()), host.Bytes(float64(memory))),
		Hint: fmt.Sprintf("%s for data, %s for clients, %s for models, %s for statistics",
			host.Bytes(need.Data), host.Bytes(need.Clients), host.Bytes(need.Models),
			host.Bytes(need.Statistics))}}
}

// room reports the cells that are to run and need more memory than a limit that is not 0, or, where
// they run here, than this machine has.
func (x *Experiment) room(cells []int, limit Size, here bool) study.Problems {
	memory := uint64(limit)
	if all := host.Memory(); here && all > 0 && (memory == 0 || all < memory) {
		memory = all
	}
	var problems study.Problems
	for k, i := range cells {
		if k == 0 || !x.Cells[cells[k-1]].SameArm(&x.Cells[i]) {
			problems = append(problems, x.fit(i, memory)...)
		}
	}
	return problems
}

// Enough is the error of cells that need more memory than this machine has, or than a limit that is
// not 0.
func (x *Experiment) Enough(limit Size) error {
	memory := host.Memory()
	if limit > 0 && (memory == 0 || uint64(limit) < memory) {
		memory = uint64(limit)
	}
	if problems := x.fits(memory); len(problems) > 0 {
		return problems
	}
	return nil
}

// largest returns the largest of the numbers of a cell that say how much of something there is:
// its clients, and what data sets, preprocessors and models have; and where it is written.
func largest(c *study.Cell) (key, value string, at study.Pos) {
	key, most := "clients", float64(c.Clients)
	look := func(path string, params map[string]any) {
		for _, name := range sortedKeys(params) {
			n, whole := params[name].(int64)
			if whole && float64(n) > most && !strings.Contains(name, "seed") {
				key, most = path+"."+name, float64(n)
			}
		}
	}
	look("dataset", c.Picks["dataset"].Params)
	look("model", c.Picks["model"].Params)
	for i, p := range c.Preprocess {
		look(fmt.Sprintf("preprocess[%d]", i), p.Params)
	}
	for path := key; ; {
		if span, ok := c.Origins[path]; ok {
			at = span.Value
			break
		}
		cut := strings.LastIndexByte(path, '.')
		if cut < 0 {
			break
		}
		path = path[:cut]
	}
	return key, fmt.Sprint(int64(math.Round(most))), at
}

func sortedKeys(m map[string]any) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// forClients returns how much of the memory of a training run the states of its clients may take,
// half of it, before they lie in a file; 0, which is no limit, of none.
func forClients(memory uint64) int64 {
	return int64(min(memory/2, math.MaxInt64))
}
