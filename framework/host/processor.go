package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// Processor returns the model of the first processor that Linux describes, a digest of what it can
// do, and whether it multiplies and adds in one step, as those do that are not x86. Those of ARM
// have numbers instead of a name. Elsewhere model and digest are empty.
func Processor() (model, flags string, fused bool) {
	text, _ := os.ReadFile("/proc/cpuinfo")
	return processor(string(text))
}

// processor reads what Linux says of the processors.
func processor(cpuinfo string) (model, flags string, fused bool) {
	said := map[string]string{}
	first, _, _ := strings.Cut(cpuinfo, "\n\n")
	for line := range strings.Lines(first) {
		key, value, _ := strings.Cut(line, ":")
		said[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	model = said["model name"]
	if part := said["CPU part"]; model == "" && part != "" {
		model = "implementer " + said["CPU implementer"] + " part " + part
	}
	can := strings.Fields(cmp.Or(said["flags"], said["Features"]))
	fused = said["flags"] == "" || slices.Contains(can, "fma")
	if len(can) == 0 {
		return model, "", fused
	}
	slices.Sort(can)
	sum := sha256.Sum256([]byte(strings.Join(can, " ")))
	return model, fmt.Sprintf("%x", sum[:8]), fused
}

// Functions returns a digest of values of functions that are computed with fused multiplication
// where the processor has it.
func Functions() string {
	h := sha256.New()
	for i := range 1000 {
		x := float64(i-500) / 37
		for _, y := range []float64{math.Exp(x), math.Log(x * x), math.Tanh(x), math.Sin(x),
			math.Pow(2, x), math.Sqrt(math.Abs(x))} {
			b := binary.LittleEndian.AppendUint64(nil, math.Float64bits(y))
			h.Write(b)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
