package phrase

import "testing"

func TestTextIsClipped(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"FedAVOT", 7, "FedAVOT"}, {"FedAVOT", 6, "FedAV…"}, {"Hájek · ρ", 8, "Hájek ·…"},
		{"連邦学習", 8, "連邦学習"}, {"連邦学習", 7, "連邦学…"}, {"連邦学習", 6, "連邦…"},
	} {
		got := Clip(c.text, c.width)
		if got != c.want || Width(got) > c.width {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
