package ot

import "testing"

func TestClientsAreNamedInFewWords(t *testing.T) {
	for want, ids := range map[string][]int{
		"client 7":                    {7},
		"clients 3, 4":                {3, 4},
		"clients 0–2":                 {0, 1, 2},
		"clients 0–2, 5, 8, 9":        {0, 1, 2, 5, 8, 9},
		"7 clients (0, 2, 4, 6, …)":   {0, 2, 4, 6, 8, 10, 12},
		"9 clients (0–2, 5, 7, 9, …)": {0, 1, 2, 5, 7, 9, 11, 13, 15},
	} {
		if got := Clients(ids); got != want {
			t.Errorf("%v: %q, want %q", ids, got, want)
		}
	}
}

func TestCertificateInWords(t *testing.T) {
	c := Certificate{Deficiency: 0.34, Minimal: []int{0, 1, 2}, Mass: 0.549, Reach: 0.209}
	want := "clients 0–2 hold 0.549 of the importance, but a cohort includes one of them with probability 0.209 only, " +
		"so 0.340 of p is unattainable"
	if got := c.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c = Certificate{Deficiency: 0.2, Minimal: []int{7}, Mass: 0.5, Reach: 0.3, Bound: true}
	want = "client 7 holds 0.500 of the importance, but a cohort includes it with probability 0.300 only, " +
		"so at least 0.200 of p is unattainable"
	if got := c.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
