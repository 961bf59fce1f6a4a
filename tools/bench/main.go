// Command bench measures how fast hansa is, beside something real in the same run, and
// prints one JSON line per benchmark.
//
//	go run ./tools/bench                  everything
//	go run ./tools/bench -run '^fl/'      what matches a regular expression
//	go run ./tools/bench -time 200ms      longer chunks, steadier numbers
//	go run ./tools/bench -isa avx2        another path of the kernels: see kernel.ISA
//	go run ./tools/bench -cpuprofile FILE what takes the time: go tool pprof FILE
//
// A benchmark and what stands beside it take turns, chunk by chunk, so that both see the
// same machine. Rates are work per second, larger is better: best and median over the
// chunks by the clock on the wall, and the median by processor time. One processor is
// used, but for benchmarks of several workers, which are compared by the clock.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/hansa-fl/hansa/framework/kernel"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == asWorker {
		os.Exit(serve())
	}
	pattern := flag.String("run", "", "regular expression of the benchmarks to run")
	chunk := flag.Duration("time", 50*time.Millisecond, "length of a chunk")
	chunks := flag.Int("chunks", 9, "chunks per benchmark")
	isa := flag.String("isa", "", "`PATH` of the kernels: avx512, avx2 or generic")
	profile := flag.String("cpuprofile", "", "write what takes time to `FILE`, for go tool pprof")
	flag.Parse()
	if *isa != "" && *isa != kernel.ISA() {
		os.Exit(again(*isa))
	}
	matches, err := regexp.Compile(*pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	if *profile != "" {
		stop, err := profileTo(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: -cpuprofile:", err)
			os.Exit(2)
		}
		defer stop()
	}
	out := json.NewEncoder(os.Stdout)
	if matches.MatchString(crowdName) {
		if err := remember(out); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", crowdName, err)
			os.Exit(1)
		}
	}
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

// profileTo begins to write a profile; what it returns ends that.
func profileTo(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench: -cpuprofile:", err)
		}
	}, nil
}

// again runs this program once more with the kernels' path in the environment, because it
// is chosen when a program starts, and returns the exit status.
func again(isa string) int {
	const variable = "HANSA_ISA"
	if os.Getenv(variable) == isa {
		fmt.Fprintf(os.Stderr, "bench: -isa: there is no %q here, only %q\n", isa, kernel.ISA())
		return 2
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), variable+"="+isa)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "bench: -isa:", err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// A benchmark is one piece of work, which open makes ready.
type benchmark struct {
	name string
	unit string // of what a piece of work is, per second
	open func() (task, error)
}

// A task does a piece of work n times.
type task struct {
	do    func(n int) error
	done  func()  // gives back what open took; nil when that is memory only
	worth float64 // units in a piece of work; 0 means 1
	hands int     // processors that it needs; 0 means 1
	kept  float64 // bytes that it keeps from one piece of work to the next, where measured
	warm  int     // pieces of work before those that are timed
}

// A line is what is printed of a benchmark.
type line struct {
	Name      string  `json:"name"`
	Unit      string  `json:"unit"`
	Best      float64 `json:"best"`
	Median    float64 `json:"median"`
	CPUMedian float64 `json:"cpu_median"`
	KeptMB    float64 `json:"kept_mb,omitempty"` // that it keeps from one piece of work to the next
	Beside    string  `json:"beside,omitempty"`  // what it is compared with
	Ratio     float64 `json:"ratio,omitempty"`   // of medians by processor time, or by the clock
}

// measure runs benchmarks in turns. All but the first stand beside the first.
func measure(p []benchmark, chunks int, length time.Duration) ([]line, error) {
	works := make([]func(int) error, len(p))
	worth := make([]float64, len(p))
	sizes := make([]int, len(p))
	kept, hands := make([]float64, len(p)), 1
	for i, b := range p {
		t, err := b.open()
		if err != nil {
			return nil, err
		}
		if t.done != nil {
			defer t.done()
		}
		works[i], worth[i], kept[i] = t.do, cmp.Or(t.worth, 1), t.kept
		hands = max(hands, t.hands)
		runtime.GOMAXPROCS(hands)
		if sizes[i] = 1; length <= time.Millisecond { // one piece of work shows that it works
			continue
		}
		if t.warm > 0 {
			if err = t.do(t.warm); err != nil {
				return nil, err
			}
		}
		if sizes[i], err = calibrate(t.do, length); err != nil {
			return nil, err
		}
	}
	wall, cpu := make([][]float64, len(p)), make([][]float64, len(p))
	for range chunks {
		for i, work := range works {
			if chunks > 1 { // refill the caches after the work before
				if err := work(1); err != nil {
					return nil, err
				}
			}
			start, used := time.Now(), processorTime()
			if err := work(sizes[i]); err != nil {
				return nil, err
			}
			took, used := time.Since(start), processorTime()-used
			done := worth[i] * float64(sizes[i])
			wall[i] = append(wall[i], done/took.Seconds())
			cpu[i] = append(cpu[i], done/used.Seconds())
		}
	}
	lines := make([]line, len(p))
	for i, b := range p {
		lines[i] = line{Name: b.name, Unit: b.unit, Best: slices.Max(wall[i]),
			Median: median(wall[i]), CPUMedian: median(cpu[i]), KeptMB: kept[i] / 1e6}
	}
	if len(p) > 1 {
		lines[0].Beside = p[1].name
		lines[0].Ratio = lines[0].CPUMedian / lines[1].CPUMedian
		if hands > 1 {
			lines[0].Ratio = lines[0].Median / lines[1].Median
		}
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
