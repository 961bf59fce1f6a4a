package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
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
