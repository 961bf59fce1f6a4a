// Command bench measures how fast hansa is, beside something real in the same run, and
// prints one JSON line per benchmark.
//
//	go run ./tools/bench                  everything
//	go run ./tools/bench -run '^fl/'      what matches a regular expression
//	go run ./tools/bench -time 200ms      longer chunks, steadier numbers
//
// A benchmark and what stands beside it take turns, chunk by chunk, so that both see the
// same machine. Rates are work per second, larger is better: best and median over the
// chunks by the clock on the wall, and the median by processor time. One processor is
// used.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"
)

func main() {
	pattern := flag.String("run", "", "regular expression of the benchmarks to run")
	chunk := flag.Duration("time", 50*time.Millisecond, "length of a chunk")
	chunks := flag.Int("chunks", 9, "chunks per benchmark")
	flag.Parse()
	matches, err := regexp.Compile(*pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	out := json.NewEncoder(os.Stdout)
	for _, p := range pairs() {
		if !slices.ContainsFunc(p, func(b benchmark) bool { return matches.MatchString(b.name) }) {
			continue
		}
		lines, err := measure(p, *chunks, *chunk)
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", p[0].name, err)
			os.Exit(1)
		}
		for _, line := range lines {
			if err := out.Encode(line); err != nil {
				fmt.Fprintln(os.Stderr, "bench:", err)
				os.Exit(1)
			}
		}
	}
}

// A benchmark is one piece of work, which open makes ready.
type benchmark struct {
	name string
	unit string // of what a piece of work is, per second
	open func() (task, error)
}

// A task does a piece of work n times.
type task struct {
	do   func(n int) error
	done func() // gives back what open took; nil when that is memory only
}

// A line is what is printed of a benchmark.
type line struct {
	Name      string  `json:"name"`
	Unit      string  `json:"unit"`
	Best      float64 `json:"best"`
	Median    float64 `json:"median"`
	CPUMedian float64 `json:"cpu_median"`
	Beside    string  `json:"beside,omitempty"` // what it is compared with
	Ratio     float64 `json:"ratio,omitempty"`  // of the medians by processor time
}

// measure runs benchmarks in turns. All but the first stand beside the first.
func measure(p []benchmark, chunks int, length time.Duration) ([]line, error) {
	works := make([]func(int) error, len(p))
	sizes := make([]int, len(p))
	for i, b := range p {
		t, err := b.open()
		if err != nil {
			return nil, err
		}
		if t.done != nil {
			defer t.done()
		}
		works[i] = t.do
		if sizes[i], err = calibrate(t.do, length); err != nil {
			return nil, err
		}
	}
	wall, cpu := make([][]float64, len(p)), make([][]float64, len(p))
	for range chunks {
		for i, work := range works {
			start, used := time.Now(), processorTime()
			if err := work(sizes[i]); err != nil {
				return nil, err
			}
			wall[i] = append(wall[i], float64(sizes[i])/time.Since(start).Seconds())
			cpu[i] = append(cpu[i], float64(sizes[i])/(processorTime()-used).Seconds())
		}
	}
	lines := make([]line, len(p))
	for i, b := range p {
		lines[i] = line{Name: b.name, Unit: b.unit, Best: slices.Max(wall[i]),
			Median: median(wall[i]), CPUMedian: median(cpu[i])}
	}
	if len(p) > 1 {
		lines[0].Beside = p[1].name
		lines[0].Ratio = lines[0].CPUMedian / lines[1].CPUMedian
	}
	return lines, nil
}

// calibrate returns how many pieces of work fill a chunk.
func calibrate(work func(int) error, length time.Duration) (int, error) {
	for n := 1; ; n *= 2 {
		start := time.Now()
		if err := work(n); err != nil {
			return 0, err
		}
		if took := time.Since(start); took > length/4 || n > 1<<30 {
			return max(1, int(float64(n)*length.Seconds()/took.Seconds())), nil
		}
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}
