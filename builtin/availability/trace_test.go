package availability_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// replay opens a trace that lies in a folder.
func replay(t *testing.T, folder string, given map[string]any, n int) *nature {
	t.Helper()
	x := open(t, availability.Trace, given, n)
	x.reach.Folders = []string{"nowhere", folder}
	return x
}

// put writes a file into a folder.
func put(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// played returns the presence of every client as text, and the stated probabilities.
func played(t *testing.T, x *nature, rounds int) ([]string, fl.Vector) {
	t.Helper()
	came := make([][]byte, x.reach.Roster.N)
	for round := range rounds {
		for i := range came {
			came[i] = append(came[i], '0')
		}
		for _, i := range x.round(round) {
			came[i][round] = '1'
		}
		if err := x.reach.Failure(); err != nil {
			t.Fatal(err)
		}
	}
	text := make([]string, len(came))
	for i := range came {
		text[i] = string(came[i])
	}
	return text, x.reach.Inclusion
}

// matrix makes up columns of presence, no two of which are one another's rotation, and a file of
// them.
func matrix(slots, devices int) (columns []string, text string) {
	rng := rand.New(rand.NewPCG(5, 6))
	for len(columns) < devices {
		column := ""
		for range slots {
			column += fmt.Sprint(rng.IntN(2))
		}
		if rotated(columns, column) < 0 {
			columns = append(columns, column)
		}
	}
	for k := range slots {
		cells := make([]string, devices)
		for c := range cells {
			cells[c] = columns[c][k : k+1]
		}
		text += strings.Join(cells, ",") + "\n"
	}
	return columns, text
}

// rotated returns which of the columns a text is, begun anywhere; −1: none.
func rotated(columns []string, text string) int {
	for c, column := range columns {
		if len(column) == len(text) && strings.Contains(column+column, text) {
			return c
		}
	}
	return -1
}

// Over one period every client is available exactly when its device was, from some slot on, and so
// exactly as often; that rate is what is stated. Every device is taken once before one is taken
// again.
//
//hansa:verifies theorem availability/trace
func TestTraceIsReplayedToTheSlot(t *testing.T) {
	const slots, devices, n = 40, 7, 16
	columns, text := matrix(slots, devices)
	folder := t.TempDir()
	put(t, folder, "m.csv", text)
	for seed := range uint64(5) {
		x := replay(t, folder, map[string]any{"trace": "m.csv", "reuse": true}, n)
		x.reach.Fixed = fl.NewStream(seed, "fixed").Rand
		came, share := played(t, x, 3*slots)
		taken := make([]int, devices)
		for i, whole := range came {
			once := whole[:slots]
			c := rotated(columns, once)
			if c < 0 || whole != strings.Repeat(once, 3) {
				t.Fatalf("client %d was available %s, like no device", i, whole)
			}
			if taken[c]++; taken[c] > 1+i/devices {
				t.Errorf("device %d is taken for the %d. time by client %d", c, taken[c], i)
			}
			if want := float64(strings.Count(columns[c], "1")) / slots; share[i] != want {
				t.Errorf("client %d: a rate of %v, its device has %v", i, share[i], want)
			}
		}
	}
}

// Two rounds in a slot, and three slots in a round, are what they say; a part of the trace is one.
func TestTraceAtOtherSpeeds(t *testing.T) {
	const slots, devices = 41, 5
	columns, text := matrix(slots, devices)
	folder := t.TempDir()
	put(t, folder, "m.csv", text)
	for _, round := range []float64{0.5, 0.1, 3, 1.0 / 3} {
		x := replay(t, folder, map[string]any{"trace": "m.csv", "round": round}, devices)
		usual, _ := played(t, replay(t, folder, map[string]any{"trace": "m.csv"}, devices), slots)
		came, _ := played(t, x, 400)
		for i := range came {
			for k := range came[i] {
				slot := int(math.Floor((float64(k) + 1e-6) * round))
				if came[i][k] != usual[i][slot%slots] {
					t.Fatalf("%v slots a round: client %d in round %d is not as in slot %d", round, i, k, slot)
				}
			}
		}
	}
	x := replay(t, folder, map[string]any{"trace": "m.csv", "period": 20.0}, devices)
	came, _ := played(t, x, 20)
	for c := range columns {
		columns[c] = columns[c][:20]
	}
	for i, text := range came {
		if rotated(columns, text) < 0 {
			t.Errorf("client %d was available %s, like no device in 20 slots", i, text)
		}
	}
}

// With one start for all, what is at the same hour in the file stays so.
func TestSharedStart(t *testing.T) {
	const slots, devices = 30, 6
	columns, text := matrix(slots, devices)
	folder := t.TempDir()
	put(t, folder, "m.csv", text)
	for start, want := range map[string]int{"shared": 1, "own": devices} {
		came, _ := played(t, replay(t, folder, map[string]any{"trace": "m.csv", "start": start}, devices), slots)
		starts := map[int]bool{}
		for _, text := range came {
			c := rotated(columns, text)
			starts[strings.Index(text+text, columns[c])] = true
		}
		if len(starts) < (want+1)/2 || len(starts) > want {
			t.Errorf("start = %s: %d starts", start, len(starts))
		}
	}
}

// The same spans as slots and as intervals are the same trace; intervals begin at any time.
func TestIntervals(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "i.csv", "client,start,end\na,0,2.5\nb,,\na,7.5,10\n")
	given := map[string]any{"trace": "i.csv", "form": "intervals", "round": 0.01}
	came, share := played(t, replay(t, folder, given, 2), 1000)
	for i, text := range came {
		n := strings.Count(text, "1")
		if math.Abs(float64(n)-1000*share[i]) > 1 || (n != 0 && strings.Count(text+text[:1], "01") > 1) {
			t.Errorf("client %d participated in %d of 1000 rounds, its rate is %v", i, n, share[i])
		}
	}
	if share[0]+share[1] != 0.5 {
		t.Errorf("rates %v", share)
	}
}

// The phones of FLASH come as often as they did.
//
//hansa:verifies source availability/trace
func TestFlash(t *testing.T) {
	folder := datatest.Folder(t)
	for unknown, c := range map[string]float64{"absent": 7925, "available": 7925 + 23169} {
		x := replay(t, folder, map[string]any{"trace": "flash", "unknown": unknown}, 500)
		came, share := played(t, x, 241)
		if got := strings.Count(strings.Join(came, ""), "1"); float64(got) != c ||
			math.Abs(share.Sum()*241-c) > 1e-9 {
			t.Errorf("%s: they participated %d times, and by rates %v; want %v", unknown, got, share.Sum()*241, c)
		}
	}
	x := replay(t, folder, map[string]any{"trace": "flash", "reuse": true}, 20_000)
	x.enrol()
	x.round(0)
	round := 0
	if a := testing.AllocsPerRun(10, func() { round++; x.round(round) }); a != 0 || x.source.draws != 0 {
		t.Errorf("%v allocations a round, %d random numbers", a, x.source.draws)
	}
}

// What is wrong with files and parameters is one error.
func TestTraceRefuses(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "m.csv", "0,1\n1,\n")
	put(t, folder, "uneven.csv", "0,1\n1\n")
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("0,1\n1,\n")))
	for want, given := range map[string]map[string]any{
		"uneven.csv:2: 1 cells, want 2 as in line 1":                                         {"trace": "uneven.csv"},
		"m.csv:2: cell 2 is not known":                                                       {"trace": "m.csv", "unknown": "error"},
		"m.csv: 3 slots asked for, 2 there":                                                  {"trace": "m.csv", "period": 3.0},
		"m.csv:1: 2 cells, want device,start,end":                                            {"trace": "m.csv", "form": "intervals"},
		"trace: not found: n.csv\nsearched: nowhere, ":                                       {"trace": "n.csv"},
		"flash: not found: flash_availability_500x241":                                       {"trace": "flash"},
		"SHA-256 " + sum + ", want 00":                                                       {"trace": "m.csv", "sha256": "00"},
		"trace m.csv: 3 clients, and 2 devices: reuse = true has several clients follow one": {"trace": "m.csv"},
	} {
		x := replay(t, folder, given, 3)
		if x.round(0); x.reach.Failure() == nil || !strings.Contains(x.reach.Failure().Error(), want) {
			t.Errorf("%v: %v, want %s", given, x.reach.Failure(), want)
		}
		if missing := new(data.MissingError); strings.Contains(want, "not found") &&
			!errors.As(x.reach.Failure(), &missing) {
			t.Errorf("%v: it does not say that a file is missing", given)
		}
	}
	played(t, replay(t, folder, map[string]any{"trace": "m.csv", "sha256": sum}, 2), 2)
	for want, given := range map[string]map[string]any{
		"trace: is required":                                  {},
		"period: 2.5 slots are not whole":                     {"trace": "m.csv", "period": 2.5},
		"form: flash is a matrix":                             {"trace": "flash", "form": "intervals"},
		"unknown: a fifth of the cells of flash is not known": {"trace": "flash", "unknown": "error"},
		"skip: it is known of flash":                          {"trace": "flash", "skip": int64(1)},
		"sha256: it is known of flash":                        {"trace": "flash", "sha256": "00"},
		"round: 0 is outside (0, +Inf)":                       {"trace": "m.csv", "round": 0.0},
	} {
		p := new(registry.Registry).Params(given, fl.Setting{Clients: 3})
		_, err := availability.Trace.New(p)
		problems := p.Finish()
		if err != nil || len(problems) != 1 || problems[0].Message != want {
			t.Errorf("%v: %v, %v, want %s", given, err, problems, want)
		}
	}
}

// What is known of the shipped file is true.
func TestKnownTraces(t *testing.T) {
	folder := datatest.Folder(t)
	for _, set := range availability.Known() {
		paths, err := set.Find([]string{folder})
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			info, err := os.Stat(path)
			if err != nil || info.Size() != set.Files[i].Size {
				t.Errorf("%s: %v, %v", path, info, err)
			}
			if err := data.Verify(path, set.Files[i].SHA256); err != nil {
				t.Error(err)
			}
		}
	}
}
