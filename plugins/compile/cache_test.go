package compile

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins"
)

// sharedCache is the variable that names the cache folder to a second process.
const sharedCache = "HANSA_TEST_CACHE"

// slowGo is a toolchain that takes a while to write a program, and counts how many it wrote.
const slowGo = `#!/bin/sh
if [ "$1" = env ]; then echo VERSION; exit; fi
echo build >> "$HANSA_TEST_CACHE/builds"
sleep 1
while [ "$1" != -o ]; do shift; done
echo program > "$2"
`

// Processes that make the same program at once make it once: the others wait for it, and have it.
func TestProcessesMakeAProgramOnce(t *testing.T) {
	if dir := os.Getenv(sharedCache); dir != "" { // one of them
		k := kit(t)
		k.Cache = dir
		path, err := k.Program(t.Context(), []*plugins.Strategy{strategy(t, "a", "one.go")})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); string(text) != "program\n" {
			t.Fatalf("it is %q, %v", text, err)
		}
		return
	}
	dir, bin := t.TempDir(), t.TempDir()
	script := strings.Replace(slowGo, "VERSION", version(), 1)
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var all []*exec.Cmd
	said := make([]bytes.Buffer, 3)
	for i := range said {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), sharedCache+"="+dir,
			"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		cmd.Stdout = &said[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &said[i])
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "builds")); string(text) != "build\n" {
		t.Errorf("builds: %q, %v", text, err)
	}
}

// Waiting for a program ends with its context, and a released lock is free.
func TestAlone(t *testing.T) {
	k := kit(t)
	release, err := k.alone(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := k.alone(ctx, "p"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting ends with %v", err)
	}
	if other, err := k.alone(t.Context(), "q"); err != nil {
		t.Error(err)
	} else {
		other()
	}
	release()
	if again, err := k.alone(t.Context(), "p"); err != nil {
		t.Error(err)
	} else {
		again()
	}
}
