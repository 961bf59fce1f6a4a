package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// openTerminal returns both ends of a terminal of so many columns: what programs write to the
// second appears on the first.
func openTerminal(t *testing.T, columns uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no terminal can be opened: ", err)
		}
		t.Skip("no terminal can be opened, so what is shown on one is not tested: ", err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// escapes are what moves a terminal's cursor, clears it or colours it.
var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// onTerminal runs a command on a terminal until it shows a text, and then interrupts it. It
// returns what was on the terminal, and the exit code.
func onTerminal(t *testing.T, columns uint16, until string, args ...string) (string, int) {
	t.Helper()
	seen, code := onRawTerminal(t, columns, until, args...)
	return strings.ReplaceAll(escapes.ReplaceAllString(seen, ""), "\r", ""), code
}

// onRawTerminal is onTerminal with all that the terminal was sent. Ctrl-C shows there as ^C.
func onRawTerminal(t *testing.T, columns uint16, until string, args ...string) (string, int) {
	t.Helper()
	t.Setenv("TERM", "xterm")
	t.Setenv("CI", "")
	master, slave := openTerminal(t, columns)
	ctx, interrupt := context.WithCancel(t.Context())
	shown := new(screen)
	read := make(chan struct{})
	go func() {
		defer close(read)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			if err != nil {
				return
			}
			_, _ = shown.Write(b[:n]) // into memory
		}
	}()
	code := make(chan int, 1)
	go func() {
		c := hansa(ctx, new(screen), slave, args)
		slave.Close()
		code <- c
	}()
	seen := shown.take(t, until) + until
	if _, err := master.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	seen += shown.take(t, "^C") + "^C"
	interrupt()
	select {
	case c := <-code:
		<-read
		master.Close()
		return seen + shown.text.String(), c
	case <-time.After(time.Minute):
		t.Fatal("it goes on after an interrupt")
		return "", 0
	}
}

// lookOf returns the lines that a terminal of so many columns shows when it was sent a text.
func lookOf(t *testing.T, text string, columns int) string {
	t.Helper()
	lines, row, col := [][]rune{nil}, 0, 0
	for len(text) > 0 {
		if at := escapes.FindStringIndex(text); at != nil && at[0] == 0 {
			code := text[2 : at[1]-1]
			switch n, _ := strconv.Atoi(code); text[at[1]-1] {
			case 'A':
				row = max(0, row-max(1, n))
			case 'J':
				lines = lines[:row+1]
				lines[row] = lines[row][:min(col, len(lines[row]))]
			case 'm': // a colour
			default:
				t.Fatalf("this terminal does not know %q", text[:at[1]])
			}
			text = text[at[1]:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case r == '\r':
			col = 0
			continue
		case r == '\n' || col == columns:
			if row++; row == len(lines) {
				lines = append(lines, nil)
			}
			if r == '\n' {
				continue
			}
			col = 0
		}
		for len(lines[row]) <= col {
			lines[row] = append(lines[row], ' ')
		}
		lines[row][col] = r
		col++
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

// After Ctrl-C no bar stays above what is printed then, though ^C is shown where the cursor was; what
// failed stays.
func TestNoBarStaysAfterAnInterrupt(t *testing.T) {
	inCopy(t, "watch")
	for _, columns := range []uint16{80, 60} {
		raw, code := onRawTerminal(t, columns, "  eta ", "run", "first.toml", "-j", "2", "--dir", fmt.Sprint("in", columns),
			"--set", "rounds=100000000", "--set", "measure_every=1000000", "--set", "FedAvg: local.lr=1e200")
		shown := lookOf(t, raw, int(columns))
		if code != exitInterrupted || strings.Contains(shown, "[=") || strings.Contains(shown, "[>") ||
			strings.Contains(shown, "runs  ") || !strings.Contains(shown, "] FAIL FedAvg · seed 0 after ") ||
			!strings.Contains(shown, "\ninterrupted: ") {
			t.Errorf("%d columns, exit code %d:\n%s\nof %q", columns, code, shown, raw)
		}
	}
}

// On a terminal there is a bar for every cell at work and one for all, with how long it will
// take; failures stand above them, and an interrupt says how to go on.
func TestProgressOnATerminal(t *testing.T) {
	inCopy(t, "watch")
	for _, columns := range []uint16{100, 60} {
		text, code := onTerminal(t, columns, "  eta ", "run", "first.toml", "-j", "2", "--dir", fmt.Sprint("at", columns),
			"--set", "rounds=100000000", "--set", "measure_every=1000000", "--set", "FedAvg: local.lr=1e200")
		if code != exitInterrupted {
			t.Errorf("exit code %d\n%s", code, text)
		}
		for _, want := range []string{"FAIL FedAvg · seed 0 after ", "/100000000 [", "runs ", "1 failed",
			"interrupted: ", " of 6 training runs are done and stored; go on with `hansa run first.toml"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not on\n%s", columns, want, text)
			}
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "[>") && phrase.Width(strings.TrimRight(line, " \n")) > int(columns) {
				t.Errorf("%d columns: a bar goes beyond them: %q", columns, line)
			}
		}
	}
}
