package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// While a process is at work, status does not say that what is missing waits for the user.
func TestStatusWhileSomebodyIsAtWork(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "eight.toml", "--only", "method=FedAvg")
	says := func(want ...string) {
		t.Helper()
		printed, said := try(t, exitOK, "status", "eight")
		if !strings.HasPrefix(printed, "4   done\n4   missing\n") || strings.Contains(printed, "round") {
			t.Errorf("it prints\n%s", printed)
		}
		if lines := strings.Join(want, "\n") + "\n"; said != lines {
			t.Errorf("it says\n%s\nwant\n%s", said, lines)
		}
	}
	says("`hansa resume eight` runs what no task has")
	note := "{\n  \"host\": \"node7\", " + `"process": 5, "since": "2026-01-02T12:04:05Z"}`
	if err := os.MkdirAll("runs/eight/busy", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("runs/eight/busy/node7-5.json", []byte(note), 0o666); err != nil {
		t.Fatal(err)
	}
	since := time.Date(2026, 1, 2, 12, 4, 5, 0, time.UTC).Local().Format("2006-01-02 15:04")
	says("at work: process 5 of node7, since "+since,
		"what is missing may be theirs; `hansa resume eight` shares it with them")
}
