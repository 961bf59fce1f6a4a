package session

import "testing"

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{
		"512MiB": 512 << 20, "2 GiB": 2 << 30, "4GB": 4e9, "1.5K": 1500, "100": 100, "7B": 7,
	} {
		var s Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%s: %d bytes, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "much", "-1GiB", "1e3", "12XB", "9999999TiB"} {
		if err := new(Size).Set(text); err == nil {
			t.Errorf("%q is a size", text)
		}
	}
	for s, want := range map[Size]string{0: "", 512 << 20: "512MiB", 1000: "1000B", 3 << 30: "3GiB"} {
		if got := s.String(); got != want {
			t.Errorf("%d is written %q, want %q", s, got, want)
		}
	}
}
