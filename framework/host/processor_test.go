package host

import (
	"strings"
	"testing"
)

func TestProcessors(t *testing.T) {
	const intel = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t\t: fpu fma avx2\n\n" +
		"processor\t: 1\nmodel name\t: Another\nflags\t\t: fpu\n\n"
	const arm = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"
	model, flags, fused := processor(intel)
	if model != "Some CPU @ 2 GHz" || len(flags) != 16 || !fused {
		t.Errorf("%q, %q, %t", model, flags, fused)
	}
	turned := strings.Replace(intel, "fpu fma avx2", "avx2 fpu fma", 1)
	if _, other, _ := processor(turned); other != flags {
		t.Error("the order of flags counts")
	}
	if _, other, fused := processor(strings.Replace(intel, " fma", "", 1)); other == flags || fused {
		t.Error("a flag does not count")
	}
	model, flags, fused = processor(arm)
	if model != "implementer 0x41 part 0xd0c" || flags == "" || !fused {
		t.Errorf("%q, %q, %t", model, flags, fused)
	}
	if model, flags, _ := processor(""); model != "" || flags != "" {
		t.Errorf("of nothing: %q, %q", model, flags)
	}
}
