package session

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/host"
)

// A Size is a number of bytes. It is the value of a flag.
type Size uint64

var sizeForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([KMGT]i?B?|B)?$`)

// errSize is the error of Set; explainFlag says what is wanted.
var errSize = errors.New("no size")

// Set implements pflag.Value.
func (s *Size) Set(text string) error {
	m := sizeForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return errSize
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return err
	}
	base := 1000.0
	if strings.Contains(m[2], "i") {
		base = 1024
	}
	if unit := strings.IndexByte("BKMGT", (m[2] + "B")[0]); unit > 0 {
		x *= math.Pow(base, float64(unit))
	}
	if x > math.MaxInt64 {
		return errSize
	}
	*s = Size(x)
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string {
	if *s == 0 {
		return ""
	}
	for _, u := range []struct {
		name  string
		bytes Size
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if *s%u.bytes == 0 {
			return fmt.Sprintf("%d%s", *s/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", *s)
}

// Type implements pflag.Value.
func (s *Size) Type() string { return "size" }

// spare returns how much memory each of so many worker processes may have: a share of four
// fifths of what the machine has, or 4 GiB where that is not known.
func spare(workers int) Size {
	all := host.Installed()
	if all == 0 {
		return 4 << 30
	}
	return Size(all) / 5 * 4 / Size(max(1, workers))
}
