package phrase

import "testing"

func TestTime(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0.0 s", 0.42: "0.4 s", 9.94: "9.9 s",
		9.96: "10 s", 59.4: "59 s", 59.6: "1 min", 200: "3 min 20 s", 3599.7: "1 h",
		18420: "5 h 7 min", 7200: "2 h"} {
		if got := Time(seconds); got != want {
			t.Errorf("%v s is %q, want %q", seconds, got, want)
		}
	}
}
