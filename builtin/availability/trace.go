// Trace — clients come when real devices were there, as a log of them says.
//
//	C. Yang, Q. Wang, M. Xu, Z. Chen, K. Bian, Y. Liu, X. Liu. Characterizing Impacts of
//	Heterogeneity in Federated Learning upon Large-Scale Smartphone Data. WWW 2021 (FLASH):
//	traces of phones, replayed from any time on and over again.
//
// A trace is a CSV file, gzipped or not. As a matrix it has a line for every slot of time and a
// column for every device, with cells 0, 1, or nothing where it is not known, which unknown = …
// decides. As intervals it has lines client,start,end, times as numbers in any unit and from any
// zero, such as Unix times: the trace begins with the first interval, unless origin says when.
// Either may begin with a header. A relative path is looked for in the folder of the experiment,
// then in those of data sets; trace = "flash" is half an hour by half an hour of five days of 500
// phones, in a file known to the byte.
//
// Every client has a device of its own. Where there are fewer devices than clients, reuse = true
// has several clients follow one, at different starts.
//
// Notation: P the period, the whole trace or the part that is asked for; c(i) the device of client
// i, by random permutations of all devices, another one whenever all are taken; aᵢ its start,
// uniform over the period, for a matrix at the beginning of a slot; h what passes in a round.
// Client i is available in round t iff its device was at (aᵢ + th) mod P. Devices and starts are
// drawn once per seed, and starts may be one for all, which keeps day and night.
//
// There is no law in closed form: cohorts to plan with are those of simulated rounds, with the same
// devices and starts. Oracles read the share of the period in which the device of client i was
// available, by the rule for unknown slots; given the start nothing is random.
//
// Departures: FLASH replays every log for as long as that is; here all have one period. Results
// are found again by the name of a file and not by its content, unless sha256 pins it.

package availability

import (
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Trace describes the availability model to the registry.
var Trace = fl.AvailabilityEntry{
	Name:    "trace",
	Summary: "clients are available when real devices were, as a file says",
	Paper:   "yang2021",
	Deviations: "all logs have one period; results are found again by the name of a file and " +
		"not by its content, unless sha256 pins it",
	New:     newTrace,
	Inspect: func(c fl.Availability, i *fl.Inspection) { c.(*trace).inspect(i) },
	Example: map[string]any{"trace": flash},
}

// What an experiment may write instead of a path, and where it pins no content.
const flash, whatever = "flash", "any"

// trace keeps in State: device and start, length N; inclusion, length N; and the members.
type trace struct {
	name    string
	matrix  bool
	skip    int
	unknown data.Unknown
	period  float64
	origin  float64 // of intervals; NaN: the first event
	round   float64 // h
	shared  bool
	reuse   bool // more clients than devices are allowed
	sha256  string

	// The contents of the file are no state: they are read once, and are the same for every reader.
	once sync.Once
	held *data.Trace
	err  error
}

var _ fl.Availability = (*trace)(nil)

func newTrace(p *fl.Params) (fl.Availability, error) {
	x := &trace{
		name: p.Text("trace", "", "path of a CSV file, or flash"),
		matrix: p.Choice("form", "matrix", "lines of slots, or of client,start,end",
			"matrix", "intervals") == "matrix",
		skip: p.Int("skip", 0, fl.AtLeast(0), "leading columns of a matrix that are no device"),
		unknown: data.Unknown(p.Choice("unknown", "absent", "what is made of cells that are not "+
			"known: by repeat-last, what was known before, around the end of the trace",
			"absent", "available", "repeat-last", "error")),
		period: p.Float("period", 0, fl.AtLeast(0), "how much of the trace is replayed, from its "+
			"beginning; 0 for all"),
		origin: math.NaN(),
		round: p.Float("round", 1, fl.Above(0), "how much of it passes in a round: slots, or "+
			"time in the unit of the intervals"),
		shared: p.Choice("start", "own", "whether every client begins at a time of its own, or "+
			"all at one, drawn once", "own", "shared") == "shared",
		reuse: p.Bool("reuse", false, "several clients may follow one device, where there are "+
			"fewer devices than clients"),
		sha256: p.Text("sha256", whatever, "SHA-256 of the file; a wrong one is answered by "+
			"the right one, any is never wrong"),
	}
	if at, given := p.Number("origin", fl.Anything(), "time at which a trace of intervals begins; "+
		"where it is not given, with the first interval"); given {
		x.origin = at
	}
	if x.matrix && x.period != math.Floor(x.period) {
		p.Clash("period", "form", "%v slots are not whole", x.period)
	}
	if x.matrix && p.Given("origin") {
		p.Clash("origin", "form", "slots of a matrix have no times")
	}
	if x.name == flash {
		x.published(p)
	}
	return x, nil
}

// published refuses parameters that flash determines.
func (x *trace) published(p *fl.Params) {
	if !x.matrix {
		p.Clash("form", "trace", "flash is a matrix")
	}
	if x.unknown == data.UnknownError {
		p.Clash("unknown", "trace", "a fifth of the cells of flash is not known")
	}
	if x.skip != 0 {
		p.Clash("skip", "trace", "it is known of flash")
	}
	if x.sha256 != whatever {
		p.Clash("sha256", "trace", "it is known of flash")
	}
	x.skip = 2 // the slot and when it begins
}

// Available implements fl.Availability.
func (x *trace) Available(r *fl.AvailabilityInput) []int {
	n := r.Roster.N
	x.once.Do(func() {
		if x.held, x.err = x.read(r.Folders, nil); x.err == nil {
			x.err = x.short(n)
		}
	})
	if x.err != nil {
		r.Fail(x.err)
		return nil
	}
	ids, first := members(r)
	if first {
		x.deal(r)
	}
	device, start := r.State.Vector("device", n), r.State.Vector("start", n)
	r.Inclusion = r.State.Vector("inclusion", n)
	// Rounding must not move a time that is the beginning of a slot to the slot before.
	passed := (float64(r.T) + 1e-9) * x.round
	here := r.Room(len(ids))
	for _, id := range ids {
		i := int(id)
		if x.held.Has(int(device[i]), math.Mod(start[i]+passed, x.held.Period)) {
			here = append(here, i)
		}
	}
	return here
}

// deal assigns devices and starts to all clients, so that none depend on the enrolment of others.
func (x *trace) deal(r *fl.AvailabilityInput) {
	n, t := r.Roster.N, x.held
	device, start := r.State.Vector("device", n), r.State.Vector("start", n)
	share := r.State.Vector("inclusion", n)
	rng := r.Fixed()
	var order []int
	for i := range n {
		k := i % t.Devices()
		if k == 0 {
			order = rng.Perm(t.Devices())
		}
		device[i] = float64(order[k])
		share[i] = t.Share(order[k])
		switch {
		case x.shared && i > 0:
			start[i] = start[0]
		case x.matrix:
			start[i] = float64(rng.IntN(int(t.Period)))
		default:
			start[i] = t.Period * rng.Float64()
		}
	}
}

// read finds the file and reads it. Mistakes are collected in m, unless it is nil.
func (x *trace) read(folders []string, m *data.Mistakes) (*data.Trace, error) {
	path, err := x.find(folders, m)
	if err != nil || m.Any() {
		return nil, err
	}
	if !x.matrix {
		return data.Spans{Origin: x.origin, Period: x.period, Mistakes: m}.Read(path)
	}
	slots, err := data.ReadSlots(path, x.skip, m)
	if err != nil || m.Any() {
		return nil, err
	}
	return slots.Trace(int(x.period), x.unknown)
}

// short says that a trace has fewer devices than there are clients, where that is a mistake.
func (x *trace) short(clients int) error {
	if n := x.held.Devices(); n < clients && !x.reuse {
		return fmt.Errorf("trace %s: %d clients, and %d devices: reuse = true has several clients "+
			"follow one", x.name, clients, n)
	}
	return nil
}

// find returns the path of the file, once its content is right.
func (x *trace) find(folders []string, m *data.Mistakes) (path string, err error) {
	want := x.sha256
	if x.name == flash {
		set := flashFiles()
		paths, err := set.Find(folders)
		if err != nil {
			return "", err
		}
		path, want = paths[0], set.Files[0].SHA256
	} else if path, err = data.Locate(folders, "trace", x.name); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file", path)
	case want == whatever:
		return path, nil
	case m == nil:
		return path, data.Verify(path, want)
	}
	return path, data.Examine(path, want, m)
}

// Law implements fl.Availability.
func (x *trace) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }

// Known returns the traces whose files are known to the byte, by name.
func Known() []data.Set { return []data.Set{flashFiles()} }

// flashFiles have no address: they are a sample of what is published as an archive of arrays.
func flashFiles() data.Set {
	return data.Set{
		Name:    flash,
		Aliases: []string{"flash-availability"},
		Licence: "BSD 2-Clause, of FLASH; none stated by the authors of the derived matrix",
		Page:    "https://github.com/PKU-Chengxu/FLASH",
		Files: []data.File{{Name: "flash_availability_500x241.csv.gz", Size: 13_100,
			SHA256: "85a65b11c6628b689d5c191cdf2283353b562bf1b705f217b412340e544619cf"}},
	}
}
