package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// Two things at once both run, what they write is not mixed, and both must hold.
func TestAtOnce(t *testing.T) {
	for _, want := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		begun := make(chan bool)
		part := func(name string, meet func(), ok bool) func(io.Writer) bool {
			return func(w io.Writer) bool {
				fmt.Fprintf(w, "%s begins\n", name)
				meet() // the other one is running, too
				fmt.Fprintf(w, "%s ends\n", name)
				return ok
			}
		}
		var out strings.Builder
		ok := atOnce(part("first", func() { begun <- true }, want[0]),
			part("second", func() { <-begun }, want[1]))(&out)
		if ok != (want[0] && want[1]) {
			t.Errorf("%v: %v", want, ok)
		}
		if got := out.String(); got != "first begins\nfirst ends\nsecond begins\nsecond ends\n" {
			t.Errorf("%v: they write\n%s", want, got)
		}
	}
}
