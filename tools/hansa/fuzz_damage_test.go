//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// files lists the files of the damaged run.
func (h *hostileRun) files() (paths []string) {
	err := filepath.WalkDir("runs/eight", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return paths
}

// damage does something to the run.
func (h *hostileRun) damage() {
	h.Helper()
	path := pick(h, h.files())
	if h.rng.IntN(4) == 0 { // there is one plan and one submission among fifty files
		path = pick(h, glob(h.T, "runs/eight/submissions/*/s*.json"))
		if path == "" || h.rng.IntN(3) > 0 {
			path = "runs/eight/plan.json"
		}
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return // it was replaced by what is no file
	}
	content, err := os.ReadFile(path)
	if err != nil {
		h.Fatal(err)
	}
	way := h.rng.IntN(13)
	how := ""
	switch way {
	case 0, 1, 2:
		how, content = h.bytes(content)
	case 3, 4:
		how, content = h.numbers(content)
	case 5, 6, 7:
		how, content = h.numbers(content)
		how += ", with the right checksum"
		content, h.lies = sealedAgain(content), true
	case 8:
		from := pick(h, h.files())
		how = "the content of " + from
		content, _ = os.ReadFile(from)
	case 9:
		from := pick(h, glob(h.T, "runs/other/"+strings.SplitN(path, "/", 3)[2][:4]+"*/*/*.json"))
		if from == "" {
			from = "runs/other/plan.json"
		}
		how = "the content of " + from
		content, _ = os.ReadFile(from)
	default:
		h.replace(path)
		return
	}
	h.done = append(h.done, path+": "+how)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		h.Fatal(err)
	}
}

// pick returns one of a list, or its zero.
func pick(h *hostileRun, list []string) (one string) {
	if len(list) > 0 {
		one = list[h.rng.IntN(len(list))]
	}
	return one
}

// bytes changes some bytes of a file, or how many there are.
func (h *hostileRun) bytes(content []byte) (how string, changed []byte) {
	content = bytes.Clone(content)
	if len(content) == 0 {
		return "still empty", content
	}
	at := h.rng.IntN(len(content))
	switch h.rng.IntN(7) {
	case 0, 1:
		content[at] ^= 1 << h.rng.IntN(8)
		return fmt.Sprintf("a bit of byte %d is another one", at), content
	case 2:
		content[at] = byte(h.rng.IntN(256))
		return fmt.Sprintf("byte %d is %q", at, content[at]), content
	case 3:
		return fmt.Sprintf("cut after %d bytes", at), content[:at]
	case 4:
		return "empty", nil
	case 5:
		return "twice", append(content, content...)
	}
	return "zeros", make([]byte, len(content))
}

var (
	anyNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)
	anyID     = regexp.MustCompile(`[0-9a-f]{64}`)
	anyWord   = regexp.MustCompile(`"[\w/ .-]*"`)
)

// numbers changes a number, an id or a word of a file.
func (h *hostileRun) numbers(content []byte) (how string, changed []byte) {
	what := [...]*regexp.Regexp{anyNumber, anyNumber, anyID, anyWord}[h.rng.IntN(4)]
	by := pick(h, []string{"-1", "99999999999999999999", "1e999", "null", "0", "4", "9223372036854775807", "[]", "{}",
		`"NaN"`, "true", ""})
	switch what {
	case anyID:
		by = pick(h, []string{"../../../victim", "..", "", "../" + strings.Repeat("a", 61), strings.Repeat("a", 64)})
	case anyWord:
		by = pick(h, []string{`"../../../../victim"`, `""`, "null", "7", `"hansa"`, `"id": "x", "id"`,
			`"` + strings.Repeat("x", 5000) + `"`, "\"\\u001b[2J\""})
	}
	at := what.FindAllIndex(content, -1)
	if at == nil {
		return "as it was", content
	}
	where := at[h.rng.IntN(len(at))]
	changed = bytes.Clone(content[:where[0]])
	changed = append(append(changed, by...), content[where[1]:]...)
	return fmt.Sprintf("%.40q instead of %.40q", by, content[where[0]:where[1]]), changed
}

var recordSum = regexp.MustCompile(`"sha256": "([0-9a-f]{64})"`)

// sealedAgain gives a changed file the right checksum, whatever kind of file it is.
func sealedAgain(content []byte) []byte {
	if bytes.HasPrefix(content, []byte(`{"sha256":"`)) {
		return []byte(resealed(string(content), "", ""))
	}
	if bytes.HasPrefix(content, []byte("hansa/checkpoint/")) && len(content) > sha256.Size {
		rest := content[:len(content)-sha256.Size]
		sum := sha256.Sum256(rest)
		return append(bytes.Clone(rest), sum[:]...)
	}
	if at := recordSum.FindSubmatchIndex(content); at != nil {
		content = bytes.Clone(content)
		copy(content[at[2]:], strings.Repeat("0", 64))
		sum := sha256.Sum256(content)
		hex.Encode(content[at[2]:], sum[:])
	}
	return content
}

// replace puts in the place of a file, or of a folder above it, what is none.
func (h *hostileRun) replace(path string) {
	h.Helper()
	for h.rng.IntN(2) == 0 && filepath.Dir(path) != "runs/eight" {
		path = filepath.Dir(path)
	}
	victims := []string{"victim", "victim/table.txt", "victim/hansa", "nowhere", "work/runs/eight/results",
		"work/runs/eight", "work/runs/other/results"}
	victim := filepath.Join(h.top, pick(h, victims))
	how, put := "", func() error { return nil }
	switch h.rng.IntN(5) {
	case 0, 1:
		how, put = "a link to "+victim, func() error { return os.Symlink(victim, path) }
	case 2:
		how, put = "a pipe", func() error { return syscall.Mkfifo(path, 0o666) }
	case 3:
		how, put = "a folder", func() error { return os.MkdirAll(filepath.Join(path, "x", "y.json"), 0o777) }
	default:
		how = "nothing"
	}
	h.done = append(h.done, path+": "+how)
	if err := os.RemoveAll(path); err != nil {
		h.Fatal(err)
	}
	if err := put(); err != nil {
		h.Fatal(err)
	}
}
