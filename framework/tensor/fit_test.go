package tensor

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

// What needs more memory than the process may use is refused before it is asked of the runtime;
// where there is no limit, nothing is.
func TestFit(t *testing.T) {
	refused := func(elements, bytes int) (said string) {
		defer func() {
			if p := recover(); p != nil {
				said = fmt.Sprint(p)
			}
		}()
		Fit(elements, bytes)
		return ""
	}
	if said := refused(1<<60, 8); said != "" {
		t.Errorf("without a limit: %s", said)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	const want = "80 GB of memory are asked for at once, and there are 1.07 GB"
	if said := refused(1e10, 8); said != want {
		t.Errorf("%q, want %q", said, want)
	}
	if said := refused(1<<62, 8); !strings.Contains(said, " are asked for at once") {
		t.Errorf("a number of bytes that is no int: %q", said)
	}
	for _, elements := range []int{-1, 0, 1 << 26} {
		if said := refused(elements, 8); said != "" {
			t.Errorf("%d elements: %s", elements, said)
		}
	}
}
