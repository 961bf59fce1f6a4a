package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// process reports whether a process of this machine is alive, and when it began, in a form that
// differs for any other process with its number, for any clock: the start of the machine, and the
// ticks from then on.
func process(pid int) (began string, alive bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil { // it ended, or is not ours to see
		return "", pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	// The name of the program, in brackets, may have spaces and brackets in it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start {
		return "", true
	}
	if s := string(fields[state]); s == "Z" || s == "X" { // ended, not yet reaped
		return "", false
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", true
	}
	return fmt.Sprintf("%s+%s", bytes.TrimSpace(boot), fields[start]), true
}
