package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// presence returns what a trace says of a device in every slot.
func presence(t *Trace, device int) (text string) {
	for k := range int(t.Period) {
		text += map[bool]string{true: "1", false: "0"}[t.Has(device, float64(k))]
	}
	return text
}

// Matrices are read with and without a header and other columns, packed and not; every rule for
// what is not known makes of it what it says.
func TestSlots(t *testing.T) {
	const bare = "0,1,,\n1,1,,0\n,,,1\n0,,,\n"
	const rich = "slot, start, a, b, c, d\n0,x,0,1,,\n1,y,1, 1 ,,0\n2,z,,,,1\n3,,0,,,\n\n"
	for _, c := range []struct {
		unknown Unknown
		slots   int
		want    []string
	}{
		{UnknownAbsent, 0, []string{"0100", "1100", "0000", "0010"}},
		{UnknownAvailable, 0, []string{"0110", "1111", "1111", "1011"}},
		{UnknownRepeatLast, 0, []string{"0110", "1111", "0000", "1011"}},
		{UnknownRepeatLast, 2, []string{"01", "11", "00", "00"}},
		{UnknownAbsent, 1, []string{"0", "1", "0", "0"}},
	} {
		for name, f := range map[string]struct {
			content []byte
			skip    int
		}{
			"bare": {[]byte(bare), 0}, "rich": {[]byte(rich), 2}, "packed": {packed(t, []byte(rich)), 2},
		} {
			s, err := ReadSlots(file(t, name, f.content), f.skip, nil)
			if err != nil {
				t.Fatal(err)
			}
			trace, err := s.Trace(c.slots, c.unknown)
			if err != nil {
				t.Fatal(err)
			}
			for device, want := range c.want {
				got := presence(trace, device)
				share := float64(strings.Count(want, "1")) / float64(len(want))
				if got != want || math.Abs(trace.Share(device)-share) > 1e-15 {
					t.Errorf("%s, %s: device %d: %s, a share of %v; want %s",
						name, c.unknown, device, got, trace.Share(device), want)
				}
			}
			if trace.Devices() != 4 {
				t.Errorf("%d devices", trace.Devices())
			}
		}
	}
}

// Whatever the spans, a search finds what going through them finds.
func TestTraceHas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	trace := &Trace{Period: 10}
	var all [][]span
	for range 20 {
		var edges fl.Vector
		for range 2 * rng.IntN(6) {
			edges = append(edges, float64(rng.IntN(100))/10)
		}
		slices.Sort(edges)
		edges = slices.Compact(edges)
		var spans []span
		for k := 0; k+1 < len(edges); k += 1 + rng.IntN(2) { // some of them touch
			spans = append(spans, span{from: edges[k], to: edges[k+1]})
		}
		trace.add(spans)
		all = append(all, spans)
	}
	for device, spans := range all {
		for time := 0.0; time < 10; time += 0.05 {
			want := slices.ContainsFunc(spans, func(s span) bool { return s.from <= time && time < s.to })
			if got := trace.Has(device, time); got != want {
				t.Fatalf("device %d at %v: %t; spans %v", device, time, got, spans)
			}
		}
	}
}

func TestSpans(t *testing.T) {
	const lines = "b,3,5\na,0,1.5\nb,1,2\nc,,\nb,5,6\n"
	for name, text := range map[string]string{"plain": lines, "header": "client,start,end\n" + lines} {
		trace, err := Spans{}.Read(file(t, name, []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(trace.Period, trace.First, trace.Edges, trace.Share(0), trace.Share(2))
		if want := "6 [0 4 6 6] [1 2 3 6 0 1.5] 0.6666666666666666 0"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	trace, err := Spans{Period: 12}.Read(file(t, "longer", []byte(lines)))
	if err != nil || trace.Period != 12 || trace.Share(1) != 0.125 {
		t.Errorf("%v, %v", trace, err)
	}
}

// Times count from the origin, which is when the first interval begins unless one is given; so
// times in another zero, such as Unix times, make the same trace.
func TestSpansBeginAtTheirOrigin(t *testing.T) {
	const later = 1_580_511_600
	for _, zero := range []float64{0, -7, later} {
		var text strings.Builder
		for _, s := range [][3]float64{{0, 3, 5}, {1, 2, 2.5}, {0, 5, 6}} {
			fmt.Fprintf(&text, "%v,%.1f,%.1f\n", s[0], zero+s[1], zero+s[2])
		}
		for origin, want := range map[float64]string{
			math.NaN(): "4 [0 2 4] [1 4 0 0.5]", zero + 1: "5 [0 2 4] [2 5 1 1.5]",
		} {
			trace, err := Spans{Origin: origin}.Read(file(t, "x", []byte(text.String())))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(trace.Period, trace.First, trace.Edges); got != want ||
				trace.Begin != zero+2 {
				t.Errorf("%v from %v: %s, want %s", zero, origin, got, want)
			}
		}
	}
}

// What is wrong with a file is said with its line.
func TestTracesAreChecked(t *testing.T) {
	slots := func(skip, slots int, u Unknown) func(path string) error {
		return func(path string) error {
			s, err := ReadSlots(path, skip, nil)
			if err == nil {
				_, err = s.Trace(slots, u)
			}
			return err
		}
	}
	spans := func(path string) error {
		_, err := Spans{}.Read(path)
		return err
	}
	matrix := slots(0, 0, UnknownAbsent)
	for _, c := range []struct {
		text string
		read func(path string) error
		want string // after the path
	}{
		{"", matrix, ": there are no slots"},
		{"a,b\n", matrix, ": there are no slots"},
		{"0,1\n0,1,1\n", matrix, ":2: 3 cells, want 2 as in line 1"},
		{"a,b\n0,1\n0\n", matrix, ":3: 1 cells, want 2 as in line 2"},
		{"0,1\n0,2\n", matrix, `:2: cell 2 is "2", want 0, 1 or nothing`},
		{"0,x\n0,1\n", matrix, `:1: cell 2 is "x", want 0, 1 or nothing`},
		{"a,b\nc,d\n", matrix, `:2: cell 1 is "c", want 0, 1 or nothing`},
		{"0,1\n\n1,1\n", matrix, ":2: the line is empty"},
		{"0,1\n\"0,1\n", matrix, ": parse error on line 2, column 6: extraneous or missing " +
			"\" in quoted-field"},
		{"x,0\n", slots(2, 0, UnknownAbsent), ":1: 2 cells, of which the first 2 are skipped"},
		{"t,a,b\n0,1,1\n1,0,\n", slots(1, 0, UnknownError), ":3: cell 3 is not known"},
		{"0,1\n1,1\n", slots(0, 3, UnknownAbsent), ": 3 slots asked for, 2 there"},
		{"", spans, ": there are no intervals"},
		{"client,start,end\n", spans, ": there are no intervals"},
		{"a,,\n", spans, ": there are no intervals"},
		{"a,0,1\na,2\n", spans, ":2: 2 cells, want device,start,end"},
		{"a,0,1\na,3,3\n", spans, ":2: the interval from 3 ends at 3, not after that"},
		{"a,4,1\n", spans, ":1: the interval from 4 ends at 1, not after that"},
		{"a,-1,1\n", spans, ":1: the interval begins at -1, before the origin, 0"},
		{"a,0,1\na,2020-01-01,1\n", spans, `:2: from "2020-01-01" to "1": want two numbers; ` +
			"a date is none, its Unix time is"},
		{"a,0,\n", spans, `:1: from "0" to "": want two numbers; a date is none, its Unix time is`},
		{"2020-01-31 23:00,0,1\n", matrix, `:1: cell 1 is "2020-01-31 23:00", want 0, 1 or nothing; ` +
			"where columns before those of devices hold something else, such as dates, skip them: skip = 1"},
		{"1,x,y,0,1\n", slots(1, 0, UnknownAbsent), `:1: cell 2 is "x", want 0, 1 or nothing; ` +
			"where columns before those of devices hold something else, such as dates, skip them: skip = 3"},
		{"a,0,NaN\n", spans, `:1: from "0" to "NaN": want two numbers; a date is none, its Unix time is`},
		{"a,0,inf\n", spans, `:1: from "0" to "inf": want two numbers; a date is none, its Unix time is`},
		{"a,4,6\nb,0,9\na,1,5\n", spans, ":3: the interval overlaps that of line 1"},
		{"a,0,9\n", func(path string) error {
			_, err := Spans{Period: 8}.Read(path)
			return err
		}, ":1: the interval ends at 9, after the period of 8 from 0"},
	} {
		path := file(t, "trace.csv", []byte(c.text))
		if err := c.read(path); err == nil || err.Error() != path+c.want {
			t.Errorf("%q: %v, want %s", c.text, err, path+c.want)
		}
	}
	if err := matrix("no-such-file"); err == nil || !strings.Contains(err.Error(), "no-such-file") {
		t.Errorf("%v", err)
	}
}

// No text makes a reader panic, and what it takes is a trace.
func FuzzTraces(f *testing.F) {
	for _, text := range []string{"0,1\n,\n", "a,b\n0,1\n", "a,0,1\nb,1,2\na,1,2\n", "\"", "\n\n", "a,,\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := file(t, "x", []byte(text))
		var traces []*Trace
		if s, err := ReadSlots(path, 0, nil); err == nil {
			trace, err := s.Trace(0, UnknownRepeatLast)
			if err != nil {
				t.Fatal(err)
			}
			traces = append(traces, trace)
		}
		if trace, err := (Spans{}).Read(path); err == nil {
			traces = append(traces, trace)
		}
		for _, trace := range traces {
			for device := range trace.Devices() {
				if edges := trace.of(device); !slices.IsSorted(edges) || len(edges)%2 != 0 {
					t.Fatalf("edges %v", edges)
				}
				if share := trace.Share(device); !(share >= 0 && share <= 1) {
					t.Fatalf("a share of %v", share)
				}
			}
		}
	})
}
