package study

import (
	"math"
	"testing"
)

func TestSuggest(t *testing.T) {
	keys := append([]string{"local.lr", "availability.prior.exponent"}, settingKeys...)
	for _, c := range []struct {
		word    string
		allowed []string
		want    string
	}{
		{"roudns", keys, `did you mean "rounds"?`},
		{"Rounds", keys, `did you mean "rounds"?`},
		{"measure-every", keys, `did you mean "measure_every"?`},
		{"measure", keys, `did you mean "measure_every"?`},
		{"datasets_train", keys, `did you mean "dataset"?`},
		{"lr", keys, `did you mean "local.lr"?`},
		{"lr", []string{"llr", "local.lr"}, `did you mean "local.lr"?`},
		{"exponnet", keys, `did you mean "availability.prior.exponent"?`},
		{"locl.lr", keys, `did you mean "local.lr"?`},
		{"fedavott", []string{"fedavg", "fedavot"}, `did you mean "fedavot"?`},
		{"FedAVT", []string{"FedAvg", "FedAVOT"}, `did you mean "FedAVOT"?`},
		{"mae", []string{"mse", "half-mse"}, `did you mean "mse"?`},
		{"fedprox", []string{"fedavg", "fedavot"}, "known: fedavg, fedavot"},
		{"best", []string{"last", "average"}, "known: last, average"},
		{"median", []string{"fedavg", "fedavot"}, "known: fedavg, fedavot"},
		{"k", []string{"q", "r"}, "known: q, r"},
		{"", []string{"a", "b"}, "known: a, b"},
		{"θ", []string{"θᵗ", "η"}, "known: θᵗ, η"},
		{"any", nil, ""},
	} {
		if got := Suggest(c.word, c.allowed); got != c.want {
			t.Errorf("%q among %v: %s, want %s", c.word, c.allowed, got, c.want)
		}
	}
}

// TestLevenshtein compares with the definition, word by word over a small alphabet.
func TestLevenshtein(t *testing.T) {
	words := []string{""}
	for i := 0; len(words) < 1+3+9+27+81; i++ {
		for _, c := range "abθ" {
			words = append(words, words[i]+string(c))
		}
	}
	for _, a := range words[:60] {
		for _, b := range words {
			x, y := []rune(a), []rune(b)
			if got, want := levenshtein(x, y), naive(x, y); got != want {
				t.Fatalf("%q, %q: %d, want %d", a, b, got, want)
			}
		}
	}
}

// naive is the definition of the distance, by recursion.
func naive(a, b []rune) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return len(a) + len(b)
	case a[0] == b[0]:
		return naive(a[1:], b[1:])
	}
	return 1 + min(naive(a[1:], b), naive(a, b[1:]), naive(a[1:], b[1:]))
}

// TestNumeral shows that labels have the shortest numbers.
func TestNumeral(t *testing.T) {
	for want, x := range map[string]float64{
		"1e-9": 1e-9, "1e6": 1e6, "-1.5e-12": -1.5e-12, "0.001": 1e-3, "100000": 1e5, "0": 0,
		"1e300": 1e300, "2.5": 2.5, "+Inf": math.Inf(1),
	} {
		if got := numeral(x); got != want {
			t.Errorf("%g is written %s, want %s", x, got, want)
		}
	}
	for want, x := range map[string]any{"2.0": 2.0, "2.5": 2.5, "1e30": 1e30, "2": int64(2)} {
		if got := show(x); got != want {
			t.Errorf("%v is shown as %s, want %s", x, got, want)
		}
	}
}
