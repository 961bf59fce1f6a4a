package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// There is a page for every command, with all that its help says, and it is the same every time.
func TestManualPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	write := func() string {
		dir := t.TempDir()
		var said bytes.Buffer
		if code := hansa(t.Context(), &said, &said, []string{"man", dir}); code != exitOK || !strings.Contains(said.String(), " pages\n") {
			t.Fatalf("exit code %d: %s", code, &said)
		}
		return dir
	}
	a, b := write(), write()
	c := newCommand(new(bytes.Buffer), new(bytes.Buffer))
	for _, cmd := range c.root().Commands() {
		if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		name := "hansa-" + cmd.Name() + ".1"
		page, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := os.ReadFile(filepath.Join(b, name))
		if err != nil || !bytes.Equal(page, again) {
			t.Errorf("%s differs from time to time", name)
		}
	}
	page := rendered(t, filepath.Join(a, "hansa-run.1"))
	for _, want := range []string{"runs/<name of the file>/", "--only", "NAME", "EXAMPLE"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page of run:\n%s", want, page)
		}
	}
	if page := rendered(t, filepath.Join(a, "hansa.1")); !strings.Contains(page, "130 interrupted") {
		t.Errorf("no exit codes:\n%s", page)
	}
}

// rendered returns a page as man shows it, in one line; where there is no man, its source.
func rendered(t *testing.T, path string) string {
	t.Helper()
	if text, err := exec.Command("man", "--no-hyphenation", "-l", path).Output(); err == nil {
		return strings.Join(strings.Fields(string(text)), " ")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(strings.NewReplacer(`\-`, "-", `\[la]`, "<", `\[ra]`, ">", "\n.TP\n", " ",
		`\fB130\fP`, "130").Replace(string(text))), " ")
}
