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

func TestThingsAreListed(t *testing.T) {
	for _, c := range []struct {
		things     []string
		list, have string
	}{
		{[]string{"a"}, "a", "a has"}, {[]string{"a", "b"}, "a and b", "a and b have"},
		{[]string{"a", "b", "c"}, "a, b and c", "a, b and c have"},
	} {
		if list, have := List(c.things), Have(c.things); list != c.list || have != c.have {
			t.Errorf("%q and %q, want %q and %q", list, have, c.list, c.have)
		}
	}
}
