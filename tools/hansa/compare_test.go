package main

import "testing"

// An amount is a number, maybe with a unit of bytes behind it.
func TestAmounts(t *testing.T) {
	for text, want := range map[string]float64{"10MB": 1e7, "1.5 GB": 1.5e9, "60kB": 6e4, "12": 12,
		"0": 0} {
		if x, ok := amountOf(text); !ok || x != want {
			t.Errorf("%q is %v, %t; want %v", text, x, ok, want)
		}
	}
	for _, text := range []string{"", "MB", "3XB", "-1", "Inf", "NaN", "1kBMB"} {
		if x, ok := amountOf(text); ok {
			t.Errorf("%q is %v", text, x)
		}
	}
}
