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
	First  []int     // device c has Edges First[c] to First[c+1]; one element more than devices
	Edges  fl.Vector // ascending in [0, Period]: it comes at even ones and leaves at odd ones
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

// ReadSpans reads a trace of intervals from a CSV file, packed by gzip or not: lines
// device,start,end in any order, with times from 0. A line with neither start nor end names a
// device that may never be there. A first line of which neither is a number is a header. The
// period ends with the last interval, unless one is given that is not 0. Devices are in the order
// in which they are first named.
func ReadSpans(path string, period float64) (*Trace, error) {
	f := &spansFile{at: map[string]int{}}
	if err := readCSV(path, f.line); err != nil {
		return nil, err
	}
	t := &Trace{Period: period}
	if period == 0 {
		t.Period = f.end
	}
	if t.Period == 0 {
		return nil, fmt.Errorf("%s: there are no intervals", path)
	}
	for _, own := range f.spans {
		sort.SliceStable(own, func(a, b int) bool { return own[a].from < own[b].from })
		for k, s := range own {
			if k > 0 && s.from < own[k-1].to {
				return nil, fmt.Errorf("%s:%d: the interval overlaps that of line %d",
					path, max(s.line, own[k-1].line), min(s.line, own[k-1].line))
			}
			if s.to > t.Period {
				return nil, fmt.Errorf("%s:%d: the interval ends at %v, after the period of %v",
					path, s.line, s.to, t.Period)
			}
		}
		t.add(own)
	}
	return t, nil
}

// A spansFile is what was read of a file of intervals.
type spansFile struct {
	at    map[string]int // where a device stands in spans
	spans [][]span
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
	case bad != nil || worse != nil || from != from || math.IsInf(to, 0):
		return fmt.Errorf("from %q to %q: want two numbers", cells[1], cells[2])
	case from < 0:
		return fmt.Errorf("the interval begins at %v, before 0", from)
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
		f.end = max(f.end, to)
	}
	return nil
}

// readCSV calls visit for every line of a file, with its number from 1. Spaces around cells do
// not count, empty lines do: they are an error unless nothing follows.
func readCSV(path string, visit func(number int, cells []string) error) error {
	u, err := open(path)
	if err != nil {
		return err
	}
	defer u.Close()
	r := csv.NewReader(u)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	for before := 0; ; {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		number, _ := r.FieldPos(0)
		if number > before+1 {
			return fmt.Errorf("%s:%d: the line is empty", path, before+1)
		}
		before, _ = r.FieldPos(len(cells) - 1)
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if err := visit(number, slices.Clip(cells)); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
}
