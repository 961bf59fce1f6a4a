package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Things at once all run, what they write is not mixed, and all must hold.
func TestAtOnce(t *testing.T) {
	for fails := range 4 { // 3: none
		var met sync.WaitGroup
		met.Add(3)
		part := func(k int) func(io.Writer) bool {
			return func(w io.Writer) bool {
				fmt.Fprintf(w, "%d begins\n", k)
				met.Done()
				met.Wait() // the others are running, too
				fmt.Fprintf(w, "%d ends\n", k)
				return k != fails
			}
		}
		var out strings.Builder
		if ok := atOnce(part(0), part(1), part(2))(&out); ok != (fails == 3) {
			t.Errorf("%d fails: %t", fails, ok)
		}
		want := "0 begins\n0 ends\n1 begins\n1 ends\n2 begins\n2 ends\n"
		if got := out.String(); got != want {
			t.Errorf("%d fails: they write\n%s", fails, got)
		}
	}
}

// Neighbours that may run beside each other do, and no others; what steps print is in their order,
// and those that fail are counted.
func TestNeighboursRunAtOnce(t *testing.T) {
	var met sync.WaitGroup
	met.Add(2)
	var ended atomic.Int32
	alone := func(after int32, ok bool) func(io.Writer) bool {
		return func(io.Writer) bool {
			if n := ended.Load(); n != after {
				t.Errorf("%d steps ended before one that is to come after %d", n, after)
			}
			ended.Add(1)
			return ok
		}
	}
	beside := func(io.Writer) bool {
		met.Done()
		met.Wait() // the other is running, too
		ended.Add(1)
		return false
	}
	var out strings.Builder
	failed := runAll(&out, []step{{name: "a", run: alone(0, true)},
		{name: "b", run: beside, beside: true}, {name: "c", run: beside, beside: true},
		{name: "d", run: alone(3, false)}})
	var words []string
	for line := range strings.Lines(out.String()) {
		words = append(words, strings.Join(strings.Fields(line)[:2], " "))
	}
	if got := strings.Join(words, ", "); failed != 3 || got != "ok a, FAIL b, FAIL c, FAIL d" {
		t.Errorf("%d steps fail, and it says %s", failed, got)
	}
}
