package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Trace says when each of some devices was there, for a period after which it begins anew.
type Trace struct {
	Period float64   // > 0
	Origin float64   // the time of the file from which Edges count; 0 for slots
	Begin  float64   // the time of the file at which the first interval begins; 0 for slots
	First  []int     // device c has Edges First[c] to First[c+1]; one element more than devices
	Edges  fl.Vector // ascending in [0, Period]: available from even ones to odd ones
}

// Devices returns how many devices there are.
func (t *Trace) Devices() int { return len(t.First) - 1 }

// of returns the edges of a device.
func (t *Trace) of(device int) fl.Vector {
	return t.Edges[t.First[device]:t.First[device+1]]
}

// Has reports whether a device is there at a time of [0, Period).
func (t *Trace) Has(device int, time float64) bool {
	edges := t.of(device)
	lo, hi := 0, len(edges)
	for lo < hi { // edges before lo are not after time, those from hi on are
		if mid := (lo + hi) / 2; edges[mid] <= time {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo%2 == 1
}

// Share returns the share of the period for which a device is there.
func (t *Trace) Share(device int) float64 {
	edges, sum := t.of(device), 0.0
	for k := 0; k < len(edges); k += 2 {
		sum += edges[k+1] - edges[k]
	}
	return sum / t.Period
}

// add appends a device that is there in these spans, which ascend and do not overlap.
func (t *Trace) add(spans []span) {
	if t.First == nil {
		t.First = []int{0}
	}
	for _, s := range spans {
		last := len(t.Edges) - 1
		if last >= t.First[len(t.First)-1] && t.Edges[last] == s.from { // one goes on as the other
			t.Edges[last] = s.to
			continue
		}
		t.Edges = append(t.Edges, s.from, s.to)
	}
	t.First = append(t.First, len(t.Edges))
}

// A span is a time for which a device is there, and the line that says so.
type span struct {
	from, to float64
	line     int
}

// Spans say what is made of a file of intervals.
type Spans struct {
	// Origin is the time at which the trace begins; NaN: when the first interval does.
	Origin float64
	Period float64 // how long the trace is; 0: until the last interval ends
	// Mistakes, where they are not nil, collect what is wrong.
	Mistakes *Mistakes
}

// Read reads a trace of intervals from a CSV file, packed by gzip or not: lines
// device,start,end in any order. A line with neither start nor end names a device that may never
// be there. A first line of which neither is a number is a header. Devices are in the order in
// which they are first named. Edges of the trace count from its origin.
func (s Spans) Read(path string) (*Trace, error) {
	f := &spansFile{at: map[string]int{}, begin: math.Inf(1), end: math.Inf(-1)}
	if err := readCSV(path, s.Mistakes, f.line); err != nil {
		return nil, err
	}
	t := &Trace{Period: s.Period, Origin: s.Origin, Begin: f.begin}
	if s.Origin != s.Origin {
		t.Origin = f.begin
	}
	if f.begin > f.end && s.Mistakes.Any() {
		return nil, nil // lines that are wrong are said already
	}
	if f.begin > f.end {
		return nil, fmt.Errorf("%s: there are no intervals", path)
	}
	if t.Period == 0 {
		t.Period = f.end - t.Origin
	}
	for _, own := range f.spans {
		sort.SliceStable(own, func(a, b int) bool { return own[a].from < own[b].from })
		for k := range own {
			var last *span
			if k > 0 {
				last = &own[k-1]
			}
			if err := s.place(path, t, last, &own[k]); err != nil {
				return nil, err
			}
		}
		t.add(own)
	}
	return t, nil
}

// place moves an interval to the origin of a trace, or says why it has no place there. The last
// one is that of the same device before it, nil where there is none.
func (s Spans) place(path string, t *Trace, last, own *span) error {
	from, to := own.from, own.to
	own.from, own.to = from-t.Origin, to-t.Origin
	report := func(line int, sort, format string, args ...any) error {
		return s.Mistakes.report(sort, func() error {
			return fmt.Errorf("%s:%d: %s", path, line, fmt.Sprintf(format, args...))
		})
	}
	switch {
	case last != nil && own.from < last.to:
		return report(max(own.line, last.line), "overlap", "the interval overlaps that of line %d",
			min(own.line, last.line))
	case own.from < 0:
		return report(own.line, "early", "the interval begins at %v, before the origin, %v",
			from, t.Origin)
	case own.to > t.Period:
		return report(own.line, "late", "the interval ends at %v, after the period of %v from %v",
			to, t.Period, t.Origin)
	}
	return nil
}

// A spansFile is what was read of a file of intervals.
type spansFile struct {
	at    map[string]int // where a device stands in spans
	spans [][]span
	begin float64
	end   float64
}

// line takes one line.
func (f *spansFile) line(number int, cells []string) error {
	if len(cells) != 3 {
		return fmt.Errorf("%d cells, want device,start,end", len(cells))
	}
	from, bad := strconv.ParseFloat(cells[1], 64)
	to, worse := strconv.ParseFloat(cells[2], 64)
	never := cells[1] == "" && cells[2] == ""
	switch {
	case number == 1 && bad != nil && worse != nil && !never:
		return nil // a header
	case never:
	case bad != nil || worse != nil || from-from != 0 || to-to != 0:
		return fmt.Errorf("from %q to %q: want two numbers; a date is none, its Unix time is",
			cells[1], cells[2])
	case !(to > from):
		return fmt.Errorf("the interval from %v ends at %v, not after that", from, to)
	}
	k, known := f.at[cells[0]]
	if !known {
		k = len(f.spans)
		f.at[cells[0]] = k
		f.spans = append(f.spans, nil)
	}
	if !never {
		f.spans[k] = append(f.spans[k], span{from, to, number})
		f.begin, f.end = min(f.begin, from), max(f.end, to)
	}
	return nil
}

// readCSV calls visit for every line of a file, with its number from 1. Spaces around cells do
// not count, empty lines do: they are an error unless nothing follows. Mistakes in lines are
// collected in m, unless it is nil.
func readCSV(path string, m *Mistakes, visit func(number int, cells []string) error) error {
	u, err := open(path)
	if err != nil {
		return err
	}
	defer u.Close()
	r := csv.NewReader(&bounded{from: u, mistakes: m})
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	for before := 0; ; {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errOver) {
			m.Partial = fmt.Sprintf("the first %d lines", before)
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		number, _ := r.FieldPos(0)
		if number > before+1 {
			err := fmt.Errorf("%s:%d: the line is empty", path, before+1)
			if err := m.report("empty", func() error { return err }); err != nil {
				return err
			}
		}
		before, _ = r.FieldPos(len(cells) - 1)
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if err := visit(number, slices.Clip(cells)); err != nil {
			err = fmt.Errorf("%s:%d: %w", path, number, err)
			if err := m.report("line", func() error { return err }); err != nil {
				return err
			}
		}
	}
}
