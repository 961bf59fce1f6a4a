package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// Balance and sensitivity are shown where the flags ask for them, in both formats; strengths below
// 1 are refused before anything is read.
func TestAuditShowsSelection(t *testing.T) {
	file := frontierFile(t, "[[ablate]]\nof = \"mean\"\n\"half\" = { enrollment = "+
		"{ name = \"list\", clients = [0, 1, 2] } }\n")
	run := func(args ...string) (string, string, int) {
		var out, errs bytes.Buffer
		code := hansa(context.Background(), &out, &errs, append([]string{"audit", file}, args...))
		return out.String(), errs.String(), code
	}
	plain, _, code := run()
	if code != 0 || strings.Contains(plain, "effective clients") {
		t.Fatal(code, plain)
	}
	shown, errs, code := run("--balance", "--sensitivity", "1,3", "--width", "200")
	for _, text := range []string{"effective clients", "Γ = 3", "Γ needed"} {
		if code != 0 || !strings.Contains(shown, text) {
			t.Errorf("%d, no %q: %s%s", code, text, shown, errs)
		}
	}
	shown, _, _ = run("--balance", "--sensitivity", "1,3", "--format", "json")
	for _, text := range []string{`"effective_clients"`, `"gamma": 3`} {
		if !strings.Contains(shown, text) {
			t.Errorf("no %q: %s", text, shown)
		}
	}
	for _, wrong := range []string{"0.5", "NaN", "1e9"} {
		if _, errs, code = run("--sensitivity", wrong); code != 2 ||
			!strings.Contains(errs, "strengths are from 1") {
			t.Errorf("%s: %d, %s", wrong, code, errs)
		}
	}
}
