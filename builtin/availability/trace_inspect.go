package availability

import (
	"math"
	"time"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// inspect examines the file of a trace.
func (x *trace) inspect(i *fl.Inspection) {
	held, whole, sound := data.InspectTrace(i, x.name, x.read)
	if !sound || !whole || held == nil {
		return
	}
	again := &trace{name: x.name, reuse: x.reuse, held: held}
	if err := again.short(i.Clients); err != nil {
		i.Fail("trace", "%v", err)
	}
	x.doubt(i, held)
}

// doubt warns of times that look like Unix times.
func (x *trace) doubt(i *fl.Inspection, t *data.Trace) {
	at, unit := unixTime(t.Begin)
	if x.matrix || unit == "" {
		return
	}
	date := at.Format("2006-01-02 15:04:05 UTC")
	if begun, _ := unixTime(t.Origin); begun.IsZero() {
		i.Warn("origin", "trace %s: times look like Unix times in %s, of which the first is %s; "+
			"counted from origin = %v, devices are absent until then", x.name, unit, date, t.Origin)
		return
	}
	if x.origin != x.origin {
		i.Warn("trace", "trace %s: times look like Unix times in %s: the trace begins with the "+
			"first interval, %s, unless origin says when, and round = %v passes %v %s in a round",
			x.name, unit, date, x.round, x.round, unit)
	}
}

// unixTime returns the time that a number of seconds or milliseconds since 1970 is, if it lies
// between 2000 and 2100, and the unit.
func unixTime(x float64) (at time.Time, unit string) {
	const from, to = 946_684_800, 4_102_444_800
	whole, rest := math.Modf(x)
	switch {
	case x >= from && x < to:
		return time.Unix(int64(whole), int64(rest*1e9)).UTC(), "seconds"
	case x >= 1e3*from && x < 1e3*to:
		return time.UnixMilli(int64(whole)).UTC(), "milliseconds"
	}
	return at, ""
}
