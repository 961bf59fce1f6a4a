package phrase

import (
	"fmt"
	"math"
)

// Time writes seconds, at least 0, in units that are read at a glance: "0.4 s", "12 s", "3 min
// 20 s", "5 h 7 min".
func Time(seconds float64) string {
	whole := int(math.Round(seconds))
	switch {
	case seconds < 9.95:
		return fmt.Sprintf("%.1f s", seconds)
	case whole < 60:
		return fmt.Sprintf("%d s", whole)
	case whole < 3600 && whole%60 == 0:
		return fmt.Sprintf("%d min", whole/60)
	case whole < 3600:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	}
	minutes := int(math.Round(seconds / 60))
	if minutes%60 == 0 {
		return fmt.Sprintf("%d h", minutes/60)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}
