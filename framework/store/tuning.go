package store

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
)

// TuneDir is the folder of a run that holds the trials of [tune], a run of their own.
const TuneDir = "tune"

// A Tuning says how parameters of the methods of a plan are chosen.
type Tuning struct {
	study.Tune
	Chosen []Choice `json:"chosen,omitempty"` // by method and point, in the order of the plan
	Added  []Extra  `json:"added,omitempty"`  // settings beyond the edges of their ranges
	// Open says that some cells of the plan have their parameters as the experiment file has them:
	// trials come first.
	Open bool `json:"open,omitempty"`
}

// A Choice is the setting that won of a method at a point of the sweep, less its coordinates on the
// axes of Across. Its ablations at that point have it, too.
type Choice struct {
	Method string             `json:"method"`
	Point  []study.Coordinate `json:"point,omitempty"`
	Paths  []string           `json:"paths,omitempty"`  // of parameters; none: nothing is tuned
	Values study.Values       `json:"values,omitempty"` // that won, parallel to Paths
	Tried  int                `json:"tried,omitempty"`  // settings
	Mean   float64            `json:"mean,omitempty"`   // of the measure, over seeds
	// Diverges says that it diverged in some trial, as all settings did, and none in fewer.
	Diverges bool     `json:"diverges,omitempty"`
	Fails    bool     `json:"fails,omitempty"`   // in every trial, as all settings did
	Edges    []string `json:"edges,omitempty"`   // of the least or largest value tried
	Without  []string `json:"without,omitempty"` // paths of others that it lacks
	// Missed are points over which there is one setting, at all of which every setting failed: it
	// was chosen without them.
	Missed [][]study.Coordinate `json:"missed,omitempty"`
}

// An Extra is a setting that a search tries beside those of its ranges.
type Extra struct {
	Method string             `json:"method"`
	Point  []study.Coordinate `json:"point,omitempty"`
	Values study.Values       `json:"values"` // parallel to the paths of the method
	// Extension is the same number of settings that were added at once, from 1.
	Extension int `json:"extension,omitempty"`
}

// Extra returns how many settings were added for the method of a choice at its point.
func (t *Tuning) Extra(c *Choice) (n int) {
	for i := range t.Added {
		if e := &t.Added[i]; e.Method == c.Method && slices.Equal(e.Point, c.Point) {
			n++
		}
	}
	return n
}

// Choice returns what was chosen for a method, or for the one that an ablation changes, at a point;
// nil where nothing was.
func (t *Tuning) Choice(c *study.Cell) *Choice {
	for i := range t.Chosen {
		one := &t.Chosen[i]
		if (one.Method == c.Method || one.Method == c.Parent) &&
			slices.Equal(one.Point, t.Reduced(c.Point)) {
			return one
		}
	}
	return nil
}
