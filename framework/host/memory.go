package host

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory returns how many bytes of memory the machine has, or the container in which this runs; 0
// where neither says.
func Memory() uint64 {
	all := Installed()
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return all
	}
	most, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || all > 0 && most > all { // "max": it is not limited
		return all
	}
	return most
}

// Bytes writes a number of bytes with three significant digits and a prefix: 12 B, 1.5 GB.
func Bytes(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	k := 0
	for ; n >= 999.5 && k < len(units)-1; k++ {
		n /= 1000
	}
	return fmt.Sprintf("%.3g %s", n, units[k])
}
